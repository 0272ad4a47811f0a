/* replicate: results of single runs.  The run is the unit of replication, so programs are compared by runs. */
#include "analysis/impact.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/combine.h"
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

static void take_slope(struct causal_slope *to, const struct estimate *slope, double period_ns)
{
	combine_average(&to->slope, slope->value, slope->se);
	combine_average(&to->cost, slope->value * period_ns, slope->se * period_ns);
}

static struct impact_replicate *find_run(struct impact *im, size_t run)
{
	for (size_t i = 0; i < im->nreplicates; i++)
		if (im->replicate[i].run == run)
			return &im->replicate[i];
	return NULL;
}

/* One of a run without experiments weighs as much as the others do in the mean. */
static struct impact_replicate *add_run(struct impact *im, size_t run)
{
	static const struct estimate nothing = { .value = NAN, .se = INFINITY, .df = 1 };
	struct impact_replicate *r;
	double info = 0;

	for (size_t i = 0; i < im->nreplicates; i++)
		info += im->replicate[i].sum.ratio.den / (double)im->nreplicates;
	im->replicate = xrealloc(im->replicate, im->nreplicates + 1, sizeof *im->replicate);
	r = &im->replicate[im->nreplicates++];
	*r = (struct impact_replicate){ .run = run, .sum.ratio.den = info > 0 ? info : 1, .rise.basis = CAUSAL_NONE };
	r->all = (struct causal_slope){ .slope = nothing, .cost = nothing, .basis = CAUSAL_EVENTS };
	return r;
}

void impact_replicates_replayed(const struct profile *p, size_t point, size_t region, struct impact *im, const struct impact_baseline *baseline,
				size_t nbaselines)
{
	struct estimate *all = xcalloc(p->nruns + 1, sizeof *all), *rise = xcalloc(p->nruns + 1, sizeof *rise);

	combine_replay_runs(p, point, region, 1, all);
	combine_replay_runs(p, point, region, im->effect.rise, rise);
	for (size_t i = 0; i < nbaselines; i++) {
		double period = baseline[i].period.value;
		size_t run = baseline[i].run;
		struct impact_replicate *r;

		if (!(period > 0) || isnan(all[run].value))
			continue;
		r = find_run(im, run);
		if (!r)
			r = add_run(im, run);
		take_slope(&r->all, &all[run], period);
		if (r->rise.basis != CAUSAL_NONE && !isnan(rise[run].value))
			take_slope(&r->rise, &rise[run], period);
	}
	free(all);
	free(rise);
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
