/*
 * naming: regions and places by name (-r, -P).
 *
 * A name is looked for in the program's own modules first, and in libraries of the
 * system only if it is in none of those.  So in a program with a function called
 * `read`, or even `mpsc::read`, the name means that one.  Functions that came with the
 * compiler, such as std::io::Read::read of Rust, do not count for this.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/text.h"
#include "regions/regions_parts.h"

/* A place in code that has the name. */
struct candidate {
	struct mapping *mod;
	uint64_t off;
	uint64_t semaphore; /* for a probe: see struct probe */
	struct frame at; /* the image's */
	char *function;  /* at.function; owned */
	enum naming how;
	bool ramp;       /* only the begin of another candidate */
};

static void drop_candidate(struct candidate *c)
{
	free(c->function);
}

static uint64_t place_of(const struct candidate *c)
{
	return arena_place(c->mod->id, c->off);
}

struct search {
	struct regions *r;
	const char *library; /* only modules of this name: library[0..len); len 0: all */
	size_t len;
	struct mapping *mod; /* the module that is searched */
	bool lines;          /* FILE:LINE */
	bool glob;           /* a pattern of functions: it does not match excluded functions */
	bool places;         /* for progress points: names of probes are looked up, too */
	bool probes;         /* PROVIDER:PROBE */
	struct candidate *v; /* owned; v[0..n) */
	size_t n, cap;
	enum naming best;
};

static void add_found(struct search *s, uint64_t off, const struct frame *at, enum naming how)
{
	struct candidate *c;

	s->v = xgrow(s->v, s->n, &s->cap, sizeof *s->v);
	c = &s->v[s->n++];
	*c = (struct candidate){ .mod = s->mod, .off = off, .at = *at, .how = how };
	c->at.function = c->function = at->function ? xstrdup(at->function) : NULL;
	s->best = how > s->best ? how : s->best;
}

/* Is it a legacy name of Rust?  Those are like names of C++, with a hash at the end: 17h0123456789abcdefE. */
static bool is_rust(const char *function)
{
	size_t len = strlen(function);

	return strncmp(function, "_R", 2) == 0 || (len > 20 && strncmp(function + len - 20, "17h", 3) == 0 && function[len - 1] == 'E');
}

static bool begins_with_one_of(const char *path, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (text_begins(path, *prefixes))
			return true;
	return false;
}

/* Did the function come with the compiler?  Without debug information, its name must tell. */
static bool is_from_outside(struct mapping *mod, const struct frame *at)
{
	static const char *const cxx[] = { "std::", "__gnu_cxx::", NULL };
	/* Rust's library, and its dependencies. */
	static const char *const rust[] = { "std::", "core::", "alloc::", "hashbrown::", "gimli::", "addr2line::", "object::",
					    "miniz_oxide::", "adler2::", "memchr::", "rustc_demangle::", "std_detect::",
					    "compiler_builtins::", "panic_unwind::", "unwind::", "__rustc::", NULL };
	char *path;
	bool yes;

	if (at->file)
		return !mapping_file_in_scope(at->file, mod);
	path = called_path(at->function);
	yes = begins_with_one_of(path, is_rust(at->function) ? rust : cxx);
	free(path);
	return yes;
}

static void found_function(void *arg, uint64_t off, const struct frame *at, enum called how)
{
	struct search *s = arg;

	if (s->glob && mapping_is_excluded(s->mod, at->function, at->file))
		return;
	if (how == CALLED_FULL)
		add_found(s, off, at, s->mod->own ? NAMED_FULL : NAMED_LIBRARY);
	else if (how == CALLED_INSIDE && (s->places || !s->mod->own || is_from_outside(s->mod, at)))
		return; /* to be gone on with is not to be called */
	else if (how == CALLED_INSIDE)
		add_found(s, off, at, NAMED_INSIDE);
	else if (!s->mod->own)
		add_found(s, off, at, NAMED_ELSEWHERE);
	else
		add_found(s, off, at, is_from_outside(s->mod, at) ? NAMED_OUTSIDE : NAMED_PART);
}

static void found_line(void *arg, uint64_t off, const struct frame *at)
{
	struct search *s = arg;

	add_found(s, off, at, s->mod->own ? NAMED_FULL : NAMED_LIBRARY);
}

static void found_probe(void *arg, const struct probe *probe)
{
	struct search *s = arg;
	struct frame at = { 0 };

	add_found(s, probe->off, &at, s->mod->own ? NAMED_FULL : NAMED_LIBRARY);
	s->v[s->n - 1].semaphore = probe->semaphore;
}

static bool is_new(struct mapping *mod)
{
	return mod->mapped && !mod->searched && !mapping_is_runtime(mod) && mapping_image(mod);
}

/* Finds all code that has the name, in modules that have not been searched yet. */
static void look_in(struct search *s, const char *name, bool own)
{
	const char *colon = strrchr(name, ':');
	struct mappings *all = s->r->modules;
	uint64_t line;

	s->lines = colon && num_u64(colon + 1, &line);
	s->glob = strpbrk(name, "*?[");
	s->probes = s->places && image_is_probe_name(name);
	for (size_t i = 0; i < all->n; i++) {
		struct mapping *mod = &all->v[i];

		if (mod->own != own || !is_new(mod) || (s->len && !library_is_called(mod->path, s->library, s->len)))
			continue;
		s->mod = mod;
		if (s->lines) {
			char *file = xstrndup(name, (size_t)(colon - name));

			image_find_line(mod->image, file, (unsigned)line, mapping_file_in_scope, mod, found_line, s);
			free(file);
		} else if (s->probes) {
			image_find_probes(mod->image, name, found_probe, s);
		} else {
			image_find_functions(mod->image, name, found_function, s);
		}
	}
}

/*
 * Is this function only the start of a coroutine?  g++ (to 14 at the least) makes two functions of a coroutine: the one that
 * is called allocates the frame, and NAME(...NAME...Frame*) [clone .actor] does all the rest.
 */
static bool is_ramp(const struct search *s, const struct candidate *c)
{
	char *path = called_path(c->function);
	bool yes = false;

	for (size_t i = 0; i < s->n && !yes; i++) {
		const char *frame = s->v[i].mod == c->mod && s->v[i].function ? strstr(s->v[i].function, ".Frame") : NULL;
		char *other = frame && !strstr(c->function, ".Frame") ? called_path(s->v[i].function) : NULL;

		yes = other && strcmp(called_last(other), called_last(path)) == 0;
		free(other);
	}
	free(path);
	return yes;
}

static void drop_ramps(struct search *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		s->v[i].ramp = s->v[i].function && is_ramp(s, &s->v[i]);
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].ramp)
			drop_candidate(&s->v[i]);
		else
			s->v[n++] = s->v[i];
	}
	s->n = n;
}

/* Keeps only the best matches; none, if they are worse than the known ones. */
static void look_up(struct search *s, const char *name, enum naming known)
{
	size_t n = 0;

	look_in(s, name, true);
	if (!s->places && !s->glob && !s->lines)
		drop_ramps(s);
	if (s->best < NAMED_INSIDE && known == NAMED_NOWHERE)
		look_in(s, name, false);
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].how == s->best && s->best >= known)
			s->v[n++] = s->v[i];
		else
			drop_candidate(&s->v[i]);
	}
	s->n = n;
}

static void search_release(struct search *s)
{
	for (size_t i = 0; i < s->n; i++)
		drop_candidate(&s->v[i]);
	free(s->v);
}

enum { LISTED = 6 };

/* Reports, once, the functions that an ambiguous name stands for. */
static void announce(struct regions *r, const char *option, const char *name, const struct search *s, const char *meaning)
{
	struct buf text = BUF_INIT;
	void **said;

	if (s->n < 2 || s->lines || s->probes || strpbrk(name, "*?["))
		return;
	buf_addf(&text, "'%s %s' is %zu functions: ", option, name, s->n);
	for (size_t i = 0; i < s->n && i < LISTED; i++) {
		char *plain = image_demangle(s->v[i].at.function);

		buf_addf(&text, "%s%.200s", i ? ", " : "", plain);
		free(plain);
	}
	if (s->n > LISTED)
		buf_addf(&text, " and %zu more", s->n - LISTED);
	buf_addf(&text, ": %s", meaning);
	said = map_at(&r->said, text.s);
	if (!*said)
		msg_warn("%s", text.s);
	*said = r;
	buf_release(&text);
}

/* ---- classes ----------------------------------------------------------------------------- */

/* The class of ":io" and the like; CLASS_CPU: no such class. */
static enum arena_class class_called(const char *name)
{
	static const struct {
		const char *name;
		enum arena_class class;
	} classes[] = { { ":lock", CLASS_LOCK }, { ":io", CLASS_IO }, { ":sleep", CLASS_SLEEP }, { ":runqueue", CLASS_RUNQUEUE } };

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strcmp(name, classes[i].name) == 0)
			return classes[i].class;
	return CLASS_CPU;
}

/*
 * Functions that allocate and free memory, by their names in the standards of C and C++
 * and in Rust's compiler.  They are found in all modules, whatever implements them
 * (libc, jemalloc, tcmalloc, the program itself).
 */
static const char *const allocators[] = {
	"malloc", "free", "calloc", "realloc", "reallocarray", "memalign", "posix_memalign", "aligned_alloc", "valloc", "pvalloc",
	"cfree", "free_sized", "free_aligned_sized",
	/* operator new, new[]; plain, nothrow, aligned, both */
	"_Znwm", "_ZnwmRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnwmSt11align_val_tRKSt9nothrow_t",
	"_Znam", "_ZnamRKSt9nothrow_t", "_ZnamSt11align_val_t", "_ZnamSt11align_val_tRKSt9nothrow_t",
	/* operator delete, delete[]; plain, sized, nothrow, aligned, both */
	"_ZdlPv", "_ZdlPvm", "_ZdlPvRKSt9nothrow_t", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t",
	"_ZdlPvSt11align_val_tRKSt9nothrow_t",
	"_ZdaPv", "_ZdaPvm", "_ZdaPvRKSt9nothrow_t", "_ZdaPvSt11align_val_t", "_ZdaPvmSt11align_val_t",
	"_ZdaPvSt11align_val_tRKSt9nothrow_t",
	"__rust_alloc", "__rust_alloc_zeroed", "__rust_realloc", "__rust_dealloc",
};

/* Internal functions of allocators to which those jump, for allocators that are linked into the program. */
static const char *const allocator_parts[] = { "je_*", "_rjem_*", "mi_*", "_mi_*", "tcmalloc::*" };

static bool defines(struct mapping *mod, const char *function)
{
	struct range *ranges;
	size_t n = image_function_ranges(mod->image, function, &ranges);

	free(ranges);
	return n > 0;
}

/* Is it a library that only allocates?  (libc, and libraries that replace parts of it, also copy memory.) */
static bool is_allocator(struct mapping *mod)
{
	return !mod->own && defines(mod, "malloc") && defines(mod, "free") && !defines(mod, "memcpy") && !defines(mod, "strlen") &&
	       !defines(mod, "memset");
}

/* The code of a class can be in several modules. */
static size_t add_code(struct region *g, struct mapping *mod, const char *function)
{
	struct range *places;
	size_t n = regions_places(mod, function, &places);

	regions_widen(g, places, n);
	free(places);
	return n;
}

struct parts {
	struct region *region;
	struct mapping *mod;
};

static void found_part(void *arg, uint64_t off, const struct frame *at, enum called how)
{
	struct parts *p = arg;

	(void)off;
	if (how == CALLED_FULL)
		add_code(p->region, p->mod, at->function);
}

static size_t add_allocator(struct region *g, struct mapping *mod)
{
	struct range whole = { arena_place(mod->id, 0), arena_place(mod->id + 1, 0) };
	struct parts parts = { g, mod };
	size_t found = 0;

	/* Its functions use tail calls, so that some of its work has none of these names on the stack. */
	if (is_allocator(mod)) {
		regions_widen(g, &whole, 1);
		return 1;
	}
	for (size_t k = 0; k < sizeof(allocators) / sizeof(allocators[0]); k++)
		found += add_code(g, mod, allocators[k]);
	if (mod->own && (defines(mod, "malloc") || defines(mod, "_rjem_malloc") || defines(mod, "mi_malloc")))
		for (size_t k = 0; k < sizeof(allocator_parts) / sizeof(allocator_parts[0]); k++)
			image_find_functions(mod->image, allocator_parts[k], found_part, &parts);
	return found;
}

static size_t name_allocators(struct regions *r)
{
	struct region *g = regions_class(r, ":alloc", CLASS_CPU);
	size_t found = 0;

	for (size_t i = 0; i < r->modules->n; i++)
		if (is_new(&r->modules->v[i]))
			found += add_allocator(g, &r->modules->v[i]);
	if (found)
		regions_ask(r, g);
	return found;
}

/* ---- regions and places -------------------------------------------------------------------- */

static bool same_code(const struct region *a, const struct region *b)
{
	return a->module == b->module && a->nranges == b->nranges && memcmp(a->ranges, b->ranges, a->nranges * sizeof(*a->ranges)) == 0;
}

/* Makes regions of the matches.  If the same code has several names (as constructors have), one is kept. */
static void ask_for(struct search *s)
{
	struct region **asked = xcalloc(s->n + 1, sizeof(*asked));
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct candidate *c = &s->v[i];
		bool known = false;

		asked[n] = s->lines ? regions_line(s->r, c->mod, c->off, &c->at) : regions_function(s->r, c->mod, &c->at);
		for (size_t k = 0; k < n && !known; k++)
			known = same_code(asked[k], asked[n]);
		if (known || asked[n]->nranges == 0) {
			drop_candidate(c);
			continue;
		}
		regions_ask(s->r, asked[n]);
		s->v[n++] = *c;
	}
	s->n = n;
	free(asked);
}

size_t regions_called(struct regions *r, const char *name, enum naming *known, struct region ***out)
{
	struct search s = { .r = r };
	size_t n = 0;

	look_up(&s, name, *known);
	*out = xcalloc(s.n + 1, sizeof(**out));
	for (size_t i = 0; i < s.n; i++) {
		struct candidate *c = &s.v[i];
		struct region *g = s.lines ? regions_line(r, c->mod, c->off, &c->at) : regions_function(r, c->mod, &c->at);

		if (g->nranges > 0)
			(*out)[n++] = g;
	}
	if (n > 0)
		*known = s.best;
	search_release(&s);
	return n;
}

enum naming regions_name_code(struct regions *r, const char *name, enum naming known)
{
	struct search s = { .r = r };

	if (class_called(name) != CLASS_CPU) {
		regions_ask(r, regions_class(r, name, class_called(name)));
		return NAMED_FULL;
	}
	if (strcmp(name, ":alloc") == 0)
		return name_allocators(r) || known ? NAMED_FULL : NAMED_NOWHERE;
	look_up(&s, name, known);
	ask_for(&s);
	announce(r, r->giving ? "--given" : "-r", name, &s, r->giving ? "each is made faster" : "each is a region of its own");
	if (s.n > 0)
		known = s.best;
	search_release(&s);
	return known;
}

/* A line may have code in several places; its lowest address is taken as its begin. */
static void keep_first(struct search *s)
{
	size_t first = 0;

	for (size_t i = 1; i < s->n; i++)
		if (place_of(&s->v[i]) < place_of(&s->v[first]))
			first = i;
	for (size_t i = 0; i < s->n; i++)
		if (i != first)
			drop_candidate(&s->v[i]);
	if (s->n > 0)
		s->v[0] = s->v[first];
	s->n = s->n > 0;
}

/* Two names for one place are one. */
static void keep_different(struct search *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		bool known = false;

		for (size_t k = 0; k < n && !known; k++)
			known = place_of(&s->v[k]) == place_of(&s->v[i]);
		if (known)
			drop_candidate(&s->v[i]);
		else
			s->v[n++] = s->v[i];
	}
	s->n = n;
}

size_t regions_library(const char *name)
{
	/* Not in operator!=, nor behind a type. */
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-");

	return name[len] == '!' && name[len + 1] && (len != 8 || strncmp(name, "operator", 8) != 0) ? len : 0;
}

size_t regions_locate(struct regions *r, const char *name, struct spot *spot, size_t max)
{
	struct search s = { .r = r, .library = name, .len = regions_library(name), .places = true };
	size_t n;

	if (s.len)
		name += s.len + 1;
	look_up(&s, name, NAMED_NOWHERE);
	if (s.lines)
		keep_first(&s);
	else
		keep_different(&s);
	n = s.n;
	for (size_t i = 0; i < n && i < max; i++)
		spot[i] = (struct spot){ .place = place_of(&s.v[i]),
					 .semaphore = s.v[i].semaphore ? arena_place(s.v[i].mod->id, s.v[i].semaphore) : 0 };
	announce(r, "-P", name, &s, n > max ? "name one" : "a call of any is a visit");
	search_release(&s);
	return n;
}
