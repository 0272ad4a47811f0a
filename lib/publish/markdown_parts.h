/*
 * markdown_parts: what the files that write a comment share.  Each function appends.
 */
#ifndef ANDWEORC_PUBLISH_MARKDOWN_PARTS_H
#define ANDWEORC_PUBLISH_MARKDOWN_PARTS_H

#include "base/buf.h"
#include "diff/report.h"

/* Text out of a report, NULL included, at most `columns` wide. */
void markdown_code(struct buf *b, const char *text, size_t columns);
void markdown_plain(struct buf *b, const char *text, size_t columns);

/* What a row says, at a glance; static storage. */
const char *markdown_icon(const struct row *row);

enum markdown_table {
	MARKDOWN_NEWS,    /* what changed; the others are folded away */
	MARKDOWN_OPEN,    /* where it cannot be told yet, and what would tell */
	MARKDOWN_REST,    /* neither of these */
	MARKDOWN_MATCHES, /* what is not where it was in base */
};

/* The regions of the report that belong there, and how many had no room; nothing where there are none. */
void markdown_table(struct buf *b, const struct report *r, enum markdown_table which);

#endif
