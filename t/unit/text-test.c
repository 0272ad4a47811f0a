#include "unit.h"

#include "base/text.h"

static void what_is_not_known_is_empty_and_like_nothing(void **state)
{
	(void)state;
	assert_int_equal(text_order(NULL, NULL), 0);
	assert_int_equal(text_order(NULL, ""), 0);
	assert_true(text_order(NULL, "a") < 0 && text_order("b", "a") > 0);
	assert_true(text_same("a", "a"));
	assert_false(text_same("a", "b"));
	assert_false(text_same("a", NULL));
	assert_false(text_same(NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_known_is_empty_and_like_nothing),
	};

	return UNIT_MAIN(tests);
}
