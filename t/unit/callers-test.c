/* Chains of calls: each is kept once, and chains without room are still counted. */
#include "unit.h"

#include "regions/callers.h"

static uint64_t counted(const struct callers *c, uint64_t place, enum arena_class class)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->ncounts; i++)
		sum += c->count[i].place == place ? c->count[i].count[class] : 0;
	return sum;
}

static void test_chains_share_their_outer_calls(void **state)
{
	struct callers c = { 0 };
	const uint64_t one[] = { 30, 20, 10 }, other[] = { 31, 21, 10 };

	(void)state;
	callers_count(&c, one, 3, false, CLASS_CPU, 2);
	callers_count(&c, other, 3, false, CLASS_CPU, 1);
	callers_count(&c, one, 3, false, CLASS_CPU, 3);
	callers_count(&c, one, 3, false, CLASS_IO, 7);
	assert_int_equal(c.ncalls, 3); /* 10; 20 and 21 by that */
	assert_int_equal(c.call[0].place, 10);
	assert_int_equal(c.call[0].by, 0);
	assert_int_equal(c.call[1].by, 1);
	assert_int_equal(c.call[2].by, 1);
	assert_int_equal(c.ncounts, 2);
	assert_int_equal(c.count[0].by, 2);
	assert_int_equal(c.count[0].count[CLASS_CPU], 5);
	assert_int_equal(c.count[0].count[CLASS_IO], 7);
	assert_int_equal(c.count[1].by, 3);
	callers_release(&c);
}

static void test_a_deeper_stack_is_another_one(void **state)
{
	struct callers c = { 0 };
	const uint64_t place[] = { 30, 10 };

	(void)state;
	callers_count(&c, place, 2, false, CLASS_CPU, 1);
	callers_count(&c, place, 2, true, CLASS_CPU, 1);
	callers_count(&c, place, 1, false, CLASS_CPU, 1);
	assert_int_equal(c.ncalls, 2);
	assert_false(c.call[0].more);
	assert_true(c.call[1].more);
	assert_int_equal(c.ncounts, 3);
	callers_release(&c);
}

static void test_a_run_has_counts_of_its_own(void **state)
{
	struct callers c = { 0 };
	const uint64_t place[] = { 30, 10 };

	(void)state;
	callers_count(&c, place, 2, false, CLASS_CPU, 1);
	callers_new_run(&c);
	assert_int_equal(c.ncounts, 0);
	callers_count(&c, place, 2, false, CLASS_CPU, 4);
	assert_int_equal(c.ncalls, 1);
	assert_int_equal(counted(&c, 30, CLASS_CPU), 4);
	callers_release(&c);
}

/* A program that is elsewhere at every sample.  Those that were known stay known. */
static void test_room_is_bounded(void **state)
{
	struct callers c = { 0 };
	const uint64_t known[] = { 1, 7, 10 };
	size_t n = 200000, before;

	(void)state;
	callers_count(&c, known, 3, false, CLASS_CPU, 1);
	for (size_t i = 0; i < n; i++)
		callers_count(&c, (const uint64_t[]){ 1, 1000 + i, 10 }, 3, false, CLASS_CPU, 1);
	assert_true(c.ncalls <= 1 << 16);
	before = c.ncounts;
	callers_count(&c, known, 3, false, CLASS_CPU, 1);
	assert_int_equal(c.ncounts, before);
	assert_int_equal(c.count[0].count[CLASS_CPU], 2);
	assert_int_equal(counted(&c, 1, CLASS_CPU), n + 2);
	callers_release(&c);
}

/* In a recursion one place comes after ever new calls: that takes no longer than other chains. */
static void test_recursion_is_not_slow(void **state)
{
	struct callers c = { 0 };
	uint64_t place[20000];

	(void)state;
	for (size_t i = 0; i < sizeof place / sizeof place[0]; i++)
		place[i] = 5;
	for (int i = 0; i < 200; i++)
		callers_count(&c, place, sizeof place / sizeof place[0], false, CLASS_CPU, 1);
	assert_int_equal(c.ncalls, sizeof place / sizeof place[0] - 1);
	assert_int_equal(c.ncounts, 1);
	callers_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains_share_their_outer_calls),
		cmocka_unit_test(test_a_deeper_stack_is_another_one),
		cmocka_unit_test(test_a_run_has_counts_of_its_own),
		cmocka_unit_test(test_room_is_bounded),
		cmocka_unit_test(test_recursion_is_not_slow),
	};

	return UNIT_MAIN(tests);
}
