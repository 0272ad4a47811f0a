/* The code of a region: its ranges, the calls that enter it, and its wrappers. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "binary/calls.h"
#include "regions/regions_parts.h"

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

size_t regions_places(struct mapping *mod, const char *function, struct range **places)
{
	size_t n = image_function_ranges(mod->image, function, places);

	for (size_t i = 0; i < n; i++)
		(*places)[i] = (struct range){ arena_place(mod->id, (*places)[i].lo), arena_place(mod->id, (*places)[i].hi) };
	return n;
}

static bool is_in(const struct range *range, size_t n, uint64_t at)
{
	for (size_t i = 0; i < n; i++)
		if (at >= range[i].lo && at < range[i].hi)
			return true;
	return false;
}

bool regions_covers(const struct region *g, uint64_t off)
{
	for (size_t i = 0; i < g->ncalls; i++)
		if (off == g->calls[i].lo)
			return true;
	return is_in(g->ranges, g->nranges, off);
}

bool regions_stands_in(const struct region *g, uint64_t place)
{
	return is_in(g->stand_ins, g->nstand_ins, place);
}

/* A tail call takes a function off the stack.  So a region also contains the calls that enter it. */
void regions_find_calls(struct regions *r, struct region *g)
{
	struct mapping *mod = mapping_of(r->modules, g->module);

	if (g->only_part) {
		g->only_part = false;
		r->asked++;
	}
	if (g->scope != REGION_FUNCTION || g->nameless || g->has_calls || !mod || !mapping_image(mod))
		return;
	g->has_calls = true;
	g->ncalls = calls_find(mod->image, g->function, g->ranges, g->nranges, &g->calls);
	r->asked++;
}
