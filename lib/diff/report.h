/*
 * report: the result of a comparison as a table, from which all outputs are made.  Its
 * TSV can be read back and gives the same outputs, so that a CI job with the permission
 * to publish need not trust the job that measured.
 */
#ifndef ANDWEORC_DIFF_REPORT_H
#define ANDWEORC_DIFF_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "diff/verdict.h"

enum row_kind {
	ROW_META,   /* name and value: properties of the comparison */
	ROW_NOTE,   /* name and value: caveats */
	ROW_POINT,  /* a progress point: the headline */
	ROW_REGION,
	ROW_KINDS
};

enum row_text {
	TEXT_NAME, TEXT_VALUE,
	TEXT_VERDICT, TEXT_DIRECTION, TEXT_POINT,
	TEXT_REGION, TEXT_BASE_REGION, TEXT_SCOPE, TEXT_FUNCTION,
	TEXT_FILE, TEXT_BASE_FILE, TEXT_MATCH, TEXT_DESIGN,
	TEXT_BASE_IMPACT, TEXT_HEAD_IMPACT, TEXT_BASE_CURVE, TEXT_HEAD_CURVE,
	TEXT_NOTE,
	ROW_TEXTS
};

enum row_real {
	REAL_LINE, REAL_BASE_LINE, REAL_CONFIDENCE,
	REAL_BASE_NS, REAL_BASE_LO, REAL_BASE_HI, REAL_HEAD_NS, REAL_HEAD_LO, REAL_HEAD_HI,
	REAL_DELTA_NS, REAL_DELTA_LO, REAL_DELTA_HI,
	REAL_PCT, REAL_PCT_LO, REAL_PCT_HI,
	REAL_P, REAL_Q, REAL_MARGIN_PCT, REAL_MDE_PCT, REAL_NEEDED,
	REAL_BASE_RUNS, REAL_HEAD_RUNS, REAL_UNITS,
	REAL_BASE_SLOPE, REAL_BASE_SLOPE_LO, REAL_BASE_SLOPE_HI,
	REAL_HEAD_SLOPE, REAL_HEAD_SLOPE_LO, REAL_HEAD_SLOPE_HI,
	REAL_SLOPE_DELTA, REAL_SLOPE_LO, REAL_SLOPE_HI, REAL_SLOPE_P,
	REAL_BASE_SHARE_PCT, REAL_HEAD_SHARE_PCT,
	REAL_SHIFT, REAL_CONFIRMED,
	REAL_POINT_NOT_SLOWER, /* for a region: 1 if its point is known not to be slower by as much as the margin */
	ROW_REALS
};

struct row {
	enum row_kind kind;
	enum change change;     /* the verdict of points and regions, as in TEXT_VERDICT */
	char *text[ROW_TEXTS];  /* owned; NULL: missing */
	double real[ROW_REALS]; /* NAN: missing */
};

struct report {
	struct row *row;
	size_t n, cap;
};

#define REPORT_INIT { 0 }

void report_release(struct report *r);

/* A row, valid until the next one is read. */
struct row *report_add(struct report *r, enum row_kind kind);
void row_set(struct row *row, enum row_text key, const char *value); /* copies; NULL: missing */
void row_judge(struct row *row, enum change c);

/* Is the version of the table, from `path`, known?  Else false, after a message. */
bool report_is_readable(const struct report *r, const char *path);

/* The row that begins a written table: REPORT_NAME with the value REPORT_VERSION. */
#define REPORT_NAME "andweorc-diff"
#define REPORT_VERSION "1"

/* Adds a row of the kind. */
void report_meta(struct report *r, const char *name, const char *value);
void report_note(struct report *r, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

const char *report_find(const struct report *r, const char *name); /* the value of a meta row; NULL */
double report_number(const struct report *r, const char *name);    /* the same as a number; NAN */

/* Names of columns and keys. */
const char *row_kind_name(enum row_kind k);
const char *row_text_name(enum row_text t);
const char *row_real_name(enum row_real r);

/*
 * Checks a row that was read, for the writers, and sets `change` by its verdict.  False
 * when it lacks a name, point, region or verdict that its kind needs.
 */
bool row_finish(struct row *row);

/* The function of a region of one line; NULL for other regions, and when it is unknown. */
const char *row_function_of_line(const struct row *row);

/* Is it unknown, with these runs, whether it has changed? */
bool row_is_open(const struct row *row);

/* Is it worse by its verdict: a slower point, or a region with more cost? */
bool row_is_worse(const struct row *row);

/*
 * Is it a regression: certainly worse, and without an excuse?  Excuses are that the
 * cost moved here from another region, that an earlier report did not have the finding,
 * and that the point of the region is known to be unchanged.
 */
bool row_is_regression(const struct row *row);

/*
 * The first line names the columns; a row each, %XX-escaped as andweorc(5).
 * Reading takes the columns in any order, and passes over unknown ones; what is
 * bad is reported and left out; false when it is no such table.
 */
void report_write_tsv(const struct report *r, FILE *out);
bool report_read_tsv(struct report *r, const char *path);

void report_write_json(const struct report *r, FILE *out);
bool report_read_json(struct report *r, FILE *in, const char *name); /* name: of `in`, for messages */

/* Reads a table or JSON, which begins with a brace. */
bool report_read(struct report *r, const char *path);

#endif
