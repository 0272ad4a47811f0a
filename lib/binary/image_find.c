/*
 * The searches of image.h: from a line or a name to code.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "binary/image.h"
#include "binary/image_parts.h"

/* ---- lines ---------------------------------------------------------------- */

/*
 * Caches the scope's answers by interned path, so that it is asked once for each file of a
 * unit, not for each span.
 */
struct verdicts {
	image_scope *scope;
	void *arg;
	struct verdict {
		const char *file;
		bool in;
	} *slot;
	size_t n, nslots; /* nslots is a power of two */
};

static struct verdict *verdict_slot(struct verdicts *v, const char *file)
{
	size_t i = ((uintptr_t)file >> 4) * 0x9e3779b97f4a7c15u >> 20;

	for (;; i++) {
		struct verdict *s = &v->slot[i & (v->nslots - 1)];

		if (!s->file || s->file == file)
			return s;
	}
}

static void widen_verdicts(struct verdicts *v)
{
	struct verdict *old = v->slot;
	size_t nold = v->nslots;

	v->nslots = nold ? 2 * nold : 64;
	v->slot = xcalloc(v->nslots, sizeof *v->slot);
	for (size_t i = 0; i < nold; i++)
		if (old[i].file)
			*verdict_slot(v, old[i].file) = old[i];
	free(old);
}

static bool in_scope(const char *file, void *arg)
{
	struct verdicts *v = arg;
	struct verdict *s;

	if (2 * v->n >= v->nslots)
		widen_verdicts(v);
	s = verdict_slot(v, file);
	if (!s->file) {
		s->file = file;
		s->in = v->scope(file, v->arg);
		v->n++;
	}
	return s->in;
}

struct ranges {
	struct range *v;
	size_t n, cap;
};

static void add_range(struct ranges *r, uint64_t lo, uint64_t hi)
{
	r->v = xgrow(r->v, r->n, &r->cap, sizeof *r->v);
	r->v[r->n++] = (struct range){ lo, hi };
}

size_t image_line_ranges(struct image *img, uint64_t off, const char *file, unsigned line, image_scope *scope, void *arg,
			 struct range **out)
{
	struct verdicts verdicts = { .scope = scope, .arg = arg };
	struct unit *u = image_unit_at(img, off);
	struct ranges r = { 0 };
	const char *at, *same = map_get(&img->files, file);
	unsigned at_line;
	uint32_t node;

	/* Paths are interned, so that equal means identical. */
	for (size_t i = 0; same && u && i + 1 < u->n; i++)
		if (image_charge(img, u, &u->span[i], in_scope, &verdicts, &at, &at_line, &node) && at == same && at_line == line)
			add_range(&r, u->span[i].lo, u->span[i + 1].lo);
	free(verdicts.slot);
	*out = r.v;
	return ranges_merge(r.v, r.n);
}

/* Adds the parts of [lo, hi) that are within. */
static void add_within(struct ranges *r, const struct range *within, size_t n, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t from = lo > within[i].lo ? lo : within[i].lo, to = hi < within[i].hi ? hi : within[i].hi;

		if (from < to)
			add_range(r, from, to);
	}
}

size_t image_uncharged_ranges(struct image *img, uint64_t off, const struct range *within, size_t n, image_scope *scope, void *arg,
			      struct range **out)
{
	struct verdicts verdicts = { .scope = scope, .arg = arg };
	struct unit *u = image_unit_at(img, off);
	struct ranges r = { 0 };
	const char *file;
	unsigned line;
	uint32_t node;

	for (size_t i = 0; !u && i < n; i++)
		if (off >= within[i].lo && off < within[i].hi)
			add_range(&r, within[i].lo, within[i].hi);
	for (size_t i = 0; u && i + 1 < u->n; i++)
		if (!image_charge(img, u, &u->span[i], in_scope, &verdicts, &file, &line, &node))
			add_within(&r, within, n, u->span[i].lo, u->span[i + 1].lo);
	free(verdicts.slot);
	*out = r.v;
	return ranges_merge(r.v, r.n);
}

static bool is_tail(const char *path, const char *tail)
{
	size_t len = strlen(path), n = strlen(tail);

	return n > 0 && n <= len && !strcmp(path + len - n, tail) && (n == len || path[len - n - 1] == '/' || tail[0] == '/');
}

/* The first code of each matching file in one unit: several may match, such as a/x.h and b/x.h. */
static size_t find_line_in(struct image *img, struct unit *u, const char *file, unsigned line, struct verdicts *verdicts,
			   image_found *fn, void *arg)
{
	const char *at, **seen = NULL;
	size_t nseen = 0, cap = 0;
	unsigned at_line;
	uint32_t node;

	for (size_t i = 0; i + 1 < u->n; i++) {
		size_t k = 0;

		if (!image_charge(img, u, &u->span[i], in_scope, verdicts, &at, &at_line, &node) || at_line != line || !is_tail(at, file))
			continue;
		while (k < nseen && seen[k] != at)
			k++;
		if (k == nseen) {
			struct frame frame = image_frame(img, u, node, at, line, u->span[i].lo);

			seen = xgrow(seen, nseen, &cap, sizeof *seen);
			seen[nseen++] = at;
			fn(arg, u->span[i].lo, &frame);
		}
	}
	free(seen);
	return nseen;
}

size_t image_find_line(struct image *img, const char *file, unsigned line, image_scope *scope, void *scope_arg, image_found *fn,
		       void *arg)
{
	struct verdicts verdicts = { .scope = scope, .arg = scope_arg };
	size_t found = 0;

	image_index(img);
	for (size_t i = 0; i < img->nunits; i++)
		if (unit_mentions(&img->unit[i].die, file))
			found += find_line_in(img, image_unit(img, i), file, line, &verdicts, fn, arg);
	free(verdicts.slot);
	return found;
}

struct nearest {
	unsigned line;
	unsigned before, after; /* 0: none */
};

static void look_near(struct image *img, struct unit *u, const char *file, struct verdicts *verdicts, struct nearest *n)
{
	const char *at;
	unsigned line;
	uint32_t node;

	for (size_t i = 0; i + 1 < u->n; i++) {
		if (!image_charge(img, u, &u->span[i], in_scope, verdicts, &at, &line, &node) || line == 0 || !is_tail(at, file))
			continue;
		if (line < n->line && line > n->before)
			n->before = line;
		if (line >= n->line && (n->after == 0 || line < n->after))
			n->after = line;
	}
}

unsigned image_nearest_line(struct image *img, const char *file, unsigned line, image_scope *scope, void *arg)
{
	struct verdicts verdicts = { .scope = scope, .arg = arg };
	struct nearest n = { .line = line };

	image_index(img);
	for (size_t i = 0; i < img->nunits; i++)
		if (unit_mentions(&img->unit[i].die, file))
			look_near(img, image_unit(img, i), file, &verdicts, &n);
	free(verdicts.slot);
	return n.after ? n.after : n.before;
}

/* ---- functions ------------------------------------------------------------ */

enum { INLINE_DEPTH = 32 };

struct wanted {
	const char *name;
	size_t base; /* symbol_base(name) */
};

static bool same_base(const struct wanted *w, const char *name)
{
	return !strncmp(w->name, name, w->base) && (!name[w->base] || (name[w->base] == '.' && symbol_base(name) == w->base));
}

/*
 * One constructor or destructor in the source has several linkage names (C1,
 * C2, C4; D0 to D4) and its inlined copies bear another one than its symbols.
 */
static bool same_function(const struct wanted *w, const char *b)
{
	const char *a = w->name, *p = a, *q = b;
	char *x, *y;
	bool same;

	if (same_base(w, b))
		return true;
	if (strncmp(a, "_Z", 2) != 0)
		return false;
	for (; *p && *q && (*p == *q || (p > a && (p[-1] == 'C' || p[-1] == 'D') && strchr("012345", *p) && strchr("012345", *q)));
	     p++, q++)
		;
	if ((*p && *p != '.') || (*q && *q != '.'))
		return false;
	x = image_demangle(a);
	y = image_demangle(b);
	same = !strcmp(x, y);
	free(x);
	free(y);
	return same;
}

size_t image_function_ranges(struct image *img, const char *function, struct range **out)
{
	const struct wanted w = { function, symbol_base(function) };
	const struct symbol_key *alike;
	struct ranges r = { 0 };
	size_t n;

	alike = symbols_alike(&img->symbols, function, &n);
	for (size_t i = 0; i < n; i++) {
		const struct symbol *s = &img->symbols.v[alike[i].i];

		if (same_function(&w, s->name))
			add_range(&r, s->lo, s->hi);
	}
	image_index(img);
	for (size_t i = 0; i < img->nunits; i++) {
		struct unit *u = image_unit(img, i);

		for (size_t k = 0; k < u->nparts; k++) {
			const char *name = image_node_name(img, u, u->part_node[k]);

			if (name && same_function(&w, name))
				add_range(&r, u->part[k].lo, u->part[k].hi);
		}
	}
	*out = r.v;
	return ranges_merge(r.v, r.n);
}

struct search {
	struct image *img;
	struct called_name name;
	image_called *fn;
	void *arg;
	struct map known; /* base names that were looked at; a missing entry is NULL, others are (char *)"" */
	size_t found;
};

/* The frame of `function` itself at its code `off`, below functions that were inlined there. */
static struct frame own_frame(struct image *img, uint64_t off, const char *function)
{
	struct frame at[INLINE_DEPTH];
	size_t n = image_frames(img, off, at, INLINE_DEPTH);

	n = n < INLINE_DEPTH ? n : INLINE_DEPTH;
	for (size_t i = 0; i < n; i++)
		if (text_same(at[i].function, function))
			return at[i];
	return n ? at[n - 1] : (struct frame){ 0 };
}

/*
 * Reports the function once, by its own name without .cold and the like.  A source name
 * may belong to a function that is `nested` in a scope that is not known.
 */
static void consider(struct search *s, const char *name, uint64_t off, bool nested)
{
	char *base = xstrndup(name, symbol_base(name));
	void **place = map_at(&s->known, base);
	enum called how;
	struct frame at;

	if (!*place) {
		*place = s;
		how = called_so(&s->name, base);
		if (how == CALLED_FULL && nested && strncmp(base, "_Z", 2) != 0 && strncmp(base, "_R", 2) != 0)
			how = CALLED_PART;
		if (how != CALLED_NOT) {
			at = own_frame(s->img, off, base);
			at.function = s->known.entry[s->known.n - 1].key;
			s->fn(s->arg, off, &at, how);
			s->found++;
		}
	}
	free(base);
}

size_t image_find_functions(struct image *img, const char *pattern, image_called *fn, void *arg)
{
	struct search s = { .img = img, .fn = fn, .arg = arg };

	called_init(&s.name, pattern);
	/* Whole functions first, then their parts: of f and f.cold, f is where it starts. */
	for (size_t i = 0; i < img->symbols.n; i++)
		if (!img->symbols.v[i].name[symbol_base(img->symbols.v[i].name)])
			consider(&s, img->symbols.v[i].name, img->symbols.v[i].lo, false);
	for (size_t i = 0; i < img->symbols.n; i++)
		consider(&s, img->symbols.v[i].name, img->symbols.v[i].lo, false);
	image_index(img);
	for (size_t i = 0; i < img->nunits; i++) {
		struct unit *u = image_unit(img, i);
		bool nested = !unit_is_c(&img->unit[i].die);

		for (size_t k = 0; k < u->nparts; k++) {
			const char *name = image_node_name(img, u, u->part_node[k]);

			if (name)
				consider(&s, name, u->part[k].lo, nested);
		}
	}
	map_release(&s.known);
	called_release(&s.name);
	return s.found;
}
