/* Distributions against published tables; Benjamini-Hochberg against a worked example. */
#include "unit.h"

#include <math.h>

#include "estimate/stats.h"

static void near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.12g instead of %.12g", got, want);
}

static void test_t(void **state)
{
	(void)state;
	/* quantiles of Student's t, as in any table */
	near(stats_t95(1), 12.706, 0.0005);
	near(stats_t95(2), 4.303, 0.0005);
	near(stats_t95(9), 2.262, 0.0005);
	near(stats_t95(30), 2.042, 0.0005);
	near(stats_t95(1e6), 1.960, 0.0005);
	/* between whole degrees of freedom */
	assert_true(stats_t95(3.5) < stats_t95(3) && stats_t95(3.5) > stats_t95(4));
	/* the quantile and the p belong together, on both sides */
	near(stats_t_p(2.262157, 9), 0.05, 1e-7);
	near(stats_t_p(-2.262157, 9), 0.05, 1e-7);
	near(stats_t_p(0, 5), 1, 1e-12);
	assert_true(stats_t_p(INFINITY, 3) == 0);
	assert_true(stats_t_p(NAN, 3) == 1);
}

static void test_f(void **state)
{
	(void)state;
	near(stats_f_p(4.10, 2, 10), 0.05, 0.0005);
	/* F with one degree of freedom is t squared */
	near(stats_f_p(9, 1, 7), stats_t_p(3, 7), 1e-12);
}

static void test_mean(void **state)
{
	const double x[] = { 4, 6, 5, 9 };
	struct estimate e;

	(void)state;
	assert_false(stats_mean(x, 1, &e));
	assert_true(stats_mean(x, 4, &e));
	near(e.value, 6, 1e-12);
	near(e.se, sqrt(14.0 / 3) / 2, 1e-12);
	near(e.df, 3, 0);
	near(e.hi, 6 + 3.182446 * e.se, 1e-5);
	near(e.lo, 6 - 3.182446 * e.se, 1e-5);
	near(e.p, stats_t_p(6 / e.se, 3), 1e-12);
}

static void test_mean_of_equal_values(void **state)
{
	const double x[] = { 2, 2, 2 };
	struct estimate e;

	(void)state;
	assert_true(stats_mean(x, 3, &e));
	assert_true(e.lo == 2 && e.hi == 2 && e.p == 0);
}

static void test_bh(void **state)
{
	/* in no order; sorted: 0.005 0.01 0.03 0.04 0.9 */
	const double p[] = { 0.04, 0.9, 0.01, 0.005, 0.03 };
	double q[5];

	(void)state;
	stats_bh(p, 5, q);
	near(q[3], 0.025, 1e-12);
	near(q[2], 0.025, 1e-12);
	near(q[4], 0.05, 1e-12);
	near(q[0], 0.05, 1e-12);
	near(q[1], 0.9, 1e-12);
	stats_bh(p, 0, q);
}

static void test_bh_in_place_and_monotone(void **state)
{
	double p[] = { 0.02, 0.021, 0.5 };

	(void)state;
	/* 0.02 * 3 / 1 would be more than 0.021 * 3 / 2: the smaller p may not have the larger q */
	stats_bh(p, 3, p);
	near(p[0], 0.0315, 1e-12);
	near(p[1], 0.0315, 1e-12);
	near(p[2], 0.5, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_t),    cmocka_unit_test(test_f),
		cmocka_unit_test(test_mean), cmocka_unit_test(test_mean_of_equal_values),
		cmocka_unit_test(test_bh),   cmocka_unit_test(test_bh_in_place_and_monotone),
	};

	return UNIT_MAIN(tests);
}
