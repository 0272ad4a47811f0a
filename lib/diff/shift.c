/*
 * Cost shifts: code that moves from one region to another takes its cost along,
 * and neither of the two got better or worse.  Regions in opposite directions are
 * taken together, the largest first, where the change of their sum is not
 * significant and small beside what moved, and the point is not known to have
 * changed: a change that hides in the sum would show there.
 */
#include "diff/build.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Of the smaller move, what the sum of both may be at most. */
static const double REST = 0.5;

static bool moved(const struct pair *p)
{
	return !p->shift && (p->change == CHANGE_CHANGED || p->change == CHANGE_LIKELY);
}

/* The run's cost of both regions; runs that know one of them alone are left out. */
static struct replicates sum_of(const struct replicates *a, const struct replicates *b)
{
	struct replicates sum = { .at = xcalloc(a->n + 1, sizeof *sum.at), .whole = a->whole };

	for (int q = 0; q < QUANTITIES; q++)
		sum.mean[q] = sum.mean_se[q] = NAN;
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++) {
			struct replicate *r = &sum.at[sum.n];
			double cost = causal_ratio_cost(&a->at[i].sum.ratio) + causal_ratio_cost(&b->at[k].sum.ratio);

			if (a->at[i].order != b->at[k].order || a->at[i].sum.ratio.d0 != b->at[k].sum.ratio.d0)
				continue;
			*r = a->at[i];
			r->sum.ratio.num = -cost * r->sum.ratio.n0 / r->sum.ratio.d0 * r->sum.ratio.den;
			r->se[QUANTITY_COST] = hypot(a->at[i].se[QUANTITY_COST], b->at[k].se[QUANTITY_COST]);
			sum.n++;
			break;
		}
	return sum;
}

static bool cancels(const struct pair *a, const struct pair *b)
{
	struct replicates base = sum_of(a->base_runs, b->base_runs), head = sum_of(a->head_runs, b->head_runs);
	double least = fmin(fabs(a->cost.difference.value), fabs(b->cost.difference.value));
	struct comparison c;

	compare(&base, &head, QUANTITY_COST, &c);
	replicates_release(&base);
	replicates_release(&head);
	return c.design != DESIGN_NONE && c.difference.lo <= 0 && c.difference.hi >= 0 && fabs(c.difference.value) <= REST * least &&
	       c.difference.hi - c.difference.value < least;
}

/* The largest change in the direction of sign that is in no shift yet; NULL when there is none. */
static struct pair *largest(struct point_pair *p, double sign, double below)
{
	struct pair *best = NULL;

	for (size_t i = 0; i < p->npairs; i++) {
		double d = sign * p->pair[i].cost.difference.value;

		if (moved(&p->pair[i]) && d > 0 && d < below && (!best || d > sign * best->cost.difference.value))
			best = &p->pair[i];
	}
	return best;
}

void comparisons_find_shifts(struct point_pair *p)
{
	size_t shifts = 0;
	double below = INFINITY;
	struct pair *up;

	if (p->change == CHANGE_CHANGED)
		return;
	while ((up = largest(p, 1, below))) {
		double most = INFINITY;
		struct pair *down;

		below = up->cost.difference.value;
		while ((down = largest(p, -1, most))) {
			most = -down->cost.difference.value;
			if (!cancels(up, down))
				continue;
			up->shift = down->shift = ++shifts;
			break;
		}
	}
}
