/*
 * terminal: properties of the terminal that standard output goes to.
 */
#ifndef ANDWEORC_BASE_TERMINAL_H
#define ANDWEORC_BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Columns of text on paper, in a log, and in a file. */
enum { TERMINAL_NONE_COLUMNS = 100 };

/*
 * Columns of the terminal: COLUMNS if that is set, else the terminal's own number, at
 * least 60 and at most 200.  TERMINAL_NONE_COLUMNS when standard output is not a
 * terminal.
 */
size_t terminal_columns(void);

/* Is it a terminal that shows bold text, and NO_COLOR not set? */
bool terminal_has_colour(void);

/* Is UTF-8 the user's character set?  By the locale, or its name where the locale is not installed. */
bool terminal_has_utf8(void);

#endif
