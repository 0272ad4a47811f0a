/*
 * write: writes a report in the formats for people.
 */
#ifndef ANDWEORC_PUBLISH_WRITE_H
#define ANDWEORC_PUBLISH_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "diff/report.h"

/* For a terminal, 100 columns. */
void write_text(const struct report *r, bool colour, FILE *out);

/*
 * For a comment on a pull request, or a summary: at most `most` bytes; whole sections
 * are left out to keep this limit, the least important first.  `id` distinguishes
 * comments of several reports; NULL: no marker, because it is not a comment.
 */
void write_markdown(const struct report *r, const char *id, size_t most, FILE *out);

/*
 * Workflow commands of GitHub, shown as annotations of lines: at most `most` of each
 * severity.  A row that meets one of `gates` (enum gate) is an error.
 */
void write_github(const struct report *r, unsigned gates, size_t most, FILE *out);

#endif
