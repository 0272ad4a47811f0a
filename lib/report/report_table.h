/*
 * report_table: how the table is laid out, and its cells.  Private to the report.
 */
#ifndef ANDWEORC_REPORT_REPORT_TABLE_H
#define ANDWEORC_REPORT_REPORT_TABLE_H

#include "report/report_parts.h"

enum table_column {
	COLUMN_RANK,
	COLUMN_PLACE,
	COLUMN_CPU,
	COLUMN_BLOCKED,
	COLUMN_IMPACT,
	COLUMN_PICTURE,
	COLUMN_GAIN,
	COLUMN_CURVE,
	COLUMN_VERDICT,
	TABLE_COLUMNS,
};

/* A layout: the columns, and their widths. */
struct table_layout {
	size_t gap;          /* between columns */
	size_t place;        /* a longer name loses its middle; 0 = as long as it is */
	size_t picture;      /* 0 = none */
	int digits;          /* digits of gains */
	bool has_gain;
	bool has_intervals;  /* gains have intervals */
	bool has_words;      /* verdicts in full */
	bool has_curve;
};

struct table {
	const struct report *r;
	struct table_layout layout;
	bool has_cpu;        /* shares of samples are known */
	bool has_blocked;    /* threads were blocked in some regions */
	bool has_impacts;    /* some intervals can be printed */
	double least, most;  /* impacts at the ends of the axis of pictures */
	double level;        /* the speedup of the gains; NAN: each row has its own */
};

/* Text of the column, with its head in row -1.  Adds clean text without a blank at its end to b. */
void table_cell(struct buf *b, const struct table *t, enum table_column column, long row);

/*
 * The interval as a line, the value as a dot on it, and a mark at 0; with arrows if it
 * leaves the axis.  Adds to b.
 */
void table_picture(struct buf *b, const struct table *t, const struct report_row *row);

/* The ends of the axis, as wide as a picture.  Adds to b. */
void table_axis(struct buf *b, const struct table *t);

/* The measured speedup that is nearest to 50 %; NULL where its gain cannot be printed. */
const struct causal_level *table_level(const struct report_row *row);

#endif
