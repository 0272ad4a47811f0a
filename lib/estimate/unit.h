/*
 * unit: the data of one run, or of a few short ones, about a slope, as sums that can be
 * added.
 *
 * Sums of several runs are those of one long run.  They are kept for comparisons of runs
 * with runs.
 */
#ifndef ANDWEORC_ESTIMATE_UNIT_H
#define ANDWEORC_ESTIMATE_UNIT_H

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

static inline double causal_ratio_slope(const struct causal_ratio *r)
{
	return r->den > 0 ? -r->num / r->den : NAN;
}

static inline double causal_ratio_cost(const struct causal_ratio *r)
{
	return r->n0 > 0 ? causal_ratio_slope(r) * r->d0 / r->n0 : NAN;
}

void causal_unit_add(struct causal_unit *into, const struct causal_unit *from);

/* Is there enough data for a slope of its own? */
bool causal_unit_is_strong(const struct causal_unit *u);

/*
 * The fit of few runs with standard errors from their windows, and the sums that they
 * add to a larger fit.  False when there is nothing to compare; sum is set even then.
 */
bool causal_fit_within(struct causal_obs *obs, size_t n, struct causal_unit *sum, struct causal_slope *out);

#endif
