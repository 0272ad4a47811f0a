/*
 * What an address means is looked up once and kept (struct place): a run takes
 * many samples of few addresses.  A line's ranges are those of the compile units
 * that samples were seen in; copies elsewhere that no sample hits take no time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "binary/calls.h"
#include "recorder/regions_parts.h"

enum { PLACE_REGIONS = 8, INLINE_DEPTH = 32 };

struct place {
	uint64_t off;
	unsigned module;          /* id; 0: free slot */
	uint64_t leaf[CLASSES];   /* samples whose innermost frame this is, in this run; while waiting, in periods */
	unsigned n;               /* regions that this address is charged to */
	struct region *region[PLACE_REGIONS];
	unsigned asked;           /* regions->asked as the rest was found out */
	unsigned nwide;           /* functions and classes that were asked for, and hold this address */
	struct region *wide[PLACE_REGIONS];
};

void regions_init(struct regions *r, enum region_scope mode, struct mappings *modules)
{
	memset(r, 0, sizeof(*r));
	r->mode = mode;
	r->modules = modules;
}

void regions_release(struct regions *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i]->function);
		free(r->v[i]->file);
		free(r->v[i]->ranges);
		free(r->v[i]->calls);
		free(r->v[i]);
	}
	free(r->v);
	free(r->places);
	map_release(&r->by_name);
}

void regions_new_run(struct regions *r)
{
	r->samples = r->blocked = 0;
	for (size_t i = 0; i < r->n; i++) {
		r->v[i]->samples = r->v[i]->blocked = 0;
		r->v[i]->logged = false;
	}
	for (size_t i = 0; i < r->places_cap; i++)
		memset(r->places[i].leaf, 0, sizeof(r->places[i].leaf));
}

/* ---- making regions ------------------------------------------------------------- */

static int by_lo(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

void regions_widen(struct region *g, const struct range *more, size_t n)
{
	size_t out = 0;

	if (n == 0)
		return;
	g->ranges = xrealloc(g->ranges, g->nranges + n, sizeof(*g->ranges));
	memcpy(g->ranges + g->nranges, more, n * sizeof(*more));
	g->nranges += n;
	qsort(g->ranges, g->nranges, sizeof(*g->ranges), by_lo);
	for (size_t i = 0; i < g->nranges; i++) {
		if (out > 0 && g->ranges[i].lo <= g->ranges[out - 1].hi) {
			if (g->ranges[out - 1].hi < g->ranges[i].hi)
				g->ranges[out - 1].hi = g->ranges[i].hi;
		} else {
			g->ranges[out++] = g->ranges[i];
		}
	}
	g->nranges = out;
}

static bool covers(const struct region *g, uint64_t off)
{
	for (size_t i = 0; i < g->ncalls; i++)
		if (off == g->calls[i].lo)
			return true;
	for (size_t i = 0; i < g->nranges; i++)
		if (off >= g->ranges[i].lo && off < g->ranges[i].hi)
			return true;
	return false;
}

static struct region *make(struct regions *r, enum region_scope scope, const struct mapping *mod, const struct frame *at)
{
	char *key = scope == REGION_LINE ? xasprintf("%u:%s:%u", mod->id, at->file, at->line) :
					   xasprintf("%u:%s", mod->id, at->function);
	void **slot = map_at(&r->by_name, key);
	struct region *g = *slot;

	free(key);
	if (g)
		return g;
	g = *slot = xcalloc(1, sizeof(*g));
	g->scope = scope;
	g->module = mod->id;
	g->function = at->function ? xstrdup(at->function) : NULL;
	g->file = at->file ? xstrdup(at->file) : NULL;
	g->line = at->line;
	r->v = xgrow(r->v, r->n, &r->cap, sizeof(struct region *));
	r->v[r->n++] = g;
	g->id = (unsigned)r->n;
	return g;
}

struct region *regions_line(struct regions *r, struct mapping *mod, uint64_t off, const struct frame *at)
{
	struct region *g = make(r, REGION_LINE, mod, at);
	struct range *ranges;
	size_t n;

	if (!covers(g, off)) {
		n = image_line_ranges(mod->image, off, at->file, at->line, mapping_file_in_scope, NULL, &ranges);
		regions_widen(g, ranges, n);
		free(ranges);
	}
	return g;
}

struct region *regions_function(struct regions *r, struct mapping *mod, const struct frame *at)
{
	struct region *g = make(r, REGION_FUNCTION, mod, at);
	struct range *ranges;
	size_t n;

	if (g->nranges == 0) {
		n = image_function_ranges(mod->image, at->function, &ranges);
		regions_widen(g, ranges, n);
		free(ranges);
	}
	return g;
}

struct region *regions_class(struct regions *r, const char *name, enum arena_class class)
{
	static const struct mapping no_module = { 0 };
	struct frame at = { .function = name };
	struct region *g = make(r, REGION_CLASS, &no_module, &at);

	g->class = class;
	return g;
}

void regions_ask(struct regions *r, struct region *g)
{
	if (r->giving)
		g->given = true;
	else
		g->named = true;
	r->asked++;
}

/* ---- what an address means -------------------------------------------------------- */

static void charge_line(struct regions *r, struct mapping *mod, struct place *p)
{
	struct frame at;
	struct range *ranges;
	const char *symbol;
	size_t n;

	if (image_charge_line(mod->image, p->off, mapping_file_in_scope, NULL, &at)) {
		p->region[p->n++] = regions_line(r, mod, p->off, &at);
		return;
	}
	/* A function from outside the scope (an instance of a template): its caller is charged. */
	if (image_debug(mod->image) != IMAGE_DWARF || (symbol = image_symbol(mod->image, p->off)) == NULL)
		return;
	n = image_function_ranges(mod->image, symbol, &ranges);
	mapping_pass(mod, ranges, n);
	free(ranges);
	r->passed_more = true;
}

/* Everything is inside these: "all of it faster" is no finding. */
static bool is_root(const char *function)
{
	return strcmp(function, "main") == 0 || strcmp(function, "_start") == 0 || strncmp(function, "__libc_start", 12) == 0;
}

static void charge_functions(struct regions *r, struct mapping *mod, struct place *p)
{
	struct frame frames[INLINE_DEPTH];
	size_t n = image_frames(mod->image, p->off, frames, INLINE_DEPTH);
	struct frame symbol = { 0 };

	if (n == 0 && (symbol.function = image_symbol(mod->image, p->off)) != NULL) {
		frames[0] = symbol;
		n = 1;
	}
	for (size_t i = 0; i < n && i < INLINE_DEPTH && p->n < PLACE_REGIONS; i++) {
		struct region *g;

		if (!frames[i].function || is_root(frames[i].function) ||
		    (frames[i].file && !mapping_file_in_scope(frames[i].file, NULL)))
			continue;
		g = regions_function(r, mod, &frames[i]);
		if (g->nranges > 0 && (p->n == 0 || p->region[p->n - 1] != g))
			p->region[p->n++] = g;
	}
}

static struct place *slot_of(struct place *places, size_t cap, unsigned module, uint64_t off)
{
	size_t i = (off * 0x9e3779b97f4a7c15u >> 20 ^ module) & (cap - 1);

	while (places[i].module && (places[i].module != module || places[i].off != off))
		i = (i + 1) & (cap - 1);
	return &places[i];
}

static struct place *place_of(struct regions *r, struct mapping *mod, uint64_t off)
{
	struct place *p;

	if (r->nplaces * 2 >= r->places_cap) {
		size_t cap = r->places_cap ? r->places_cap * 2 : 1024;
		struct place *bigger = xcalloc(cap, sizeof(*bigger));

		for (size_t i = 0; i < r->places_cap; i++)
			if (r->places[i].module)
				*slot_of(bigger, cap, r->places[i].module, r->places[i].off) = r->places[i];
		free(r->places);
		r->places = bigger;
		r->places_cap = cap;
	}
	p = slot_of(r->places, r->places_cap, mod->id, off);
	if (p->module)
		return p;
	p->module = mod->id;
	p->off = off;
	r->nplaces++;
	if (!mod->own || !mapping_image(mod))
		return p;
	if (r->mode == REGION_LINE)
		charge_line(r, mod, p);
	else
		charge_functions(r, mod, p);
	return p;
}

/*
 * Samples of lines and functions that were found by sampling are charged by the
 * mode; functions and classes that were asked for, wherever their code is.
 */
static void find_wide(struct regions *r, struct place *p)
{
	uint64_t place = arena_place(p->module, p->off);

	if (p->asked == r->asked)
		return;
	p->asked = r->asked;
	p->nwide = 0;
	for (size_t i = 0; i < r->n && p->nwide < PLACE_REGIONS; i++) {
		struct region *g = r->v[i];

		if (!(g->named || g->given || g->has_calls) || g->scope == REGION_LINE)
			continue;
		if (g->scope == REGION_CLASS ? covers(g, place) : g->module == p->module && covers(g, p->off))
			p->wide[p->nwide++] = g;
	}
}

static void charge(struct regions *r, struct region *g, const struct arena_sample *s)
{
	if (g->stamp == r->taken)
		return;
	g->stamp = r->taken;
	if (s->class == CLASS_CPU) {
		g->samples += s->weight;
		g->all_samples += s->weight;
	} else {
		g->blocked += s->weight;
		g->all_blocked += s->weight;
	}
}

/*
 * Waiting for peers or for a processor is on nobody's account but that of its
 * class: faster code where the thread stands would not shorten it.
 */
void regions_sample(struct regions *r, const struct arena_sample *s)
{
	enum arena_class class = s->class < CLASSES ? (enum arena_class)s->class : CLASS_CPU;
	bool leaf = false;    /* what we stand in for belongs to where it was called from */
	bool decided = false; /* whose line it is */

	r->taken++;
	if (class == CLASS_CPU) {
		r->samples += s->weight;
		r->all_samples += s->weight;
	} else {
		r->blocked += s->weight;
		r->all_blocked += s->weight;
	}
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i]->scope == REGION_CLASS && class != CLASS_CPU && r->v[i]->class == class)
			charge(r, r->v[i], s);
	for (uint32_t i = 0; i < s->nframes && i < ARENA_FRAMES; i++) {
		struct mapping *mod = mapping_of(r->modules, (unsigned)(s->place[i] >> PLACE_MODULE_SHIFT));
		struct place *p;

		if (!mod)
			continue;
		p = place_of(r, mod, s->place[i] & ((1ull << PLACE_MODULE_SHIFT) - 1));
		if (!leaf && !mapping_is_runtime(mod)) {
			p->leaf[class] += s->weight;
			leaf = true;
		}
		if (class == CLASS_LOCK || class == CLASS_RUNQUEUE) {
			if (leaf)
				return;
			continue;
		}
		find_wide(r, p);
		for (unsigned k = 0; k < p->nwide; k++)
			charge(r, p->wide[k], s);
		for (unsigned k = 0; k < p->n && !decided; k++)
			charge(r, p->region[k], s);
		decided = r->mode == REGION_LINE && (decided || p->n > 0);
	}
}

/* ---- choosing -------------------------------------------------------------------------- */

/* Work and waits for the outside weigh alike: both pass time that could be less. */
static uint64_t taken(const struct region *g)
{
	return g->all_samples + g->all_blocked;
}

static int by_samples(const void *a, const void *b)
{
	const struct region *x = *(struct region *const *)a, *y = *(struct region *const *)b;

	if (taken(x) != taken(y))
		return taken(x) > taken(y) ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

/* By what they are: nothing that samples or time decide. */
static int by_name(const void *a, const void *b)
{
	const struct region *x = *(struct region *const *)a, *y = *(struct region *const *)b;
	int order = text_order(x->function, y->function);

	if (!order)
		order = text_order(x->file, y->file);
	if (!order && x->line != y->line)
		order = x->line < y->line ? -1 : 1;
	if (!order && x->class != y->class)
		order = x->class < y->class ? -1 : 1;
	return order ? order : by_samples(a, b);
}

/* A region that is sped up must be found on stacks where a tail call has taken it off. */
static void find_calls(struct regions *r, struct region *g)
{
	struct mapping *mod = mapping_of(r->modules, g->module);

	if (g->scope != REGION_FUNCTION || g->has_calls || !mod || !mapping_image(mod))
		return;
	g->has_calls = true;
	g->ncalls = calls_find(mod->image, g->function, g->ranges, g->nranges, &g->calls);
	r->asked++;
}

size_t regions_pick(struct regions *r, size_t max, double min_share, struct region **out)
{
	struct region **sorted = xcalloc(r->n + 1, sizeof(*sorted));
	bool named = r->only_named;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < r->n; i++)
		if (!r->v[i]->given && (r->v[i]->nranges > 0 || r->v[i]->class != CLASS_CPU) && (named ? r->v[i]->named : taken(r->v[i]) > 0))
			sorted[n++] = r->v[i];
	qsort(sorted, n, sizeof(*sorted), by_samples);
	for (size_t i = 0; i < n && kept < max; i++)
		if (named || (double)taken(sorted[i]) >= min_share * (double)(r->all_samples + r->all_blocked))
			out[kept++] = sorted[i];
	/* The schedule counts regions in this order: the same seed is to be the same experiments. */
	qsort(out, kept, sizeof(*out), by_name);
	for (size_t i = 0; i < kept; i++)
		find_calls(r, out[i]);
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i]->given)
			find_calls(r, r->v[i]);
	free(sorted);
	return kept;
}

static int by_place(const void *a, const void *b)
{
	const struct arena_range *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void add_target(const struct region *region, struct arena_target *target)
{
	uint32_t first = target->nranges;

	for (size_t i = 0; i < region->nranges + region->ncalls && target->nranges < ARENA_RANGES; i++) {
		struct range at = i < region->nranges ? region->ranges[i] : region->calls[i - region->nranges];

		/* A call within the region (recursion) is there already. */
		if (i >= region->nranges && arena_in_ranges(target->range + first, (uint32_t)region->nranges, arena_place(region->module, at.lo)))
			continue;
		if (region->scope != REGION_CLASS)
			at = (struct range){ arena_place(region->module, at.lo), arena_place(region->module, at.hi) };
		target->range[target->nranges++] = (struct arena_range){ at.lo, at.hi };
	}
}

/* Ranges of several regions may overlap, where one function was inlined into another. */
static void merge(struct arena_target *target)
{
	uint32_t n = 0;

	qsort(target->range, target->nranges, sizeof(target->range[0]), by_place);
	for (uint32_t i = 0; i < target->nranges; i++) {
		if (n > 0 && target->range[i].lo < target->range[n - 1].hi) {
			if (target->range[n - 1].hi < target->range[i].hi)
				target->range[n - 1].hi = target->range[i].hi;
		} else {
			target->range[n++] = target->range[i];
		}
	}
	target->nranges = n;
}

void regions_target(struct region *const *regions, size_t n, struct arena_target *target)
{
	target->nranges = 0;
	target->inclusive = 0;
	target->class = CLASS_CPU;
	for (size_t i = 0; i < n; i++) {
		target->inclusive |= regions[i]->scope != REGION_LINE;
		target->class = regions[i]->class;
		add_target(regions[i], target);
	}
	merge(target);
}

void regions_leaves(struct regions *r,
		    void (*fn)(void *arg, unsigned module, uint64_t off, enum arena_class class, uint64_t count), void *arg)
{
	for (size_t i = 0; i < r->places_cap; i++)
		for (int class = 0; class < CLASSES && r->places[i].module; class++)
			if (r->places[i].leaf[class])
				fn(arg, r->places[i].module, r->places[i].off, (enum arena_class)class, r->places[i].leaf[class]);
}
