/*
 * prose: text for people, at most 100 columns wide.  Functions add to a buffer,
 * which is printed when it is whole; text out of a log cannot move the cursor of a
 * terminal, nor give orders to a CI runner that reads what is printed.
 */
#ifndef ANDWEORC_PROFILE_PROSE_H
#define ANDWEORC_PROFILE_PROSE_H

#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"

enum { PROSE_COLUMNS = 100 };

/* Control bytes as \xNN.  The caller frees. */
char *prose_clean(const char *text);

/* Columns of UTF-8 text: characters, that is. */
size_t prose_width(const char *text);

/* As prose_clean, and at most `columns` (3 or more) wide: what falls out of a long name is its middle. */
char *prose_short(const char *text, size_t columns);

/*
 * A paragraph that starts with `first`, broken at blanks, the next lines
 * starting with `indent`; a word longer than a line stays whole.
 */
void prose_wrap(struct buf *b, const char *first, const char *indent, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Writes the text; where a line would begin a workflow command, with a backslash in it. */
void prose_print(const struct buf *text, FILE *out);

/* "1.23 ms" */
const char *prose_time(double ns, char out[32]);

#endif
