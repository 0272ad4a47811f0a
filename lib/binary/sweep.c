#include "binary/sweep.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sorted.h"

struct cuts {
	struct cut *v;
	size_t n, cap;
};

static int by_start(const void *pa, const void *pb)
{
	const struct piece *a = pa, *b = pb;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return a->id > b->id ? -1 : a->id < b->id;
}

/* From lo on, the innermost interval is id. */
static void add_cut(struct cuts *c, uint64_t lo, uint32_t id)
{
	if (c->n > 0 && c->v[c->n - 1].lo == lo)
		c->n--; /* the earlier cut was empty */
	if ((c->n > 0 ? c->v[c->n - 1].id : SWEEP_NONE) == id)
		return;
	c->v = xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n++] = (struct cut){ lo, id };
}

/* Closes intervals that end at or before `at`; returns the new height of the stack. */
static size_t close_until(struct cuts *c, const struct piece *piece, const size_t *stack, size_t height, uint64_t at)
{
	while (height > 0 && piece[stack[height - 1]].hi <= at) {
		uint64_t end = piece[stack[--height]].hi;

		while (height > 0 && piece[stack[height - 1]].hi <= end)
			height--;
		add_cut(c, end, height > 0 ? piece[stack[height - 1]].id : SWEEP_NONE);
	}
	return height;
}

size_t sweep(struct piece *piece, size_t n, struct cut **out)
{
	struct cuts c = { 0 };
	size_t *stack = NULL, height = 0, cap = 0;

	if (n > 0)
		qsort(piece, n, sizeof *piece, by_start);
	for (size_t i = 0; i < n; i++) {
		if (piece[i].lo >= piece[i].hi)
			continue;
		height = close_until(&c, piece, stack, height, piece[i].lo);
		stack = xgrow(stack, height, &cap, sizeof *stack);
		stack[height++] = i;
		add_cut(&c, piece[i].lo, piece[i].id);
	}
	close_until(&c, piece, stack, height, UINT64_MAX);
	free(stack);
	*out = c.v;
	return c.n;
}

uint32_t sweep_find(const struct cut *cut, size_t n, uint64_t at)
{
	size_t reached = sorted_up_to(cut, n, sizeof *cut, at);

	return reached > 0 ? cut[reached - 1].id : SWEEP_NONE;
}

static int by_lo(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	return a->lo < b->lo ? -1 : a->lo > b->lo;
}

size_t ranges_merge(struct range *range, size_t n)
{
	size_t kept = 0;

	if (n > 0)
		qsort(range, n, sizeof *range, by_lo);
	for (size_t i = 0; i < n; i++) {
		if (range[i].lo >= range[i].hi)
			continue;
		if (kept > 0 && range[i].lo <= range[kept - 1].hi) {
			if (range[i].hi > range[kept - 1].hi)
				range[kept - 1].hi = range[i].hi;
		} else {
			range[kept++] = range[i];
		}
	}
	return kept;
}
