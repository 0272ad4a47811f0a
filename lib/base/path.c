#include "base/path.h"

#include <string.h>

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
