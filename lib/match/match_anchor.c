#include "match/match_anchor.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sorted.h"

void match_anchors_begin(struct match_anchors *a, unsigned long base, unsigned long head)
{
	a->n = 0;
	if (base && head)
		match_anchors_add(a, base, head);
}

void match_anchors_add(struct match_anchors *a, unsigned long base, unsigned long head)
{
	a->v = xgrow(a->v, a->n, &a->cap, sizeof *a->v);
	a->v[a->n++] = (struct match_anchor){ base, head };
}

static int by_lines(const void *pa, const void *pb)
{
	const struct match_anchor *a = pa, *b = pb;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->head < b->head ? -1 : a->head > b->head;
}

void match_anchors_settle(struct match_anchors *a)
{
	size_t n = 0;

	if (a->n > 0)
		qsort(a->v, a->n, sizeof *a->v, by_lines);
	for (size_t i = 0; i < a->n; i++)
		if (n == 0 || (a->v[i].base > a->v[n - 1].base && a->v[i].head > a->v[n - 1].head))
			a->v[n++] = a->v[i];
	a->n = n;
}

void match_anchors_release(struct match_anchors *a)
{
	free(a->v);
	*a = (struct match_anchors){ .v = NULL };
}

int match_anchors_distances(const struct match_anchors *a, unsigned long base, unsigned long head)
{
	size_t next = sorted_up_to(a->v, a->n, sizeof *a->v, base);
	int n = 0;

	if (next > 0) {
		const struct match_anchor *before = &a->v[next - 1];

		/* both lines are the anchor's, or both are behind it */
		if (before->head > head || (before->head == head) != (before->base == base))
			return MATCH_OUT_OF_ORDER;
		n += head - before->head == base - before->base;
	}
	if (next < a->n) {
		const struct match_anchor *after = &a->v[next];

		if (after->head <= head)
			return MATCH_OUT_OF_ORDER;
		n += after->head - head == after->base - base;
	}
	return n;
}
