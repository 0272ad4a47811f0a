/*
 * value_list: several texts in one value.
 *
 * also= separates its members with ',', inlined_by= with ';' and '@'.  Inside a
 * member these, and '%', are written %XX, before the value itself is escaped.
 */
#ifndef ANDWEORC_RESOLVE_VALUE_LIST_H
#define ANDWEORC_RESOLVE_VALUE_LIST_H

#include "base/buf.h"

/* Appends one member, or a part of one; the caller writes the separators. */
void value_list_add(struct buf *list, const char *text, const char *separators);

#endif
