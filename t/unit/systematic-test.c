/*
 * Errors that are added to intervals: intervals never get narrower, parts are added in
 * squares, and an unknown interval stays unknown.
 */
#include "unit.h"

#include <math.h>

#include "estimate/systematic.h"

static struct causal_level level[2];

static struct causal_effect effect(double slope, double se, double df)
{
	struct causal_effect e = { .level = level, .nlevels = 2, .period_ns = 2e6 };
	struct estimate fit = { .value = slope, .se = se, .df = df };

	e.fit.slope = e.fit.cost = fit;
	e.fit.cost.value *= 2e6;
	e.fit.cost.se *= 2e6;
	for (size_t i = 0; i < 2; i++) {
		level[i] = (struct causal_level){ .s = 0.25 * (double)(i + 1), .gain = fit };
		level[i].gain.value *= level[i].s;
		level[i].gain.se *= level[i].s;
		stats_estimate_finish(&level[i].gain);
	}
	stats_estimate_finish(&e.fit.slope);
	stats_estimate_finish(&e.fit.cost);
	return e;
}

static double half(const struct estimate *e)
{
	return (e->hi - e->lo) / 2;
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-4 * fabs(want)))
		fail_msg("%.12g instead of %.12g", got, want);
}

static void test_half_widths(void **state)
{
	(void)state;
	for (double df = 1; df < 100; df *= 3) {
		struct causal_effect e = effect(0.5, 0.01, df);
		double before = half(&e.fit.slope), gain = half(&level[1].gain);
		double off = 1.96 * hypot(systematic_relative(0, false) * 0.5, systematic_slope);

		systematic_widen(&e, systematic_relative(0, false));
		near(half(&e.fit.slope), hypot(before, off));
		near(half(&e.fit.cost), 2e6 * hypot(before, off));
		near(half(&level[1].gain), hypot(gain, off * 0.5));
		near(e.fit.slope.value, 0.5);
		near(e.fit.slope.df, df);
	}
}

static void test_certainty_has_a_limit(void **state)
{
	struct causal_effect e = effect(0.5, 0, 4), zero = effect(0.002, 0.0001, 50);

	(void)state;
	systematic_widen(&e, systematic_relative(0, false));
	near(half(&e.fit.slope), 1.96 * hypot(systematic_relative(0, false) * 0.5, systematic_slope));
	/* an effect below the systematic error of virtual speedups is no finding, however often it was measured */
	assert_true(zero.fit.slope.p < 1e-6);
	systematic_widen(&zero, systematic_relative(0, false));
	assert_true(zero.fit.slope.p > 0.5);
}

static void test_threads_that_wait(void **state)
{
	struct causal_effect e = effect(0.5, 0, 4);

	(void)state;
	near(systematic_relative(0, false), 0.03);
	near(systematic_relative(0.2, false), hypot(0.03, 0.06));
	/* most threads are idle */
	near(systematic_relative(0.9, false), hypot(0.03, 0.1));
	near(systematic_relative(0, true), hypot(0.03, 0.25));
	systematic_widen(&e, systematic_relative(0.2, false));
	near(half(&e.fit.slope), 1.96 * hypot(systematic_relative(0.2, false) * 0.5, systematic_slope));
}

static void test_unbounded_stays(void **state)
{
	struct causal_effect e = effect(0.5, INFINITY, 3);

	(void)state;
	systematic_widen(&e, systematic_relative(0, false));
	assert_true(isinf(e.fit.slope.se) && e.fit.slope.value == 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_widths),
		cmocka_unit_test(test_certainty_has_a_limit),
		cmocka_unit_test(test_threads_that_wait),
		cmocka_unit_test(test_unbounded_stays),
	};

	return UNIT_MAIN(tests);
}
