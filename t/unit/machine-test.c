/* Disturbed windows: those that differ from all others, including the first ones. */
#include "unit.h"

#include "recorder/machine.h"

enum { WALL_NS = 200 * 1000 * 1000 };

/* A window in which others used so many thousandths of the processors. */
static enum machine_verdict judge(struct machine *m, int64_t thousandths)
{
	struct machine_use use = { .foreign_ns = WALL_NS / 1000 * thousandths * sysconf(_SC_NPROCESSORS_ONLN) };

	return machine_judge(m, &use, WALL_NS);
}

/* No others used the processors, so the program's own threads have waited. */
static void test_waits_for_each_other_are_no_disturbance(void **state)
{
	struct machine m = { 0 };

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct machine_use use = { .waited_ns = i % 10 == 3 ? WALL_NS / 2 : WALL_NS / 50 };

		assert_int_not_equal(machine_judge(&m, &use, WALL_NS), MACHINE_DISTURBED);
	}
	for (size_t i = 0; i < MACHINE_FIRST; i++)
		assert_int_equal(machine_first(&m, i), MACHINE_USUAL);
	machine_release(&m);
}

static void test_the_first_are_judged_later(void **state)
{
	struct machine m = { 0 };

	(void)state;
	for (size_t i = 0; i < MACHINE_FIRST; i++) {
		assert_int_equal(judge(&m, i == 1 ? 400 : 20), MACHINE_UNKNOWN);
		assert_int_equal(machine_first(&m, i), MACHINE_UNKNOWN);
	}
	assert_int_equal(judge(&m, 21), MACHINE_USUAL);
	for (size_t i = 0; i < MACHINE_FIRST; i++)
		assert_int_equal(machine_first(&m, i), i == 1 ? MACHINE_DISTURBED : MACHINE_USUAL);
	assert_int_equal(machine_first(&m, MACHINE_FIRST), MACHINE_UNKNOWN);
	machine_release(&m);
}

/* Others that use 1.6 % of the time, or 3, or 0.5: none of that is a disturbance. */
static void test_little_is_usual(void **state)
{
	static const int64_t waits[] = { 16, 30, 5, 22, 9, 16, 31, 4, 12, 28, 16 };
	struct machine m = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		assert_int_not_equal(judge(&m, waits[i]), MACHINE_DISTURBED);
	for (size_t i = 0; i < MACHINE_FIRST; i++)
		assert_int_equal(machine_first(&m, i), MACHINE_USUAL);
	assert_int_equal(judge(&m, 200), MACHINE_DISTURBED);
	machine_release(&m);
}

/* In half of the windows others use a lot: which half is the usual one? */
static void test_two_kinds_are_both_usual(void **state)
{
	struct machine m = { 0 };

	(void)state;
	for (int i = 0; i < 20; i++)
		assert_int_not_equal(judge(&m, i % 2 ? 300 : 10), MACHINE_DISTURBED);
	machine_release(&m);
}

static void test_a_neighbour(void **state)
{
	struct machine m = { 0 };
	struct machine_use use = { 0 };

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_not_equal(machine_judge(&m, &use, WALL_NS), MACHINE_DISTURBED);
	assert_true(machine_usually_taken(&m) < 1e-9);
	use.foreign_ns = WALL_NS;
	assert_int_equal(machine_judge(&m, &use, WALL_NS), MACHINE_DISTURBED);
	machine_release(&m);
}

/* A neighbour that is always there disturbs all windows alike, and is reported. */
static void test_a_busy_machine(void **state)
{
	struct machine m = { 0 };
	struct machine_use use = { .foreign_ns = WALL_NS };
	double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);

	(void)state;
	assert_true(machine_usually_taken(&m) < 1e-9);
	for (int i = 0; i < 10; i++)
		assert_int_not_equal(machine_judge(&m, &use, WALL_NS), MACHINE_DISTURBED);
	assert_true(machine_usually_taken(&m) > 0.99 / processors);
	machine_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_are_judged_later),
		cmocka_unit_test(test_little_is_usual),
		cmocka_unit_test(test_waits_for_each_other_are_no_disturbance),
		cmocka_unit_test(test_two_kinds_are_both_usual),
		cmocka_unit_test(test_a_neighbour),
		cmocka_unit_test(test_a_busy_machine),
	};

	return UNIT_MAIN(tests);
}
