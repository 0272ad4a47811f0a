/*
 * page_parts: the parts of the page.  Private to it.
 *
 *     page.c        the document: headings, sentences, the table
 *     page_curve.c  pictures: intervals, small and large curves
 *     page_style.c  the style, the script, and their hashes
 */
#ifndef ANDWEORC_REPORT_PAGE_PARTS_H
#define ANDWEORC_REPORT_PAGE_PARTS_H

#include "base/buf.h"
#include "report/report_parts.h"

/* The ends of the axis that the intervals of all rows are drawn on. */
struct page_axis {
	double least, most; /* range of impacts */
	double low, high;   /* range of gains, in per cent */
};

struct page_axis page_axis(const struct report *r);

/* The interval as a line, the value as a dot on it, and a stroke where 0 is. */
void page_interval(struct buf *b, const struct page_axis *axis, const struct estimate *slope);

/* The curve without numbers; nothing for a row that has none. */
void page_spark(struct buf *b, const struct report_row *row);

/* The curve with its interval, axes, and the line for one for one; `rank` is that of the row. */
void page_curve(struct buf *b, const struct page_axis *axis, const struct report_row *row, size_t rank);

extern const char page_style[], page_script[];

/* SHA-256 of each, in base64, as Content-Security-Policy wants it.  t/0471-page.t compares them. */
extern const char page_style_hash[], page_script_hash[];

#endif
