/*
 * text: strings that may be NULL, which means unknown.
 */
#ifndef ANDWEORC_BASE_TEXT_H
#define ANDWEORC_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

/* As strcmp(3); NULL is like "". */
static inline int text_order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Are both known, and the same? */
static inline bool text_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* For texts that are known. */
static inline bool text_begins(const char *s, const char *begin)
{
	return strncmp(s, begin, strlen(begin)) == 0;
}

/* Is it known, and one of the names?  A NULL ends those. */
static inline bool text_is_one_of(const char *s, const char *const *names)
{
	for (; s && *names; names++)
		if (!strcmp(s, *names))
			return true;
	return false;
}

#endif
