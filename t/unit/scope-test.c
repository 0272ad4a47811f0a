/* Patterns of --only, --exclude, --only-function and --exclude-function. */
#include "unit.h"

#include "regions/scope.h"

static struct scope scope;

static int nothing_named(void **state)
{
	(void)state;
	scope_release(&scope);
	return 0;
}

static bool is_excluded(const char *path, int line)
{
	return patterns_match(&scope.exclude, path, line);
}

static void of_files(void **state)
{
	(void)state;
	patterns_add(&scope.exclude, "main.c");
	assert_true(is_excluded("main.c", 7));
	assert_true(is_excluded("/home/me/src/main.c", 7));
	assert_true(is_excluded("/home/me/src/main.c", 0));
	assert_false(is_excluded("/home/me/domain.c", 7));
	assert_false(is_excluded("/home/me/main.c/other.c", 7));
	assert_false(is_excluded("/home/me/main.cc", 7));
	assert_false(scope.exclude.lines);
}

static void of_folders(void **state)
{
	(void)state;
	patterns_add(&scope.exclude, "vendor/*");
	assert_true(is_excluded("vendor/slow.c", 1));
	assert_true(is_excluded("/home/me/vendor/deep/down/slow.c", 1));
	assert_false(is_excluded("/home/me/vendors/slow.c", 1));
	assert_false(is_excluded("/home/me/vendor.c", 1));
}

static void of_modules(void **state)
{
	(void)state;
	patterns_add(&scope.exclude, "libslow.so*");
	patterns_add(&scope.exclude, "libfast.so:3");
	assert_true(is_excluded("/usr/lib/libslow.so.1.2", 0));
	assert_false(is_excluded("/usr/lib/libslower.so", 0));
	assert_false(is_excluded("/usr/lib/libfast.so", 0));
}

static void of_lines(void **state)
{
	(void)state;
	patterns_add(&scope.exclude, "main.c:7");
	assert_true(scope.exclude.lines);
	assert_true(is_excluded("/src/main.c", 7));
	assert_false(is_excluded("/src/main.c", 8));
	assert_false(is_excluded("/src/main.c", 0));
	assert_false(is_excluded("/src/slow.c", 7));
	assert_true(is_excluded("/src/main.c", SCOPE_ANY_LINE));
}

/* What follows the colon is no line: it belongs to the name. */
static void of_names_with_colons(void **state)
{
	(void)state;
	patterns_add(&scope.exclude, "a:b.c");
	patterns_add(&scope.exclude, "c.c:0");
	patterns_add(&scope.exclude, ":5");
	assert_false(scope.exclude.lines);
	assert_true(is_excluded("/src/a:b.c", 3));
	assert_true(is_excluded("/src/c.c:0", 3));
	assert_false(is_excluded("/src/c.c", 0));
	assert_true(is_excluded("/src/:5", 1));
}

static void of_functions(void **state)
{
	(void)state;
	function_patterns_add(&scope.only_functions, "slo?");
	function_patterns_add(&scope.only_functions, "inner");
	assert_true(function_patterns_match(&scope.only_functions, "slow"));
	assert_true(function_patterns_match(&scope.only_functions, "inner"));
	assert_false(function_patterns_match(&scope.only_functions, "slower"));
	assert_false(function_patterns_match(&scope.only_functions, "own"));
	assert_false(function_patterns_match(&scope.exclude_functions, "own"));
}

static void written(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	scope_write(&scope, &text);
	assert_string_equal(text.s, "default");
	text.len = 0;
	function_patterns_add(&scope.exclude_functions, "slo?");
	patterns_add(&scope.exclude, "main.c:7");
	patterns_add(&scope.only, "*.c");
	scope_write(&scope, &text);
	assert_string_equal(text.s, "--only *.c --exclude main.c:7 --exclude-function slo?");
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(of_files, nothing_named),
		cmocka_unit_test_teardown(of_folders, nothing_named),
		cmocka_unit_test_teardown(of_modules, nothing_named),
		cmocka_unit_test_teardown(of_lines, nothing_named),
		cmocka_unit_test_teardown(of_names_with_colons, nothing_named),
		cmocka_unit_test_teardown(of_functions, nothing_named),
		cmocka_unit_test_teardown(written, nothing_named),
	};

	return UNIT_MAIN(tests);
}
