#include "unit.h"

#include "base/path.h"

static void a_name_stands_behind_the_last_slash(void **state)
{
	(void)state;
	assert_string_equal(path_name("/usr/lib/libz.so"), "libz.so");
	assert_string_equal(path_name("libz.so"), "libz.so");
	assert_string_equal(path_name("lib/"), "");
	assert_string_equal(path_name(""), "");
}

static void tails_are_of_whole_components(void **state)
{
	static const struct {
		const char *a, *b;
		size_t tail;
	} all[] = {
		{ "a/x.c", "b/x.c", 3 }, { "x.c", "b/x.c", 3 }, { "x.c", "x.c", 3 }, { "/w/x/y.c", "/v/x/y.c", 5 },
		{ "ax.c", "x.c", 0 }, { "a/x.c", "a/y.c", 0 }, { "a/ux/y.c", "a/x/y.c", 3 }, { "", "x", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		assert_int_equal(path_common_tail(all[i].a, all[i].b), all[i].tail);
		assert_int_equal(path_common_tail(all[i].b, all[i].a), all[i].tail);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_stands_behind_the_last_slash),
		cmocka_unit_test(tails_are_of_whole_components),
	};

	return UNIT_MAIN(tests);
}
