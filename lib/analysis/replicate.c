/* replicate: results of single runs.  The run is the unit of replication, so programs are compared by runs. */
#include "analysis/impact.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Selects windows as for the effect. */
static size_t up_to(const struct causal_obs *obs, size_t n, double most, struct causal_obs *out)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (obs[i].s <= most)
			out[used++] = obs[i];
	return used;
}

/* Runs that were planned together are fitted as the effect is, with their trend. */
static bool fit_runs(struct causal_obs *obs, size_t n, struct causal_unit *sum, struct causal_slope *out)
{
	struct causal_unit unused;

	if (!n || !causal_fit_within(obs, n, sum ? sum : &unused, out))
		return false;
	return !obs[0].whole || causal_fit(obs, n, out);
}

static size_t end_of_run(const struct causal_obs *obs, size_t n, size_t first)
{
	size_t end = first;

	while (end < n && obs[end].run == obs[first].run)
		end++;
	return end;
}

size_t impact_replicates(struct causal_obs *obs, size_t n, double rise, struct impact_replicate **out)
{
	struct causal_obs *scratch = xcalloc(n + 1, sizeof *scratch);
	size_t units = 0, cap = 0;

	causal_stratify(obs, n); /* sorts by run */
	for (size_t i = 0, end; i < n; i = end) {
		struct impact_replicate r = { .run = obs[i].run };
		size_t used;

		end = end_of_run(obs, n, i);
		used = up_to(obs + i, end - i, 1, scratch);
		if (!fit_runs(scratch, used, &r.sum, &r.all))
			continue;
		if (rise < 1 && !fit_runs(scratch, up_to(obs + i, end - i, rise, scratch), NULL, &r.rise))
			r.rise = (struct causal_slope){ .basis = CAUSAL_NONE };
		*out = xgrow(*out, units, &cap, sizeof **out);
		(*out)[units++] = r;
	}
	free(scratch);
	return units;
}

size_t impact_baselines(struct causal_obs *obs, size_t n, struct impact_baseline **out)
{
	size_t units = 0, cap = 0;

	causal_stratify(obs, n); /* sorts by run */
	for (size_t i = 0, end; i < n; i = end) {
		struct impact_baseline b = { .run = obs[i].run };

		end = end_of_run(obs, n, i);
		b.windows = end - i;
		for (size_t k = i; k < end; k++)
			b.visits += obs[k].count;
		b.period = impact_period(obs + i, end - i);
		*out = xgrow(*out, units, &cap, sizeof **out);
		(*out)[units++] = b;
	}
	return units;
}
