#include <math.h>

#include "profile/phase.h"
#include "unit.h"

static void test_no_phases(void **state)
{
	(void)state;
	assert_true(phase_error(0.2, 0.4, 1000, 0.4) == 0);
	/* 3 points are chance, of 1000 samples that come in rows. */
	assert_true(phase_error(0.2, 0.4, 1000, 0.43) == 0);
	assert_true(phase_error(0.2, 0.4, 1000, 0.37) == 0);
}

static void test_phases(void **state)
{
	(void)state;
	/* Twice the share may be twice the gain. */
	assert_true(fabs(phase_error(0.2, 0.4, 1000000, 0.8) - 0.2) < 0.001);
	assert_true(fabs(phase_error(0.2, 0.4, 1000000, 0) - 0.2) < 0.001);
	assert_true(fabs(phase_error(-0.2, 0.4, 1000000, 0.8) - 0.2) < 0.001);
	/* Few samples know little. */
	assert_true(phase_error(0.2, 0.4, 20, 0.6) < phase_error(0.2, 0.4, 2000, 0.6));
}

static void test_edges(void **state)
{
	(void)state;
	assert_true(phase_error(0, 0.4, 1000, 0.9) == 0);
	assert_true(phase_error(0.2, 1, 1000, 1) == 0);
	assert_true(fabs(phase_error(0.2, 1, 1000, 0.5) - 0.1) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_phases),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_edges),
	};

	return UNIT_MAIN(tests);
}
