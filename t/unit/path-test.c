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

static void what_was_fetched_is_nobody_s_own(void **state)
{
	static const char *const own[] = { "/home/u/p/src/main.rs", "src/registry/src/entry.c", "/w/cargo/src/lib.rs", "/home/u/conan/main.c" };
	static const char *const foreign[] = {
		"/usr/include/c++/12/bits/stl_algo.h", "/rustc/90b35a6/library/core/src/iter/range.rs",
		"/home/u/.rustup/toolchains/x/lib/rustlib/src/rust/library/std/src/io.rs",
		"/home/u/.cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0/src/lib.rs",
		"/usr/local/cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0/src/lib.rs",
		"/opt/rust/registry/src/github.com-1ecc6299db9ec823/libc-0.2/src/lib.rs", "/usr/share/cargo/registry/libc-0.2/src/lib.rs",
		"/home/u/.cargo/git/checkouts/x-1234/abc/src/lib.rs", "/home/u/.conan2/p/b/zlib/src/inflate.c",
		"/w/build/vcpkg_installed/x64-linux/include/fmt/core.h",
	};

	(void)state;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		assert_true(path_is_own_source(own[i]));
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		assert_false(path_is_own_source(foreign[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_stands_behind_the_last_slash),
		cmocka_unit_test(tails_are_of_whole_components),
		cmocka_unit_test(what_was_fetched_is_nobody_s_own),
	};

	return UNIT_MAIN(tests);
}
