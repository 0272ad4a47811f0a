#include "base/alloc.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cli.h"
#include "base/msg.h"

static _Noreturn void out_of_memory(void)
{
	msg_die(EXIT_TROUBLE, "out of memory");
}

/* A size of 0 becomes 1: NULL is left to mean "nothing there". */
void *xcalloc(size_t count, size_t size)
{
	void *p = count && size ? calloc(count, size) : calloc(1, 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xrealloc(void *old, size_t count, size_t size)
{
	void *p;

	if (size && count > SIZE_MAX / size)
		out_of_memory();
	p = realloc(old, count && size ? count * size : 1);
	if (!p)
		out_of_memory();
	return p;
}

char *xstrndup(const char *s, size_t len)
{
	char *p;

	len = strnlen(s, len);
	p = xrealloc(NULL, len + 1, 1);
	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		out_of_memory();
	return s;
}

void *xgrow(void *array, size_t used, size_t *cap, size_t size)
{
	if (used < *cap)
		return array;
	if (used > SIZE_MAX / 2 - 8)
		out_of_memory();
	*cap = used < 8 ? 16 : used * 2;
	return xrealloc(array, *cap, size);
}

void alloc_keep_freed(void)
{
#ifdef M_TRIM_THRESHOLD
	enum { LARGEST = 32 << 20, NEVER = 1 << 30 }; /* malloc accepts no more than 32 MB for the first */

	mallopt(M_MMAP_THRESHOLD, LARGEST);
	mallopt(M_TRIM_THRESHOLD, NEVER);
#endif
}
