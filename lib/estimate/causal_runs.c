#include "estimate/causal_runs.h"

#include <stdlib.h>

#include "base/alloc.h"

/* The information of a unit: the inverse of the variance of its slope. */
static double info_of(const struct causal_unit *u)
{
	return fmax(0, u->ratio.den);
}

/*
 * Joins units into groups, each strong enough for a slope of its own: with the data
 * that a run needs, and at least a quarter of the information of the strongest unit.
 * Otherwise the noise of the weakest would dominate their mean.
 */
static size_t make_groups(const struct causal_unit *unit, size_t n, struct causal_unit *group)
{
	struct causal_unit open = { 0 };
	double most = 0;
	size_t ngroups = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, info_of(&unit[i]));
	for (size_t i = 0; i < n; i++) {
		causal_unit_add(&open, &unit[i]);
		if (!causal_unit_is_strong(&open) || info_of(&open) < most / 4)
			continue;
		group[ngroups++] = open;
		open = (struct causal_unit){ 0 };
	}
	if (open.windows && ngroups)
		causal_unit_add(&group[ngroups - 1], &open);
	else if (open.windows)
		group[ngroups++] = open;
	return ngroups;
}

/* One slope each, then the mean (Ibragimov and Mueller 2010). */
bool causal_mean_of_runs(const struct causal_unit *unit, size_t n, struct causal_slope *out)
{
	struct causal_unit *group = xcalloc(n + 1, sizeof *group);
	double *slope = xcalloc(n + 1, sizeof *slope), *cost = xcalloc(n + 1, sizeof *cost);
	size_t ngroups = make_groups(unit, n, group);
	struct estimate of_slope, of_cost;
	bool ok = ngroups >= CAUSAL_MIN_RUNS;

	for (size_t g = 0; g < ngroups; g++) {
		slope[g] = causal_ratio_slope(&group[g].ratio);
		cost[g] = causal_ratio_cost(&group[g].ratio);
		ok = ok && isfinite(slope[g]) && isfinite(cost[g]);
	}
	if (ok && stats_mean(slope, ngroups, &of_slope) && stats_mean(cost, ngroups, &of_cost)) {
		out->slope = of_slope;
		out->cost = of_cost;
		out->basis = CAUSAL_RUNS;
	} else {
		ok = false;
	}
	free(group);
	free(slope);
	free(cost);
	return ok;
}
