/*
 * utf8: characters in text from outside, and the columns that they take.
 */
#ifndef ANDWEORC_BASE_UTF8_H
#define ANDWEORC_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the character at s, which ends with NUL.  Answers its bytes, or 0 when
 * the bytes there are no shortest form of a character; then *c is the first byte.
 */
size_t utf8_decode(const char *s, uint32_t *c);

/*
 * Should nobody see this character as it is?  Controls, all format characters and
 * separators but the blank, what else is invisible, and what is no character of XML.
 * Whatever is shown to people asks here, and nowhere else: messages, reports,
 * comments, pictures.
 */
bool utf8_is_hidden(uint32_t c);

/* 2 for a wide character (CJK, emoji), else 1. */
size_t utf8_columns(uint32_t c);

#endif
