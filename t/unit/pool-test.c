/* Sums give the same results as windows, in any order, and do not grow with the number of runs. */
#include "unit.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "estimate/pool.h"

enum { SWEEP = 6, BLOCKS = 4, A_RUN = SWEEP * BLOCKS, MOST_RUNS = 400 };

static struct causal_obs obs[MOST_RUNS * A_RUN];

static void near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.12g instead of %.12g", got, want);
}

/* Runs of two baselines and four levels a block; visits by chance, machine and slope differ from run to run. */
static void simulate(gsl_rng *rng, size_t runs, double slope, double knee, double between)
{
	static const double levels[SWEEP] = { 0, 0.25, 0.5, 0, 0.75, 1 };

	for (size_t i = 0; i < runs * A_RUN; i++) {
		double s = levels[i % SWEEP], useful = s < knee ? s : knee;
		static double machine, run_slope;

		if (i % A_RUN == 0) {
			machine = 1000 * (1 + gsl_ran_gaussian(rng, 0.1));
			run_slope = slope + gsl_ran_gaussian(rng, between);
		}
		obs[i] = (struct causal_obs){ .run = i / A_RUN, .block = i % A_RUN / SWEEP, .start_ns = (double)i, .s = s,
					      .count = 30 + (double)gsl_rng_uniform_int(rng, 20) };
		obs[i].time_ns = machine * (1 - run_slope * useful) * gsl_ran_gamma(rng, 4 * obs[i].count, 0.25);
	}
}

static uint64_t key_of(size_t run)
{
	return (run + 1) * 0x9e3779b97f4a7c15u;
}

/* Every `stride`th run first, so that the order is another one. */
static struct pool pool_of(size_t runs, size_t stride)
{
	struct pool p = POOL_INIT;

	for (size_t first = 0; first < stride; first++)
		for (size_t run = first; run < runs; run += stride)
			pool_add(&p, key_of(run), obs + run * A_RUN, A_RUN);
	return p;
}

static struct causal_effect effect_of(struct pool p)
{
	struct causal_effect e;

	assert_true(pool_effect(&p, &e));
	pool_release(&p);
	return e;
}

static gsl_rng *rng_of(unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, seed);
	return rng;
}

static void same_estimate(const struct estimate *a, const struct estimate *b)
{
	double tolerance = 1e-9 * (fabs(a->value) + a->hi - a->lo);

	near(a->value, b->value, tolerance);
	near(a->lo, b->lo, tolerance);
	near(a->hi, b->hi, tolerance);
	near(a->p, b->p, 1e-9);
}

/* Slope, cost and interval are those of the windows, for one run, and over runs; with a knee, too. */
static void test_equals_windows(void **state)
{
	static const size_t runs[] = { 1, 3, 20 };
	gsl_rng *rng = rng_of(1);

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		size_t n = runs[i % 3];
		struct causal_effect pooled, whole;

		simulate(rng, n, 0.7, i < 3 ? 1 : 0.5, 0.02);
		pooled = effect_of(pool_of(n, 1));
		assert_true(causal_effect(obs, n * A_RUN, &whole));
		if (isnan(pooled.knee) != isnan(whole.knee))
			fail_msg("%zu runs: knee %g instead of %g", n, pooled.knee, whole.knee);
		same_estimate(&pooled.fit.slope, &whole.fit.slope);
		same_estimate(&pooled.fit.cost, &whole.fit.cost);
		assert_int_equal(pooled.fit.basis, whole.fit.basis);
		assert_int_equal(pooled.fit.runs, whole.fit.runs);
		assert_int_equal(pooled.n, whole.n);
		assert_int_equal(pooled.treated, whole.treated);
		assert_int_equal(pooled.nlevels, whole.nlevels);
		assert_int_equal(pooled.notes, whole.notes);
		near(pooled.period_ns, whole.period_ns, 1e-6);
		for (size_t l = 0; l < whole.nlevels; l++) {
			assert_int_equal(pooled.level[l].n, whole.level[l].n);
			near(pooled.level[l].gain.value, whole.level[l].gain.value, 0.02);
		}
		causal_effect_release(&pooled);
		causal_effect_release(&whole);
	}
	gsl_rng_free(rng);
}

/* Two runs: no interval over runs, and the one within is about as wide as that of the windows. */
static void test_two_runs(void **state)
{
	struct causal_effect pooled, whole;
	gsl_rng *rng = rng_of(2);

	(void)state;
	simulate(rng, 2, 0.4, 1, 0);
	pooled = effect_of(pool_of(2, 1));
	assert_true(causal_effect(obs, (size_t)2 * A_RUN, &whole));
	assert_int_equal(pooled.fit.basis, CAUSAL_WITHIN_RUN);
	near(pooled.fit.slope.value, whole.fit.slope.value, 1e-9);
	near(pooled.fit.slope.se / whole.fit.slope.se, 1, 0.3);
	causal_effect_release(&pooled);
	causal_effect_release(&whole);
	gsl_rng_free(rng);
}

static void test_order_does_not_matter(void **state)
{
	struct causal_effect one, other;
	gsl_rng *rng = rng_of(3);

	(void)state;
	simulate(rng, MOST_RUNS, 0.4, 1, 0.05);
	one = effect_of(pool_of(MOST_RUNS, 1));
	other = effect_of(pool_of(MOST_RUNS, 7));
	same_estimate(&one.fit.slope, &other.fit.slope);
	for (size_t l = 0; l < one.nlevels; l++)
		same_estimate(&one.level[l].gain, &other.level[l].gain);
	near(one.r2, other.r2, 1e-9);
	causal_effect_release(&one);
	causal_effect_release(&other);
	gsl_rng_free(rng);
}

/* Many runs share units; the interval still holds the truth, and is hardly wider than over single runs. */
static void test_many_runs_share_units(void **state)
{
	enum { REPS = 60 };
	double held = 0, width = 0, of_windows = 0;
	gsl_rng *rng = rng_of(4);

	(void)state;
	for (size_t i = 0; i < REPS; i++) {
		struct causal_effect pooled, whole;
		struct pool p;

		simulate(rng, MOST_RUNS, 0.4, 1, 0.05);
		p = pool_of(MOST_RUNS, 1);
		assert_true(p.folded && p.nunits <= POOL_UNITS);
		pooled = effect_of(p);
		assert_true(causal_effect(obs, (size_t)MOST_RUNS * A_RUN, &whole));
		held += pooled.fit.slope.lo <= 0.4 && 0.4 <= pooled.fit.slope.hi;
		width += pooled.fit.slope.hi - pooled.fit.slope.lo;
		of_windows += whole.fit.slope.hi - whole.fit.slope.lo;
		assert_int_equal(pooled.fit.basis, CAUSAL_RUNS);
		causal_effect_release(&pooled);
		causal_effect_release(&whole);
	}
	print_message("# %g of %d intervals hold the truth; width %.4f, of windows %.4f\n", held, REPS, width / REPS, of_windows / REPS);
	assert_true(held / REPS > 0.95 - 3 * sqrt(0.95 * 0.05 / REPS));
	near(width / of_windows, 1, 0.25);
	gsl_rng_free(rng);
}

/* Runs with other speedups than the rest, or without a baseline, or with baselines only. */
static void test_uneven_runs(void **state)
{
	struct pool p = POOL_INIT;
	struct causal_effect e;
	gsl_rng *rng = rng_of(5);

	(void)state;
	simulate(rng, 6, 0.4, 1, 0);
	for (size_t i = 0; i < (size_t)A_RUN; i++) {
		obs[i].s = obs[i].s > 0 ? 0.3 : 0;
		obs[i].time_ns = obs[i].count * (obs[i].s > 0 ? 880 : 1000);
		obs[A_RUN + i].s = 0;
		obs[2 * A_RUN + i].s = 0.25;
	}
	for (size_t run = 0; run < 6; run++)
		pool_add(&p, key_of(run), obs + run * A_RUN, A_RUN);
	e = effect_of(p);
	assert_int_equal(e.nlevels, 5);
	near(e.level[1].s, 0.3, 0);
	near(e.level[1].gain.value, 0.12, 1e-9);
	assert_int_equal(e.fit.runs, 6);
	assert_true(e.fit.slope.lo < 0.4 && 0.4 < e.fit.slope.hi);
	causal_effect_release(&e);
	gsl_rng_free(rng);
}

/* Whole runs: what is added at once was planned together.  The interval is over runs. */
static void test_whole_runs(void **state)
{
	gsl_rng *rng = rng_of(5);
	struct causal_effect pooled, windows;

	(void)state;
	simulate(rng, 2, 0.4, 1, 0);
	for (size_t i = 0; i < 2 * A_RUN; i++) {
		obs[i].whole = true;
		obs[i].time_ns /= obs[i].count;
		obs[i].count = 1;
	}
	pooled = effect_of(pool_of(2, 1));
	assert_true(causal_effect(obs, 2 * A_RUN, &windows));
	assert_int_equal(pooled.fit.basis, CAUSAL_RUNS);
	assert_int_equal(pooled.fit.runs, 2 * A_RUN);
	assert_int_equal(pooled.notes & CAUSAL_FEW_VISITS, 0);
	near(pooled.fit.slope.value, windows.fit.slope.value, 1e-9);
	near(pooled.fit.slope.hi - pooled.fit.slope.lo, windows.fit.slope.hi - windows.fit.slope.lo, 0.03);
	causal_effect_release(&pooled);
	causal_effect_release(&windows);
	gsl_rng_free(rng);
}

static void test_nothing_to_compare(void **state)
{
	struct pool p = POOL_INIT;
	struct causal_effect e;

	(void)state;
	assert_false(pool_effect(&p, &e));
	assert_int_equal(e.n, 0);
	for (size_t i = 0; i < 10; i++)
		obs[i] = (struct causal_obs){ .block = i, .start_ns = (double)i, .count = 40, .time_ns = 40000 };
	pool_add(&p, 1, obs, 10);
	assert_false(pool_effect(&p, &e));
	near(e.period_ns, 1000, 1e-9);
	pool_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_windows),      cmocka_unit_test(test_two_runs),
		cmocka_unit_test(test_order_does_not_matter), cmocka_unit_test(test_many_runs_share_units),
		cmocka_unit_test(test_uneven_runs),         cmocka_unit_test(test_whole_runs),
		cmocka_unit_test(test_nothing_to_compare),
	};

	return UNIT_MAIN(tests);
}
