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

/* A path that is the tail of others comes before them, and what has it as components before what goes on within a name. */
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
