/*
 * utf8: characters in text from outside, and the columns that they take.
 */
#ifndef ANDWEORC_BASE_UTF8_H
#define ANDWEORC_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the character at s, which ends with NUL. Returns its length in bytes, or 0
 * when the bytes there are not the shortest form of a character; then *c is the first
 * byte.
 */
size_t utf8_decode(const char *s, uint32_t *c);

/*
 * Must this character be masked?  These are controls, all format characters and
 * separators except the blank, other invisible characters, and characters that XML does
 * not allow.  All text for people uses this function: messages, reports, comments,
 * pictures.
 */
bool utf8_is_hidden(uint32_t c);

/* 2 for a wide character (CJK, emoji), else 1. */
size_t utf8_columns(uint32_t c);

#endif
