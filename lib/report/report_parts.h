/*
 * report_parts: the parts of the report.  Private to it (report.c, which says how
 * they are put together), and to the same on a page of HTML (page.c).
 */
#ifndef ANDWEORC_REPORT_REPORT_PARTS_H
#define ANDWEORC_REPORT_REPORT_PARTS_H

#include "analysis/impact.h"
#include "base/buf.h"

/* Below the rows of a table, what a line is about stands in front, in so many columns. */
#define REPORT_INDENT "         "

/* How sure an impact is, which parts the rows of a table. */
enum report_class {
	REPORT_JUDGED,   /* it has a verdict */
	REPORT_UNSURE,   /* its interval is too wide for one */
	REPORT_UNKNOWN,  /* there is no interval that could be printed */
};

struct report_row {
	const struct impact *im;
	enum report_class class;
	double cpu_pct, blocked_pct; /* NAN: not known */
};

struct report {
	const struct analysis *a;
	const struct impact_point *point; /* that is being reported on */
	struct report_row *row;           /* its regions, in the order of the table */
	size_t nrows, nshown;             /* all, and those in the table */
	struct buf out;
	bool colour;
};

/* Is the interval narrow enough to be printed?  One wider than +-1 is not. */
bool report_knows_slope(const struct impact *im);

/* The same of a gain.  One that reaches beyond +-100 % of the program and leaves it open whether there is a gain says nothing. */
bool report_knows_gain(const struct estimate *gain);

/* The region in words: "pzip.c:262 (verify_block)".  Adds to b; not yet clean. */
void report_name(struct buf *b, const struct profile_region *r);

/* What a visit of an automatic point is: "byte written"; NULL for points that somebody has marked. */
const char *report_visit(const struct impact_point *p);

/* What gets shorter: "the time per 'block'".  Adds to b; not yet clean. */
void report_measure(struct buf *b, const struct impact_point *p);

/* Puts the point's regions into the order of the table; the caller frees r->row. */
void report_take_rows(struct report *r, size_t top);

/* What to work on, by how much, how sure; and why not on the hottest region. */
void report_lead(struct report *r);

/* A row for each region. */
void report_table(struct report *r);

/* What there is to say of single rows: what they need, knees, doubts. */
void report_below(struct report *r);

/* The point itself. */
void report_point(struct buf *out, const struct impact_point *p);

/* What was recorded. */
void report_setup(struct buf *out, const struct profile *p);

/* What holds for all points: coverage, the kind of the intervals, warnings. */
void report_end(struct buf *out, const struct analysis *a);

#endif
