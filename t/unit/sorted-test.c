#include "unit.h"

#include "base/sorted.h"

static void counts_what_is_not_above(void **state)
{
	const struct {
		uint64_t at;
		char of;
	} v[] = { { 3, 'a' }, { 3, 'b' }, { 7, 'c' }, { UINT64_MAX, 'd' } };

	(void)state;
	assert_int_equal(sorted_up_to(NULL, 0, sizeof *v, 3), 0);
	assert_int_equal(sorted_up_to(v, 4, sizeof *v, 0), 0);
	assert_int_equal(sorted_up_to(v, 4, sizeof *v, 2), 0);
	assert_int_equal(sorted_up_to(v, 4, sizeof *v, 3), 2);
	assert_int_equal(sorted_up_to(v, 4, sizeof *v, 6), 2);
	assert_int_equal(sorted_up_to(v, 4, sizeof *v, 7), 3);
	assert_int_equal(sorted_up_to(v, 4, sizeof *v, UINT64_MAX), 4);
	assert_int_equal(sorted_up_to(v, 3, sizeof *v, UINT64_MAX), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_is_not_above),
	};

	return UNIT_MAIN(tests);
}
