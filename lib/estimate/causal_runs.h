/*
 * causal_runs: from what runs have to say about a slope to one slope with its
 * interval.  Private to the estimator (causal.c, pool.c).
 */
#ifndef ANDWEORC_ESTIMATE_CAUSAL_RUNS_H
#define ANDWEORC_ESTIMATE_CAUSAL_RUNS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "estimate/causal.h"

/* Sums over strata, numerator and denominator of the estimate -num/den, and over baselines; METHOD.md has the formula. */
struct causal_ratio {
	double num, den;
	double n0, d0; /* visits and virtual time of baselines */
};

/* A run, or neighbouring runs that share a stratum; all numbers add up over units. */
struct causal_unit {
	struct causal_ratio ratio;
	size_t windows, baselines;
};

/*
 * The weight of a stratum of m windows with n visits, by which it counts for the
 * work that is done in it (METHOD.md, "Why strata").  The others are sums of s and
 * of its square, over windows and over visits.
 */
static inline double causal_weight(double m, double ms, double mss, double n, double ns, double nss)
{
	double by_window = mss / m - ms / m * (ms / m), by_visit = nss / n - ns / n * (ns / n);

	return by_visit > 0 ? by_window / by_visit / n : 0;
}

static inline double causal_ratio_slope(const struct causal_ratio *r)
{
	return r->den > 0 ? -r->num / r->den : NAN;
}

static inline double causal_ratio_cost(const struct causal_ratio *r)
{
	return r->n0 > 0 ? causal_ratio_slope(r) * r->d0 / r->n0 : NAN;
}

void causal_unit_add(struct causal_unit *into, const struct causal_unit *from);

/* Has it enough for a slope of its own? */
bool causal_unit_is_strong(const struct causal_unit *u);

/*
 * The mean over units and Student's interval, after weak ones were joined to
 * the next.  False, with out as it was, when fewer than CAUSAL_MIN_RUNS remain.
 */
bool causal_mean_of_runs(const struct causal_unit *unit, size_t n, struct causal_slope *out);

/*
 * The fit of few runs, its standard errors from the windows within, and what they add
 * to a fit over more.  False when there is nothing to compare; sum is set all the same.
 */
bool causal_fit_within(struct causal_obs *obs, size_t n, struct causal_unit *sum, struct causal_slope *out);

#endif
