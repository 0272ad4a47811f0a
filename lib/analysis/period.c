/*
 * period: the period of baselines: the sum of times by the sum of visits, with an interval
 * from the spread of blocks, or of runs if there are several.
 */
#include "analysis/impact.h"

#include <math.h>

/* Sums over blocks or runs: of their times, of their visits, and of squares and products of both. */
struct clusters {
	double time, count, tt, tc, cc;
	size_t n;
};

static struct estimate period_of(const struct clusters *c)
{
	struct estimate e = STATS_UNKNOWN;
	double n = (double)c->n, squares;

	if (!(c->count > 0))
		return e;
	e.value = c->time / c->count;
	if (c->n < 2)
		return e;
	squares = fmax(0, c->tt - 2 * e.value * c->tc + e.value * e.value * c->cc);
	e.se = sqrt(squares * n / (n - 1)) / c->count;
	e.df = n - 1;
	stats_estimate_finish(&e);
	return e;
}

static bool same_cluster(const struct causal_obs *a, const struct causal_obs *b, bool by_run)
{
	return !a->whole && a->run == b->run && (by_run || a->block == b->block);
}

static struct clusters cluster(struct causal_obs *obs, size_t n)
{
	struct clusters all = { 0 };

	causal_stratify(obs, n); /* sorts */
	for (size_t i = 0, j; i < n; i = j) {
		bool by_run = obs[0].run != obs[n - 1].run;
		double d = 0, c = 0;

		for (j = i; j < n && (j == i || same_cluster(&obs[i], &obs[j], by_run)); j++) {
			d += obs[j].time_ns;
			c += obs[j].count;
		}
		all.time += d;
		all.count += c;
		all.tt += d * d;
		all.tc += d * c;
		all.cc += c * c;
		all.n++;
	}
	return all;
}

struct estimate impact_period(struct causal_obs *obs, size_t n)
{
	struct clusters all = cluster(obs, n);

	return period_of(&all);
}
