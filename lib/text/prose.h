/*
 * prose: text for people.  Functions add to a buffer, which is printed when it is
 * complete.  Text from a log cannot move the cursor of a terminal, nor give commands to
 * a CI runner that reads the output.
 *
 * There is one page: 100 columns of UTF-8, unless the tool sets another one before it
 * writes.
 */
#ifndef ANDWEORC_TEXT_PROSE_H
#define ANDWEORC_TEXT_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"

struct prose_page {
	size_t columns;
	bool utf8;      /* else ASCII alone */
	bool unbroken;  /* a paragraph is one line, whatever its width */
};

void prose_set_page(struct prose_page page);
struct prose_page prose_page(void);

/*
 * The text with unsafe characters masked: controls and invalid UTF-8 as \xNN, marks
 * that are invisible or change the direction as \uNNNN. On an ASCII page, all other
 * characters, too.  The caller frees it.
 */
char *prose_clean(const char *text);

/* Columns of UTF-8 text. */
size_t prose_width(const char *text);

/* As prose_clean, and at most `columns` (5 or more) wide: a long name loses its middle. */
char *prose_short(const char *text, size_t columns);

/*
 * A paragraph that starts with `first`, broken at blanks, the next lines
 * starting with `indent`, on the page, and in 120 columns at most; a word longer
 * than a line stays whole.
 */
void prose_wrap(struct buf *b, const char *first, const char *indent, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Writes the text.  If a line would be a workflow command, a backslash is inserted. */
void prose_print(const struct buf *text, FILE *out);

/* Appends x with so many digits behind the point, and never "-0". */
void prose_add_number(struct buf *b, double x, int digits);

/* Appends "0.45 (0.38 to 0.52)"; of an interval that is not finite, the value alone. */
void prose_add_interval(struct buf *b, double value, double lo, double hi, int digits);

/* "1.23 ms" */
const char *prose_time(double ns, char out[32]);

#endif
