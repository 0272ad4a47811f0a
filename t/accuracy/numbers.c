/*
 * numbers: problems and their results by the estimator, for another program to check
 * (oracle.R).
 *
 *     obs CASE RUN STRATUM S COUNT TIME
 *     is CASE WHAT VALUE
 *     p CASE P Q
 *
 * with 17 digits.  Seeded, so the problems are the same everywhere.
 */
#include <math.h>
#include <stdio.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "estimate/causal.h"
#include "estimate/stats.h"

enum { MOST = 1200, SWEEP = 6 };

static struct causal_obs obs[MOST];
static gsl_rng *rng;

/* Blocks of two baselines and four levels, in runs; visits and times by chance. */
static size_t make(size_t runs, size_t blocks, double slope)
{
	static const double levels[SWEEP] = { 0, 0.25, 0.5, 0, 0.75, 1 };
	size_t n = 0;

	for (size_t run = 0; run < runs; run++) {
		double machine = 1000 * (1 + gsl_ran_gaussian(rng, 0.05)), own = slope + gsl_ran_gaussian(rng, runs > 1 ? 0.05 : 0);

		for (size_t i = 0; i < SWEEP * blocks; i++, n++) {
			double s = levels[i % SWEEP];

			obs[n] = (struct causal_obs){ .run = run, .block = i / SWEEP, .start_ns = (double)i, .s = s,
						      .count = 20 + (double)gsl_rng_uniform_int(rng, 40) };
			obs[n].time_ns = machine * (1 - own * s) * gsl_ran_gamma(rng, 4 * obs[n].count, 0.25);
		}
	}
	return n;
}

static void is(int nth, const char *what, double value)
{
	printf("is\t%d\t%s\t%.17g\n", nth, what, value);
}

static void one(int nth, size_t runs, size_t blocks, double slope)
{
	size_t n = make(runs, blocks, slope);
	struct causal_slope fit;

	if (!causal_fit(obs, n, &fit))
		return;
	for (size_t i = 0; i < n; i++)
		printf("obs\t%d\t%zu\t%zu\t%.17g\t%.17g\t%.17g\n", nth, obs[i].run, obs[i].stratum, obs[i].s, obs[i].count, obs[i].time_ns);
	is(nth, "basis", fit.basis == CAUSAL_RUNS);
	is(nth, "slope", fit.slope.value);
	is(nth, "se", fit.slope.se);
	is(nth, "df", fit.slope.df);
	is(nth, "lo", fit.slope.lo);
	is(nth, "hi", fit.slope.hi);
	is(nth, "p", fit.slope.p);
	is(nth, "cost", fit.cost.value);
	is(nth, "cost_se", fit.cost.se);
}

static void many_tests(int nth)
{
	double p[40], q[40];

	for (size_t i = 0; i < 40; i++)
		p[i] = pow(gsl_rng_uniform(rng), i < 10 ? 8 : 1);
	stats_bh(p, 40, q);
	for (size_t i = 0; i < 40; i++)
		printf("p\t%d\t%.17g\t%.17g\n", nth, p[i], q[i]);
}

int main(void)
{
	int nth = 0;

	rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 20261121);
	/* one stratum; few, where windows are the unit; many, where strata are; runs */
	for (int i = 0; i < 10; i++)
		one(nth++, 1, 1, 0.1 * i);
	for (size_t blocks = 2; blocks < 8; blocks++)
		one(nth++, 1, blocks, 0.4);
	for (size_t blocks = 8; blocks < 40; blocks += 8)
		one(nth++, 1, blocks, 0.4);
	for (size_t runs = 3; runs <= 20; runs++)
		one(nth++, runs, 5, 0.4);
	for (int i = 0; i < 5; i++)
		many_tests(nth++);
	gsl_rng_free(rng);
	return ferror(stdout) || fclose(stdout) ? 1 : 0;
}
