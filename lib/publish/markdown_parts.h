/*
 * markdown_parts: functions for the files that write a comment.  Each function appends.
 */
#ifndef ANDWEORC_PUBLISH_MARKDOWN_PARTS_H
#define ANDWEORC_PUBLISH_MARKDOWN_PARTS_H

#include "base/buf.h"
#include "diff/report.h"

/* Text from a report, which may be NULL, at most `columns` wide. */
void markdown_code(struct buf *b, const char *text, size_t columns);
void markdown_plain(struct buf *b, const char *text, size_t columns);

/* A symbol for the verdict of a row; static storage. */
const char *markdown_icon(const struct row *row);

enum markdown_table {
	MARKDOWN_NEWS,    /* regions that changed; the others are folded */
	MARKDOWN_OPEN,    /* regions without a verdict, and how many runs would give one */
	MARKDOWN_REST,    /* all other regions */
	MARKDOWN_MATCHES, /* regions that have moved since base */
};

/* A table of these regions, and the number of those that had no room; empty if there are none. */
void markdown_table(struct buf *b, const struct report *r, enum markdown_table which);

#endif
