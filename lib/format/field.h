/*
 * field: the %XX escapes inside a line of andweorc(5).
 *
 * Escaped are the bytes <= 0x20, 0x7f and '%'.  %00 is never valid: values are
 * C strings.  Both cases of hexadecimal digits are read, upper case is written.
 */
#ifndef ANDWEORC_FORMAT_FIELD_H
#define ANDWEORC_FORMAT_FIELD_H

#include <stddef.h>

#include "base/buf.h"

/* The first '%' in s[0..len) that does not start a valid escape, or NULL. */
const char *field_bad_escape(const char *s, size_t len);

/* Decodes in place a string whose escapes are valid. */
void field_unescape(char *s);

/* Appends s[0..len) escaped; `also` is one more byte to escape, or 0. */
void field_escape(struct buf *b, const char *s, size_t len, char also);

#endif
