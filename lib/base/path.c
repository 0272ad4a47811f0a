#include "base/path.h"

#include <string.h>

#include "base/text.h"

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

size_t path_common_tail(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), best = 0;

	for (size_t i = 0; i < la && i < lb && a[la - 1 - i] == b[lb - 1 - i]; i++)
		if ((i + 1 == la || a[la - 2 - i] == '/') && (i + 1 == lb || b[lb - 2 - i] == '/'))
			best = i + 1;
	return best;
}

/*
 * A path that is the tail of others comes before them.  A '/' sorts before other
 * characters, so paths with the same components are adjacent.
 */
int path_order_by_tail(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), i = 0;
	int ca, cb;

	while (i < la && i < lb && a[la - 1 - i] == b[lb - 1 - i])
		i++;
	ca = i == la ? -2 : a[la - 1 - i] == '/' ? -1 : (unsigned char)a[la - 1 - i];
	cb = i == lb ? -2 : b[lb - 1 - i] == '/' ? -1 : (unsigned char)b[lb - 1 - i];
	return ca - cb;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

bool path_is_own_source(const char *file)
{
	/* Rust's library consists of its own sources (/rustc) and of adopted crates (its hash map). */
	static const char *const foreign[] = { "/usr/include/", "/usr/lib/",    "/usr/src/",   "/usr/local/include/",
					       "/rustc/",       "/rust/deps/", "/build/glibc" };

	static const char *const fetched[] = { "/.cargo/registry/", "/cargo/registry/", "/registry/src/index.crates.io-", "/registry/src/github.com-",
					       "/.cargo/git/checkouts/", "/cargo/git/checkouts/", "/.conan/data/", "/.conan2/p/", "/vcpkg_installed/",
					       "/vcpkg/installed/", "/vcpkg/buildtrees/" };

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (text_begins(file, foreign[i]))
			return false;
	/* clang names headers by way of its own directory: /usr/bin/../lib/gcc/.../include/c++/12/mutex */
	/* Crates of a registry or of git, where CARGO_HOME is by default and where distributions and images of containers have it. */
	for (size_t i = 0; i < sizeof(fetched) / sizeof(fetched[0]); i++)
		if (strstr(file, fetched[i]))
			return false;
	return !strstr(file, "/rustlib/src/") && !strstr(file, "/sysdeps/") &&
	       !strstr(file, "/include/c++/") && !strstr(file, "/lib/clang/") && !strstr(file, "/bits/stl_") &&
	       !ends_with(file, "/andweorc.h") && !ends_with(file, "/coz.h");
}
