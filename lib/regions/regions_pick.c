/* regions_pick: chooses the regions for experiments, and describes them to the runtime. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "regions/regions_parts.h"

/* Work and waits for the outside have equal weight: both take time that could be shorter. */
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

/* Compares by name and place, so that the order is the same in each recording. */
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

/* ---- functions that are nearly the same ------------------------------------------------ */

enum { CHAIN = 64 }; /* longest chain of wrappers */

/* The callee in which g spends nearly all its time (95 %, by the vote); NULL: none. */
static struct region *wrapped(const struct region *g)
{
	return g->scope == REGION_FUNCTION && (double)g->through >= 0.9 * (double)taken(g) ? g->callee : NULL;
}

/* The innermost of a chain of wrappers that has a name, if `named`; else the innermost of all. */
static struct region *innermost(struct region *g, bool named)
{
	struct region *in = g;

	for (int i = 0; i < CHAIN && (g = wrapped(g)) != NULL; i++)
		if (!(named && g->nameless))
			in = g;
	return in;
}

/* The number of samples of g in named functions that only call g. */
static uint64_t wrapped_by_named(const struct regions *r, struct region *g)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct region *by = r->v[i];

		if (by != g && !by->nameless && innermost(by, true) == by && innermost(by, false) == g)
			sum += taken(by);
	}
	return sum;
}

/*
 * A function that does nothing but call another one would have the same result.  The
 * innermost named function of such a chain is tried for all of them.
 */
static bool is_redundant(const struct regions *r, struct region *g)
{
	if (g->scope != REGION_FUNCTION)
		return false;
	if (!g->nameless)
		return innermost(g, true) != g;
	return innermost(g, false) != g || (double)wrapped_by_named(r, g) >= 0.9 * (double)taken(g);
}

/* ---- the choice ------------------------------------------------------------------------ */

/* All work of the first thread is inside of main, so its impact says nothing.  It stays if there is no other region. */
static size_t leave_main_out(struct region **chosen, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!chosen[i]->is_main)
			chosen[kept++] = chosen[i];
	return kept > 0 ? kept : n;
}

double regions_greatest_share(const struct regions *r)
{
	double all = (double)(r->all_samples + r->all_blocked), most = 0;

	for (size_t i = 0; i < r->n; i++)
		most = (double)taken(r->v[i]) > most ? (double)taken(r->v[i]) : most;
	return all > 0 ? most / all : 0;
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
		if (named || ((double)taken(sorted[i]) >= min_share * (double)(r->all_samples + r->all_blocked) &&
			      !is_redundant(r, sorted[i])))
			out[kept++] = sorted[i];
	if (!named)
		kept = leave_main_out(out, kept);
	/* The schedule uses this order, so that the same seed gives the same experiments. */
	qsort(out, kept, sizeof(*out), by_name);
	for (size_t i = 0; i < kept; i++)
		regions_find_calls(r, out[i]);
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i]->given)
			regions_find_calls(r, r->v[i]);
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

	if (region->scope == REGION_PATH) {
		regions_path_target(region, target);
		return;
	}
	for (size_t i = 0; i < region->nranges + region->ncalls && target->nranges < ARENA_RANGES; i++) {
		struct range at = i < region->nranges ? region->ranges[i] : region->calls[i - region->nranges];

		/* A call within the region (recursion) is there already. */
		if (i >= region->nranges && arena_in_ranges(target->range + first, (uint32_t)region->nranges, arena_place(region->module, at.lo)))
			continue;
		if (region->scope != REGION_CLASS)
			at = (struct range){ arena_place(region->module, at.lo), arena_place(region->module, at.hi) };
		target->range[target->nranges++] = (struct arena_range){ at.lo, at.hi };
	}
	for (size_t i = 0; i < region->nstand_ins && target->nranges < ARENA_RANGES; i++)
		target->range[target->nranges++] = (struct arena_range){ region->stand_ins[i].lo, region->stand_ins[i].hi };
}

/* Ranges of several regions may overlap, where one function was inlined into another. */
static void merge_ranges(struct arena_target *target)
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
	static struct arena_target made; /* private memory, which the program cannot change during this */

	made.nranges = 0;
	made.inclusive = 0;
	made.class = CLASS_CPU;
	made.path = made.nlinks = 0;
	for (size_t i = 0; i < n; i++) {
		made.inclusive |= regions[i]->scope != REGION_LINE;
		made.class = regions[i]->class;
		add_target(regions[i], &made);
	}
	merge_ranges(&made);
	memcpy(target, &made, offsetof(struct arena_target, range) + made.nranges * sizeof(made.range[0]));
	memcpy(target->link, made.link, made.nlinks * sizeof(made.link[0]));
}
