/*
 * texthash: hashes of source text that survive another indentation.
 *
 * Blanks and the end of the line are left out.  The hash is FNV-1a, 64 bits; it
 * is part of the format andweorc(5), so that analyses that were made at
 * different times can be compared.
 */
#ifndef ANDWEORC_BASE_TEXTHASH_H
#define ANDWEORC_BASE_TEXTHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool texthash_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The hash of a blank line: the initial value, TEXTHASH_NONE. */
#define TEXTHASH_NONE UINT64_C(0xcbf29ce484222325)

static inline uint64_t texthash_line(const char *s, size_t len)
{
	uint64_t h = TEXTHASH_NONE;

	for (size_t i = 0; i < len; i++)
		if (!texthash_is_blank(s[i]))
			h = (h ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
	return h;
}

#endif
