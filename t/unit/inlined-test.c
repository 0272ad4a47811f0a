#include <string.h>

#include "profile/inlined.h"
#include "unit.h"

static void takes_frames_apart(void **state)
{
	char text[] = "f@/src/a.c:3;ns::g(int)@/src/b.h:70;main";
	char *rest = text;
	struct inlined f;

	(void)state;
	assert_true(inlined_next(&rest, &f));
	assert_string_equal(f.function, "f");
	assert_string_equal(f.place, "/src/a.c:3");
	assert_true(inlined_next(&rest, &f));
	assert_string_equal(f.function, "ns::g(int)");
	assert_true(inlined_next(&rest, &f));
	assert_string_equal(f.function, "main");
	assert_null(f.place);
	assert_false(inlined_next(&rest, &f));
}

static void decodes_what_separates(void **state)
{
	char text[] = "a%3Bb%40c%25@/a%3Bb/x.c:1";
	char *rest = text;
	struct inlined f;

	(void)state;
	assert_true(inlined_next(&rest, &f));
	assert_string_equal(f.function, "a;b@c%");
	assert_string_equal(f.place, "/a;b/x.c:1");
}

static void survives_bad_escapes(void **state)
{
	char text[] = "a%@b%0;%zz@%";
	char *rest = text, *none = NULL;
	struct inlined f;

	(void)state;
	assert_true(inlined_next(&rest, &f));
	assert_string_equal(f.function, "a%");
	assert_string_equal(f.place, "b%0");
	assert_true(inlined_next(&rest, &f));
	assert_string_equal(f.function, "%zz");
	assert_string_equal(f.place, "%");
	assert_false(inlined_next(&none, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_frames_apart),
		cmocka_unit_test(decodes_what_separates),
		cmocka_unit_test(survives_bad_escapes),
	};

	return UNIT_MAIN(tests);
}
