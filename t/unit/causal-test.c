/* The estimator on windows with exactly known results, and on windows that it must refuse. */
#include "unit.h"

#include <math.h>

#include "estimate/causal.h"

enum { MOST = 4000 };

static struct causal_obs obs[MOST];
static size_t nobs;

static void near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.12g instead of %.12g", got, want);
}

static void add(size_t run, uint64_t block, double s, double count, double time_ns)
{
	assert_true(nobs < MOST);
	obs[nobs] = (struct causal_obs){ .run = run, .block = block, .start_ns = (double)nobs, .s = s, .count = count, .time_ns = time_ns };
	nobs++;
}

/* A sweep without noise: two baselines and each level once; the curve gives period(s) / period(0). */
static void add_sweep(size_t run, uint64_t block, double period, double count, double (*curve)(double s))
{
	static const double levels[] = { 0, 0.25, 0.5, 0, 0.75, 1 };

	for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
		add(run, block, levels[i], count, count * period * curve(levels[i]));
}

/* The same times for all, a little off, so that there is noise to measure. */
static void shake(double size)
{
	uint32_t x = 1;

	for (size_t i = 0; i < nobs; i++) {
		x = x * 1664525u + 1013904223u;
		obs[i].time_ns *= 1 + size * ((double)(x >> 8) / (1 << 23) - 1);
	}
}

static double line(double s)
{
	return 1 - 0.3 * s;
}

static double flat(double s)
{
	(void)s;
	return 1;
}

static double knee30(double s)
{
	return 1 - 0.8 * (s < 0.3 ? s : 0.3);
}

/* Gains up to 0.4, and loses beyond. */
static double peak40(double s)
{
	return 1 - 0.8 * (s < 0.4 ? s : 0.4 - (s - 0.4));
}

static double steeper(double s)
{
	return 1 + 0.3 * s;
}

static double bowl(double s)
{
	return 1 - 0.8 * s + 0.6 * s * s;
}

static struct causal_effect effect(void)
{
	struct causal_effect e;

	assert_true(causal_effect(obs, nobs, &e));
	return e;
}

static int setup(void **state)
{
	(void)state;
	nobs = 0;
	return 0;
}

static void test_exact_line(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 10; b++)
		add_sweep(0, b, 2000, 40, line);
	e = effect();
	near(e.fit.slope.value, 0.3, 1e-12);
	near(e.fit.slope.lo, 0.3, 1e-9);
	near(e.fit.cost.value, 600, 1e-9);
	near(e.period_ns, 2000, 1e-9);
	near(e.r2, 1, 1e-9);
	assert_true(isnan(e.knee));
	assert_int_equal(e.nlevels, 4);
	near(e.level[1].s, 0.5, 0);
	near(e.level[1].gain.value, 0.15, 1e-12);
	assert_int_equal(e.level[1].n, 10);
	assert_int_equal(e.n, 60);
	assert_int_equal(e.treated, 40);
	assert_int_equal(e.fit.basis, CAUSAL_WITHIN_RUN);
	assert_int_equal(e.notes, 0);
	causal_effect_release(&e);
}

/* With one stratum, the estimate is the weighted least-squares fit of period against s: -b/a. */
static void test_is_weighted_least_squares(void **state)
{
	static const double s[] = { 0, 0, 0.25, 0.5, 1, 0.5 }, count[] = { 30, 60, 25, 40, 55, 10 };
	static const double period[] = { 10, 10.4, 9.6, 9.1, 8.4, 9.5 };
	double w = 0, ws = 0, wss = 0, wy = 0, wsy = 0, a, b;
	struct causal_effect e;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		add(0, 1, s[i], count[i], count[i] * period[i]);
		w += count[i];
		ws += count[i] * s[i];
		wss += count[i] * s[i] * s[i];
		wy += count[i] * period[i];
		wsy += count[i] * s[i] * period[i];
	}
	b = (w * wsy - ws * wy) / (w * wss - ws * ws);
	a = (wy - b * ws) / w;
	e = effect();
	near(e.fit.slope.value, -b / a, 1e-12);
	causal_effect_release(&e);
}

/* A machine that gets slower from sweep to sweep changes nothing at all. */
static void test_drift_cancels(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 12; b++)
		add_sweep(0, b, 1000 * pow(1.2, (double)b), 40, line);
	e = effect();
	near(e.fit.slope.value, 0.3, 1e-12);
	near(e.level[3].gain.value, 0.3, 1e-12);
	causal_effect_release(&e);
}

/* A block without a baseline borrows those of its neighbour. */
static void test_block_without_baseline(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 10; b++) {
		add_sweep(0, 2 * b, 1000, 40, line);
		add(0, 2 * b + 1, 0.5, 40, 40 * 1000 * line(0.5));
	}
	e = effect();
	near(e.fit.slope.value, 0.3, 1e-12);
	assert_int_equal(e.n, 70);
	causal_effect_release(&e);
}

static void test_order_does_not_matter(void **state)
{
	struct causal_effect one, other;

	(void)state;
	for (uint64_t b = 0; b < 10; b++)
		add_sweep(b / 5, b, 1000, 40, line);
	shake(0.1);
	one = effect();
	for (size_t i = 0; i < nobs / 2; i++) {
		struct causal_obs t = obs[i];

		obs[i] = obs[nobs - 1 - i];
		obs[nobs - 1 - i] = t;
	}
	other = effect();
	assert_memory_equal(&one.fit, &other.fit, sizeof one.fit);
	assert_memory_equal(one.level, other.level, one.nlevels * sizeof *one.level);
	causal_effect_release(&one);
	causal_effect_release(&other);
}

static void test_knee(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 10; b++)
		add_sweep(0, b, 2000, 40, knee30);
	shake(0.02);
	e = effect();
	near(e.knee, 0.3, 0.05);
	near(e.fit.slope.value, 0.8, 0.1);
	causal_effect_release(&e);
}

/* The interval of the knee holds it, and shrinks as noise does. */
static void test_knee_interval(void **state)
{
	static const double noise[] = { 0.1, 0.02 };
	double width[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct causal_effect e;

		nobs = 0;
		for (uint64_t b = 0; b < 20; b++)
			add_sweep(0, b, 2000, 40, knee30);
		shake(noise[i]);
		e = effect();
		assert_true(e.knee_lo <= 0.3 && 0.3 <= e.knee_hi);
		assert_true(e.knee_lo <= e.knee && e.knee <= e.knee_hi);
		assert_true(e.rise < 0.5);
		width[i] = e.knee_hi - e.knee_lo;
		causal_effect_release(&e);
	}
	assert_true(width[1] > 0 && width[1] < width[0]);
}

/* Contention: from the start, and beyond a knee; neither where a curve only stays flat. */
static void test_contention(void **state)
{
	static double (*const curve[])(double s) = { steeper, peak40, knee30, line, flat };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct causal_effect e;

		nobs = 0;
		for (uint64_t b = 0; b < 20; b++)
			add_sweep(0, b, 2000, 40, curve[i]);
		shake(0.02);
		e = effect();
		assert_int_equal(!!(e.notes & CAUSAL_CONTENTION), i < 2);
		assert_int_equal(!isnan(e.knee), i == 1 || i == 2);
		if (i == 1)
			near(e.fit.slope.value, 0.8, 0.1);
		causal_effect_release(&e);
	}
}

static void test_no_knee_in_noise(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 10; b++)
		add_sweep(0, b, 2000, 40, flat);
	shake(0.2);
	e = effect();
	assert_true(isnan(e.knee));
	assert_true(e.fit.slope.lo < 0 && e.fit.slope.hi > 0);
	assert_int_equal(e.notes, 0);
	causal_effect_release(&e);
}

static void test_bent_is_noted(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 30; b++)
		add_sweep(0, b, 2000, 40, bowl);
	shake(0.02);
	e = effect();
	assert_true(!isnan(e.knee) || (e.notes & CAUSAL_NONLINEAR));
	causal_effect_release(&e);
}

static void test_runs_are_the_unit(void **state)
{
	double width_within, width_runs;
	struct causal_effect e;

	(void)state;
	/* within a run, all agree; between runs, slopes are 0.2 0.3 0.4 */
	for (size_t run = 0; run < 3; run++)
		for (uint64_t b = 0; b < 8; b++)
			for (size_t i = 0; i < 6; i++) {
				double s = (double)(i % 3) / 2;

				add(run, b, s, 40, 40 * 1000 * (1 - (0.2 + 0.1 * (double)run) * s));
			}
	e = effect();
	assert_int_equal(e.fit.basis, CAUSAL_RUNS);
	assert_int_equal(e.fit.runs, 3);
	near(e.fit.slope.value, 0.3, 1e-9);
	near(e.fit.slope.df, 2, 0);
	/* sd 0.1, over root 3, times 4.303 */
	near(e.fit.slope.hi, 0.3 + 4.302653 * 0.1 / sqrt(3), 1e-6);
	width_runs = e.fit.slope.hi - e.fit.slope.lo;
	causal_effect_release(&e);
	for (size_t i = 0; i < nobs; i++)
		obs[i].run = 0;
	e = effect();
	assert_int_equal(e.fit.basis, CAUSAL_WITHIN_RUN);
	width_within = e.fit.slope.hi - e.fit.slope.lo;
	assert_true(width_within < width_runs);
	causal_effect_release(&e);
}

static void test_two_runs_are_too_few_for_an_interval_over_runs(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 10; b++)
		add_sweep(b < 5 ? 0 : 1, b, 1000, 40, line);
	e = effect();
	assert_int_equal(e.fit.basis, CAUSAL_WITHIN_RUN);
	assert_int_equal(e.fit.runs, 2);
	causal_effect_release(&e);
}

/* Runs of four windows: none has a slope of its own, all together have. */
static void test_short_runs_are_joined(void **state)
{
	static const double levels[] = { 0, 0.5, 1, 0 };
	struct causal_effect e;

	(void)state;
	for (size_t run = 0; run < 40; run++)
		for (size_t i = 0; i < 4; i++)
			add(run, 1, levels[(i + run) % 4], 10, 10 * 1000 * line(levels[(i + run) % 4]));
	e = effect();
	near(e.fit.slope.value, 0.3, 1e-9);
	assert_int_equal(e.fit.basis, CAUSAL_RUNS);
	assert_int_equal(e.fit.runs, 40);
	causal_effect_release(&e);
}

static void test_one_level(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 10; b++)
		for (size_t i = 0; i < 4; i++)
			add(0, b, i % 2 ? 0.5 : 0, 40, 40 * 1000 * line(i % 2 ? 0.5 : 0));
	e = effect();
	near(e.fit.slope.value, 0.3, 1e-12);
	assert_true(e.notes & CAUSAL_ONE_LEVEL);
	assert_true(isnan(e.r2));
	causal_effect_release(&e);
}

/* Windows of one level that are alike by chance do not make it surer than the others. */
static void test_levels_share_their_scatter(void **state)
{
	double least = INFINITY, most = 0;
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 3; b++)
		add_sweep(0, b, 1000, 40, line);
	shake(0.05);
	for (size_t i = 0; i < nobs; i++)
		if (obs[i].s == 0.5)
			obs[i].time_ns = 40 * 1000 * line(0.5);
	e = effect();
	assert_int_equal(e.nlevels, 4);
	for (size_t i = 0; i < e.nlevels; i++) {
		least = fmin(least, e.level[i].gain.se);
		most = fmax(most, e.level[i].gain.se);
		assert_true(e.level[i].gain.df > 2);
	}
	assert_true(least > most / 2);
	causal_effect_release(&e);
}

/* A level with a single window has the scatter of the others. */
static void test_a_level_of_one_window(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 4; b++)
		add_sweep(0, b, 1000, 40, line);
	add(0, 4, 0, 40, 40000);
	add(0, 4, 0.1, 40, 40000 * line(0.1));
	add(0, 4, 0, 40, 40000);
	shake(0.05);
	e = effect();
	assert_int_equal(e.nlevels, 5);
	assert_true(isfinite(e.level[0].gain.se));
	assert_true(e.level[0].gain.se > e.level[1].gain.se);
	assert_true(e.level[0].gain.lo < 0.03 && e.level[0].gain.hi > 0.03);
	causal_effect_release(&e);
}

static void test_few_visits_are_noted(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 20; b++)
		add_sweep(0, b, 1000, 3, line);
	e = effect();
	assert_true(e.notes & CAUSAL_FEW_VISITS);
	near(e.fit.slope.value, 0.3, 1e-12);
	causal_effect_release(&e);
}

/* One window with the region sped up: a slope, but nothing is known about its error. */
static void test_a_single_window_has_no_interval(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 0; b < 10; b++)
		add(0, b, 0, 40, 40000);
	add(0, 5, 0.5, 40, 30000);
	e = effect();
	near(e.fit.slope.value, 0.5, 1e-9);
	assert_true(isinf(e.fit.slope.se));
	causal_effect_release(&e);
}

/* Nor is the error known where there is one baseline, however many speedups. */
static void test_a_single_baseline_has_no_interval(void **state)
{
	struct causal_effect e;

	(void)state;
	add(0, 1, 0, 40, 40000);
	for (size_t i = 1; i < 10; i++)
		add(0, 1, 0.1 * (double)i, 40, 40000 * line(0.1 * (double)i) + (i % 2 ? 100 : -100));
	e = effect();
	near(e.fit.slope.value, 0.3, 0.02);
	assert_true(isinf(e.fit.slope.se));
	assert_true(isinf(e.fit.cost.se));
	causal_effect_release(&e);
}

/* Few windows: with one level the variance is Welch's, the degrees of freedom are those of Bell and McCaffrey. */
static void test_two_samples(void **state)
{
	static const double base[] = { 98, 103, 101, 99, 99 }, fast[] = { 104, 97, 99 };
	double v0 = (4 + 9 + 1 + 1 + 1) / 4.0, v1 = (16 + 9 + 1) / 2.0;
	struct causal_slope fit;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		add(0, 1, 0, 1, base[i]);
	for (size_t i = 0; i < 3; i++)
		add(0, 1, 1, 1, fast[i]);
	assert_true(causal_fit(obs, nobs, &fit));
	near(fit.slope.value, 0, 1e-12);
	near(fit.slope.se, sqrt(v0 / 5 + v1 / 3) / 100, 1e-12);
	near(fit.slope.df, pow(1 / 5.0 + 1 / 3.0, 2) / (1 / (25.0 * 4) + 1 / (9.0 * 2)), 1e-9);
	near(fit.cost.se, sqrt(v0 / 5 + v1 / 3), 1e-9);
}

/* A visit more in each window, and as much more time, is no more noise. */
static void test_visits_are_weights(void **state)
{
	struct causal_slope fit, more;

	(void)state;
	for (size_t i = 0; i < 12; i++)
		add(0, 1, 0.25 * (double)(i % 4), 9, 900 + (i % 5 == 0 ? 30 : -10));
	assert_true(causal_fit(obs, nobs, &fit));
	for (size_t i = 0; i < nobs; i++) {
		obs[i].count *= 7;
		obs[i].time_ns *= 7;
	}
	assert_true(causal_fit(obs, nobs, &more));
	near(more.slope.se, fit.slope.se, 1e-12);
	near(more.slope.df, fit.slope.df, 1e-9);
}

/* Each run is a window, and is the unit: one visit is enough, and the interval is over runs. */
static void test_whole_runs(void **state)
{
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 1; b <= 3; b++)
		add_sweep(0, b, 1e9, 1, line);
	for (size_t i = 0; i < nobs; i++)
		obs[i].whole = true;
	assert_int_equal(causal_stratify(obs, nobs), 3);
	shake(0.01);
	e = effect();
	near(e.fit.slope.value, 0.3, 0.03);
	assert_int_equal(e.fit.basis, CAUSAL_RUNS);
	assert_int_equal(e.fit.runs, 18);
	assert_true(isfinite(e.fit.slope.se));
	assert_int_equal(e.notes, 0);
	causal_effect_release(&e);
}

/* Runs that get slower by the hundred: within a block, too, that is no effect of the speedup. */
static void test_a_trend_of_whole_runs(void **state)
{
	static const double s[] = { 0, 0, 0.25, 0, 0.5, 0.75, 1 };
	struct causal_effect e;

	(void)state;
	for (uint64_t b = 1; b <= 2; b++)
		for (size_t i = 0; i < 7; i++)
			add(0, b, s[i], 1, 1e6 * line(s[i]) * (1 + 0.02 * ((double)nobs - 7)));
	for (size_t i = 0; i < nobs; i++)
		obs[i].whole = true;
	e = effect();
	near(e.fit.slope.value, 0.3, 0.003);
	near(e.fit.slope.hi - e.fit.slope.lo, 0, 0.03);
	causal_effect_release(&e);
	for (size_t i = 0; i < nobs; i++)
		obs[i].whole = false;
	e = effect();
	near(e.fit.slope.value, 0.2, 0.1);
	assert_true(e.fit.slope.hi - e.fit.slope.lo > 0.1);
	causal_effect_release(&e);
}

static void test_nothing_to_compare(void **state)
{
	struct causal_effect e;

	(void)state;
	assert_false(causal_effect(obs, 0, &e));
	assert_int_equal(e.n, 0);
	causal_effect_release(&e);
	for (uint64_t b = 0; b < 10; b++)
		add(0, b, 0, 40, 40000);
	assert_false(causal_effect(obs, nobs, &e));
	near(e.period_ns, 1000, 1e-9);
	assert_int_equal(e.treated, 0);
	causal_effect_release(&e);
	for (size_t i = 0; i < nobs; i++)
		obs[i].s = i % 2 ? 0.25 : 0.75;
	assert_false(causal_effect(obs, nobs, &e));
	assert_true(isnan(e.period_ns));
	causal_effect_release(&e);
}

#define TEST(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(exact_line),
		TEST(is_weighted_least_squares),
		TEST(drift_cancels),
		TEST(block_without_baseline),
		TEST(order_does_not_matter),
		TEST(knee),
		TEST(knee_interval),
		TEST(contention),
		TEST(no_knee_in_noise),
		TEST(bent_is_noted),
		TEST(runs_are_the_unit),
		TEST(two_runs_are_too_few_for_an_interval_over_runs),
		TEST(short_runs_are_joined),
		TEST(one_level),
		TEST(levels_share_their_scatter),
		TEST(a_level_of_one_window),
		TEST(few_visits_are_noted),
		TEST(a_single_window_has_no_interval),
		TEST(a_single_baseline_has_no_interval),
		TEST(two_samples),
		TEST(visits_are_weights),
		TEST(whole_runs),
		TEST(a_trend_of_whole_runs),
		TEST(nothing_to_compare),
	};

	return UNIT_MAIN(tests);
}
