#include "resolve/resolve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/num.h"
#include "binary/symbols.h"
#include "format.h"
#include "format/region_class.h"
#include "resolve/value_list.h"

/* Compilers make no deeper chains; the rest of a deeper one is not written. */
#define FRAMES_MAX 256
#define ALIASES_MAX 64

void resolve_init(struct resolve *r)
{
	modules_init(&r->modules);
	names_init(&r->functions, true);
	names_init(&r->files, false);
	r->fingerprints = (struct fingerprints)FINGERPRINTS_INIT;
}

void resolve_release(struct resolve *r)
{
	names_release(&r->functions);
	names_release(&r->files);
	fingerprints_release(&r->fingerprints);
	modules_release(&r->modules);
}

/* ---- fields --------------------------------------------------------------- */

static void add_str(struct buf *out, struct record *rec, const char *key, const char *value)
{
	if (value && !record_get(rec, key))
		record_str(out, key, value);
}

static void add_name(struct buf *out, struct record *rec, const char *key, const struct name *name)
{
	if (!record_get(rec, key))
		record_escaped(out, key, name->value.s, name->value.len);
}

static void add_line(struct resolve *r, struct buf *out, struct record *rec, const struct frame *frame)
{
	/* A file that came with the record is not joined with a line of another one. */
	if (!frame->file || !frame->line || record_get(rec, "file"))
		return;
	add_name(out, rec, "file", names_of(&r->files, frame->file));
	if (!record_get(rec, "line"))
		record_u64(out, "line", frame->line);
}

/* The name of code without any name: "libz.so.1+0x1234". */
static void add_offset(struct buf *out, struct record *rec, const struct module *mod, uint64_t off)
{
	const char *slash = strrchr(mod->path, '/');
	char *name = xasprintf("%s+0x%" PRIx64, slash && slash[1] ? slash + 1 : mod->path, off);

	add_str(out, rec, "function", name);
	free(name);
}

/* ---- samples -------------------------------------------------------------- */

static void add_chain(struct resolve *r, struct buf *out, struct record *rec, const struct frame *frame, size_t n)
{
	if (n < 2 || record_get(rec, "inlined_by"))
		return;
	record_escaped(out, "inlined_by", "", 0);
	for (size_t i = 1; i < n; i++) {
		const struct name *function = frame[i].function ? names_of(&r->functions, frame[i].function) : NULL;
		const struct name *file = frame[i].file ? names_of(&r->files, frame[i].file) : NULL;

		if (i > 1)
			buf_addc(out, ';');
		if (function)
			buf_add(out, function->member.s, function->member.len);
		else
			buf_addc(out, '?');
		if (file) {
			buf_addc(out, '@');
			buf_add(out, file->member.s, file->member.len);
			buf_addf(out, ":%u", frame[i].line);
		}
	}
}

/* All addresses of a function without a name get the name of its begin; if that is unknown, of themselves. */
static uint64_t begin_of(struct image *img, uint64_t off)
{
	struct range extent;

	return img && image_extent(img, off, &extent) ? extent.lo : off;
}

/* Resolves a sample, a call, or a place of events. */
static bool resolve_address(struct resolve *r, struct record *rec, struct module *mod, struct buf *out)
{
	struct frame frame[FRAMES_MAX];
	struct image *img;
	uint64_t off = record_get_u64(rec, "offset");
	size_t n;

	if (!record_need(rec, "offset"))
		return false;
	if (record_get(rec, "function"))
		return true; /* it has names already, as regions may have */
	img = modules_image(&r->modules, mod);
	n = img ? image_frames(img, off, frame, FRAMES_MAX) : 0;
	if (n > FRAMES_MAX)
		n = FRAMES_MAX;
	if (n > 0 && frame[0].function)
		add_name(out, rec, "function", names_of(&r->functions, frame[0].function));
	else
		add_offset(out, rec, mod, begin_of(img, off));
	if (n > 0)
		add_line(r, out, rec, &frame[0]);
	add_chain(r, out, rec, frame, n);
	return true;
}

/* ---- regions -------------------------------------------------------------- */

/* Takes "0xA-0xB" and the comma behind it off *s. */
static bool next_range(const char **s, struct range *range)
{
	char text[48], *dash;
	size_t len = strcspn(*s, ",");

	if (len >= sizeof text)
		return false;
	memcpy(text, *s, len);
	text[len] = '\0';
	dash = strchr(text, '-');
	if (!dash)
		return false;
	*dash = '\0';
	*s += len + ((*s)[len] == ',');
	return num_u64(text, &range->lo) && num_u64(dash + 1, &range->hi) && range->lo < range->hi;
}

static bool same_function(const char *a, const char *b)
{
	size_t n = symbol_base(a);

	return n == symbol_base(b) && !memcmp(a, b, n);
}

/* The fields of a region before it is resolved. */
struct wanted {
	const char *symbol; /* NULL any */
	const char *path;   /* the call path that it ends; NULL none */
	const char *file;   /* NULL any */
	uint64_t line;
	bool function;      /* its scope; else a line */
};

/* A place in a region's code, and how well it matches. */
struct place {
	enum { NOWHERE, ANYWHERE, INLINED, OWN } fit; /* OWN: not a copy inlined elsewhere */
	uint64_t off;
	struct frame frame;
	size_t depth;       /* depth of the frame, from the innermost one out */
};

static struct place fit_place(const struct wanted *w, uint64_t off, const struct frame *frame, size_t n)
{
	struct place p = { ANYWHERE, off, { 0 }, 0 };
	size_t k = w->function ? n - 1 : 0;

	if (n == 0)
		return p;
	if (!w->symbol && !w->file)
		p.fit = k + 1 == n ? OWN : INLINED;
	for (size_t i = 0; i < n && p.fit == ANYWHERE; i++) {
		if ((w->symbol && frame[i].function && same_function(w->symbol, frame[i].function)) ||
		    (w->file && frame[i].file && frame[i].line == w->line && !strcmp(frame[i].file, w->file))) {
			k = i;
			p.fit = i + 1 == n ? OWN : INLINED;
		}
	}
	p.frame = frame[k];
	p.depth = k;
	return p;
}

/* Other names of the code: identical functions that were folded into one. */
static void add_aliases(struct resolve *r, struct buf *out, struct record *rec, struct image *img, uint64_t off,
			const char *function)
{
	const char *symbol[ALIASES_MAX];
	struct map seen = MAP_INIT;
	struct buf list = BUF_INIT;
	size_t n = image_aliases(img, off, symbol, ALIASES_MAX);

	*map_at(&seen, function) = r;
	for (size_t i = 0; i < n && i < ALIASES_MAX; i++) {
		const char *plain = names_of(&r->functions, symbol[i])->plain;
		void **place = map_at(&seen, plain);

		if (*place)
			continue; /* C1 and C2 are one constructor to people */
		*place = r;
		if (list.len > 0)
			buf_addc(&list, ',');
		value_list_add(&list, plain, ",");
	}
	if (list.len > 0)
		add_str(out, rec, "also", list.s);
	buf_release(&list);
	map_release(&seen);
}

static void name_region(struct resolve *r, struct record *rec, struct buf *out, struct image *img, const struct place *p,
			const struct wanted *want)
{
	const char *symbol = want->path ? want->path : want->symbol ? want->symbol : p->frame.function;
	char *function = want->path ? xstrdup(symbol) : image_demangle(symbol);

	add_str(out, rec, "function", function);
	add_str(out, rec, "symbol", symbol);
	add_line(r, out, rec, &p->frame);
	/* If the function's name is not found, the debug information has another name for it. */
	if (img && !want->path && (p->fit == OWN || (want->function && p->fit == ANYWHERE)))
		add_aliases(r, out, rec, img, p->off, function);
	free(function);
}

/*
 * Adds the fingerprints of the region.  If a file or line in the record differs from the
 * place, it is of another file.
 */
static void add_fingerprints(struct resolve *r, struct record *rec, struct buf *out, const struct module *mod, struct image *img,
			     const struct place *p, const struct wanted *want)
{
	struct fingerprint_place at = { .line = want->function ? 0 : p->frame.line };
	char *file, *module;

	if (!img || want->path || !p->frame.file || !p->frame.line || (want->file && strcmp(want->file, p->frame.file) != 0) ||
	    (want->line && want->line != p->frame.line && !want->function))
		return;
	at.file = file = modules_local_path(&r->modules, p->frame.file);
	at.module = module = modules_local_path(&r->modules, mod->path);
	at.function_line = image_function_line(img, p->off, p->depth);
	fingerprint_add(&r->fingerprints, &at, rec, out);
	free(file);
	free(module);
}

/* The place in a region's ranges that matches it best; NOWHERE, after a message, when the ranges are invalid. */
static struct place best_place(const struct record *rec, const char *ranges, const struct wanted *want, struct image *img)
{
	struct frame frame[FRAMES_MAX];
	struct place best = { 0 };
	struct range range;

	for (const char *s = ranges; *s || best.fit == NOWHERE;) {
		struct place p;
		size_t n;

		if (!next_range(&s, &range)) {
			msg_error_at(rec->path, rec->line, "bad ranges '%s'", ranges);
			return (struct place){ 0 };
		}
		if (best.fit == OWN)
			continue;
		n = img ? image_frames(img, range.lo, frame, FRAMES_MAX) : 0;
		p = fit_place(want, range.lo, frame, n < FRAMES_MAX ? n : FRAMES_MAX);
		if (p.fit > best.fit)
			best = p;
	}
	return best;
}

static bool resolve_region(struct resolve *r, struct record *rec, struct module *mod, struct buf *out)
{
	const char *scope = record_get(rec, "scope");
	struct wanted want = { .symbol = record_get(rec, "symbol"), .file = record_get(rec, "file"), .line = record_get_u64(rec, "line"), .function = scope && !strcmp(scope, "function") };
	bool named = record_get(rec, "function"); /* it was resolved before: the present file may be another one */
	struct image *img;
	struct place p;

	if (want.symbol && strchr(want.symbol, ';')) {
		want.path = want.symbol;
		want.symbol = record_get(rec, "leaf");
	}
	if (!record_need(rec, "ranges"))
		return false;
	img = named ? NULL : modules_image(&r->modules, mod);
	p = best_place(rec, record_get(rec, "ranges"), &want, img);
	if (p.fit == NOWHERE || named)
		return named && p.fit != NOWHERE;
	if (want.path || want.symbol || p.frame.function)
		name_region(r, rec, out, img, &p, &want);
	else
		add_offset(out, rec, mod, p.off);
	add_fingerprints(r, rec, out, mod, img, &p, &want);
	return true;
}

/* ---- records -------------------------------------------------------------- */

static bool has_code(const struct record *rec)
{
	return !strcmp(rec->type, AW_SAMPLE) || !strcmp(rec->type, AW_REGION) || !strcmp(rec->type, AW_PLACE) ||
	       !strcmp(rec->type, AW_CALL);
}

bool resolve_is_ready(struct resolve *r, struct record *rec)
{
	return rec->bad || !has_code(rec) || !record_get(rec, "module") || modules_find(&r->modules, record_get_u64(rec, "module"));
}

/* ":io" is its own name; it has no code. */
static bool resolve_class(struct record *rec, struct buf *out)
{
	if (!record_need(rec, "symbol"))
		return false;
	add_str(out, rec, "function", record_get(rec, "symbol"));
	return true;
}

static bool add_names(struct resolve *r, struct record *rec, struct buf *out)
{
	struct module *mod;
	uint64_t id;

	if (!strcmp(rec->type, AW_REGION) && region_is_class(record_get(rec, "scope")))
		return resolve_class(rec, out);
	if (!record_need(rec, "module"))
		return false;
	id = record_get_u64(rec, "module");
	mod = modules_find(&r->modules, id);
	if (!mod) {
		msg_error_at(rec->path, rec->line, "no 'module' record with id %" PRIu64, id);
		return false;
	}
	return !strcmp(rec->type, AW_REGION) ? resolve_region(r, rec, mod, out) : resolve_address(r, rec, mod, out);
}

bool resolve_record(struct resolve *r, struct record *rec, struct buf *out)
{
	bool ok = true;

	record_copy(out, rec);
	if (rec->bad) {
		ok = false;
	} else if (!strcmp(rec->type, AW_HEADER)) {
		modules_forget_ids(&r->modules);
		add_str(out, rec, "resolved", "1");
	} else if (!strcmp(rec->type, AW_MODULE)) {
		ok = modules_add(&r->modules, rec);
	} else if (has_code(rec)) {
		ok = add_names(r, rec, out);
	}
	record_end(out);
	return ok;
}
