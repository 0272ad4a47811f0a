/*
 * shift: cost that moves from one region to another.  Code that moves takes its cost
 * along, and neither region got better or worse.  Regions with opposite changes are
 * paired, the largest first, if the change of their sum is not significant and is small
 * beside the moved cost, and if the point is not known to have changed: a change that
 * is hidden in the sum would show there.  If the point is known to be unchanged, no
 * change can be hidden.  A bottleneck that one side does not have, or did not try,
 * counts as 0 there: if another region lost as much, the cost has moved to it.
 */
#include "diff/comparisons.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* More windows than a run needs for a value of its own. */
enum { ENOUGH = 100 };

/* Largest sum of both changes, as part of the smaller change. */
static const double REST = 0.5;

/* A region whose cost changed, or that came or went. */
struct mover {
	const struct replicates *base, *head;
	const struct estimate *difference; /* its error is shared with the other regions; NULL for a region that came or went */
	double by;     /* ns; above 0: costs more */
	size_t *shift; /* where the number of its shift is stored */
};

struct movers {
	struct mover *at;
	size_t n;
	struct replicates none[2]; /* results of base's, and of head's, runs for a region that they do not have */
};

/* A cost of 0 for each run. */
static struct replicates none_of(const struct replicates *runs)
{
	struct replicates none = { .at = xcalloc(runs->n + 1, sizeof *none.at), .n = runs->n, .whole = runs->whole };

	for (int q = 0; q < QUANTITIES; q++)
		none.mean[q] = none.mean_se[q] = NAN;
	for (size_t i = 0; i < runs->n; i++) {
		struct replicate *r = &none.at[i];

		*r = runs->at[i];
		r->sum.ratio.num = 0;
		r->sum.ratio.den = 1;
		r->sum.windows = r->sum.baselines = ENOUGH;
		r->sum.windows *= 2;
		r->se[QUANTITY_COST] = 0;
	}
	return none;
}

static void add_mover(struct movers *m, struct mover mover)
{
	if (mover.by < 0 || mover.by > 0)
		m->at[m->n++] = mover;
}

/* It contains its own address, so it must not be copied. */
static void movers_init(struct movers *m, struct point_pair *p)
{
	*m = (struct movers){ .at = xcalloc(p->npairs + p->nlone[0] + p->nlone[1] + 1, sizeof *m->at) };
	m->none[0] = none_of(&p->base->runs);
	m->none[1] = none_of(&p->head->runs);
	for (size_t i = 0; i < p->npairs; i++) {
		struct pair *pair = &p->pair[i];

		if (pair->change == CHANGE_CHANGED || pair->change == CHANGE_LIKELY)
			add_mover(m, (struct mover){ pair->base_runs, pair->head_runs, &pair->cost.difference,
						     pair->cost.difference.value, &pair->shift });
	}
	for (int head = 0; head < 2; head++)
		for (size_t i = 0; i < p->nlone[head]; i++) {
			struct lone *lone = &p->lone[head][i];
			const struct replicates *all = &lone->region->all;
			double cost = lone->region->found->cost_ns;

			if (lone->matters)
				add_mover(m, (struct mover){ head ? &m->none[0] : all, head ? all : &m->none[1], NULL,
							     head ? cost : -cost, &lone->shift });
		}
}

static void movers_release(struct movers *m)
{
	replicates_release(&m->none[0]);
	replicates_release(&m->none[1]);
	free(m->at);
}

/* The run's cost of both regions; runs that have only one of them are left out. */
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

/*
 * From five blocks, the error of the sum is known badly, and its interval would be as
 * wide as the changes themselves.  The errors of the two regions were estimated
 * together with all others.  So the expected error of the sum is known better, and is
 * used with its degrees of freedom.
 */
static void share_error(struct estimate *sum, const struct estimate *a, const struct estimate *b)
{
	double own = sum->se * sum->se, both, df;

	if (!a || !b || !isfinite(own))
		return;
	both = a->se * a->se + b->se * b->se;
	df = fmin(a->df, b->df);
	if (!isfinite(both))
		return;
	sum->se = sqrt((df * both + sum->df * own) / (df + sum->df));
	sum->df += df;
	stats_estimate_finish(sum);
}

/* `same`: the point is known to be unchanged, so any change of the sum is noise. */
static bool cancels(const struct mover *a, const struct mover *b, bool same)
{
	struct replicates base = sum_of(a->base, b->base), head = sum_of(a->head, b->head);
	double least = fmin(fabs(a->by), fabs(b->by));
	struct comparison c;

	compare(&base, &head, QUANTITY_COST, &c);
	share_error(&c.difference, a->difference, b->difference);
	replicates_release(&base);
	replicates_release(&head);
	return c.design != DESIGN_NONE && c.difference.lo <= 0 && c.difference.hi >= 0 && (same || fabs(c.difference.value) <= REST * least) &&
	       c.difference.hi - c.difference.value < least;
}

/*
 * The largest change in the direction of `sign`, smaller than `below`, that is in no shift
 * yet; NULL when there is none.
 */
static struct mover *largest(struct movers *m, double sign, double below)
{
	struct mover *best = NULL;

	for (size_t i = 0; i < m->n; i++) {
		double by = sign * m->at[i].by;

		if (!*m->at[i].shift && by > 0 && by < below && (!best || by > sign * best->by))
			best = &m->at[i];
	}
	return best;
}

void comparisons_find_shifts(struct point_pair *p)
{
	struct movers m;
	size_t shifts = 0;
	double below = INFINITY;
	struct mover *up;

	if (p->change == CHANGE_CHANGED)
		return;
	movers_init(&m, p);
	while ((up = largest(&m, 1, below))) {
		double most = INFINITY;
		struct mover *down;

		below = up->by;
		while ((down = largest(&m, -1, most))) {
			most = -down->by;
			if (!cancels(up, down, p->change == CHANGE_UNCHANGED))
				continue;
			*up->shift = *down->shift = ++shifts;
			break;
		}
	}
	movers_release(&m);
}
