/*
 * causal_runs: combines the slopes of runs into one slope with its interval.  Private
 * to the estimator (causal.c).
 */
#ifndef ANDWEORC_ESTIMATE_CAUSAL_RUNS_H
#define ANDWEORC_ESTIMATE_CAUSAL_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "estimate/unit.h"

/*
 * The weight of a stratum of m windows with n visits, in proportion to its work
 * (METHOD.md, "Why strata").  The other parameters are sums of s and of its square,
 * over windows and over visits.
 */
static inline double causal_weight(double m, double ms, double mss, double n, double ns, double nss)
{
	double by_window = mss / m - ms / m * (ms / m), by_visit = nss / n - ns / n * (ns / n);

	return by_visit > 0 ? by_window / by_visit / n : 0;
}

/*
 * The mean over units with Student's interval; weak units are joined to the next.
 * False, with out unchanged, when fewer than CAUSAL_MIN_RUNS remain.
 */
bool causal_mean_of_runs(const struct causal_unit *unit, size_t n, struct causal_slope *out);

#endif
