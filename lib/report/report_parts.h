/*
 * report_parts: the parts of the report.  Private to it (report.c, which tells how they
 * are combined), and to the HTML page (page.c).
 */
#ifndef ANDWEORC_REPORT_REPORT_PARTS_H
#define ANDWEORC_REPORT_REPORT_PARTS_H

#include "analysis/impact.h"
#include "base/buf.h"

/* Columns of the label at the begin of a line below the table. */
#define REPORT_INDENT "         "

/* How certain an impact is.  Rows are grouped by it. */
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
	const struct impact_point *point; /* the point of the report */
	struct report_row *row;           /* its regions, in the order of the table */
	size_t nrows, nshown;             /* all, and those in the table */
	struct buf out;
	bool colour;
};

/* Is the interval narrow enough to be printed?  An interval wider than +-1 is not. */
bool report_knows_slope(const struct impact *im);

/* The same for a gain.  An interval that reaches beyond +-100 % of the program and includes 0 is not printed. */
bool report_knows_gain(const struct estimate *gain);

/* The region in words: "pzip.c:262 (verify_block)".  Adds to b; not yet clean. */
void report_name(struct buf *b, const struct profile_region *r);

/* The name of code, cleaned, at most `columns` wide; of a function, without what tells least (shortname.h).  The caller frees it. */
char *report_short(const char *name, bool is_function, size_t columns);

/* A verdict in words: a class of the page's style sheet, a word for narrow tables, and the usual words. */
struct report_verdict {
	const char *class, *word, *words;
};

const struct report_verdict *report_verdict(const struct report_row *row);

/*
 * Is there no verdict, but an interval that lies below the region's share of the CPU samples?  That share is what an
 * ordinary profile would promise, so this is worth saying.
 */
bool report_is_below_share(const struct report_row *row);

/* Does the verdict state something of the region, which warnings of the recording can put in doubt? */
bool report_states(const struct report_row *row);

/* The unit of an automatic point: "byte written"; NULL for marked points. */
const char *report_visit(const struct impact_point *p);

/* The quantity that gets shorter: "the time per 'block'".  Adds to b; not yet clean. */
void report_measure(struct buf *b, const struct impact_point *p);

/* Puts the point's regions into the order of the table; the caller frees r->row. */
void report_take_rows(struct report *r, size_t top);

/* The region to optimise, with its gain and certainty; and why not the hottest one. */
void report_lead(struct report *r);

/* A row for each region. */
void report_table(struct report *r);

/* Notes on single rows: advice, knees, doubts. */
void report_below(struct report *r);

/* Notes on the point itself. */
void report_point(struct buf *out, const struct impact_point *p);

/* A description of the recording. */
void report_setup(struct buf *out, const struct profile *p);

/* Notes on all points: coverage, the kind of the intervals, warnings. */
void report_end(struct buf *out, const struct analysis *a);

#endif
