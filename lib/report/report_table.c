/*
 * report_table: one row for each region.  The layouts contain less and less, and the
 * first one that fits the page is used.  Names get the remaining room.  A long name
 * leads to a smaller layout, but never removes a column.
 */
#include "report/report_table.h"

#include <math.h>

#include "text/prose.h"

/* Columns for long names: if that removes no column; otherwise; and on the narrowest page. */
enum { LONG_COLUMNS = 40, SHORT_COLUMNS = 24, LEAST_COLUMNS = 12 };

/* From the largest to the smallest. */
static const struct table_layout layouts[] = {
	{ .gap = 2, .picture = 13, .digits = 1, .has_gain = true, .has_intervals = true, .has_words = true, .has_curve = true },
	{ .gap = 2, .picture = 11, .has_gain = true, .has_intervals = true, .has_words = true, .has_curve = true },
	{ .gap = 1, .picture = 9, .has_gain = true, .has_intervals = true, .has_words = true, .has_curve = true },
	{ .gap = 1, .picture = 9, .has_gain = true, .has_intervals = true, .has_curve = true },
	{ .gap = 1, .picture = 9, .has_gain = true, .has_intervals = true },
	{ .gap = 1, .has_gain = true, .has_intervals = true },
	{ .gap = 1, .has_gain = true },
	{ .gap = 1 },
};

/* The number of layouts with all columns, which are first. */
enum { WHOLE_LAYOUTS = 4, LAYOUTS = sizeof layouts / sizeof layouts[0] };

static size_t width_of(const struct table *t, enum table_column column)
{
	size_t most = 0;

	for (long row = -1; row < (long)t->r->nshown; row++) {
		struct buf b = BUF_INIT;
		size_t width;

		table_cell(&b, t, column, row);
		width = prose_width(b.s);
		most = width > most ? width : most;
		buf_release(&b);
	}
	return most;
}

/* The columns' widths, 0 for a missing one, and their sum. */
static size_t measure_columns(const struct table *t, size_t width[TABLE_COLUMNS])
{
	size_t sum = 0;

	for (int c = 0; c < TABLE_COLUMNS; c++) {
		width[c] = width_of(t, (enum table_column)c);
		sum += width[c] ? width[c] + (sum ? t->layout.gap : 0) : 0;
	}
	return sum;
}

/* Takes the first of n layouts in which names can have `least` columns, or all that they need; false when there is none. */
static bool take_layout(struct table *t, size_t width[TABLE_COLUMNS], size_t n, size_t least)
{
	size_t columns = prose_page().columns;

	for (size_t i = 0; i < n; i++) {
		size_t sum, rest;

		t->layout = layouts[i];
		sum = measure_columns(t, width);
		if (sum <= columns)
			return true;
		rest = sum - width[COLUMN_PLACE];
		t->layout.place = width[COLUMN_PLACE] < least ? width[COLUMN_PLACE] : least;
		width[COLUMN_PLACE] = t->layout.place;
		if (rest + t->layout.place > columns)
			continue;
		width[COLUMN_PLACE] = t->layout.place = columns - rest;
		return true;
	}
	return false;
}

static void lay_out(struct table *t, size_t width[TABLE_COLUMNS])
{
	if (!take_layout(t, width, WHOLE_LAYOUTS, LONG_COLUMNS) && !take_layout(t, width, LAYOUTS, SHORT_COLUMNS))
		take_layout(t, width, LAYOUTS, LEAST_COLUMNS);
}

/* Is the impact visibly below 0? */
static const double BELOW = -0.1;

static void widen_axis(struct table *t, bool all)
{
	for (size_t i = 0; i < t->r->nshown; i++) {
		const struct estimate *slope = &t->r->row[i].im->effect.fit.slope;
		bool whole = all || t->r->row[i].class == REPORT_JUDGED;

		if (t->r->row[i].class == REPORT_UNKNOWN)
			continue;
		t->least = fmin(t->least, whole ? slope->lo : fmax(slope->lo, fmin(slope->value, BELOW)));
		t->most = fmax(t->most, whole ? slope->hi : slope->value);
	}
}

/*
 * The axis is from the intervals of regions with a verdict, and from all impacts: the
 * wide intervals of other regions would leave these no room.  An interval that reaches
 * below 0 must be visible as such.
 */
static void set_axis(struct table *t)
{
	static const double LEAST = -1, MOST = 2, SMALLEST = 0.2;

	widen_axis(t, t->r->row[0].class != REPORT_JUDGED);
	t->least = fmax(floor(t->least * 10) / 10, LEAST);
	t->most = fmin(fmax(ceil(t->most * 10) / 10, t->least + SMALLEST), MOST);
}

static void set_level(struct table *t)
{
	t->level = NAN;
	for (size_t i = 0; i < t->r->nshown; i++) {
		const struct causal_level *level = table_level(&t->r->row[i]);

		if (!level)
			continue;
		if (!isnan(t->level) && fabs(level->s - t->level) > 1e-9) {
			t->level = NAN;
			return;
		}
		t->level = level->s;
	}
}

/* Numbers of samples to the right, all else to the left. */
static bool is_right(enum table_column column)
{
	return column == COLUMN_RANK || column == COLUMN_CPU || column == COLUMN_BLOCKED;
}

static void add_row(struct buf *out, const struct table *t, const size_t width[TABLE_COLUMNS], long row)
{
	size_t blanks = 0; /* pending blanks, which are not written at the end of a line */
	bool first = true;

	for (int c = 0; c < TABLE_COLUMNS; c++) {
		enum table_column column = (enum table_column)c;
		struct buf b = BUF_INIT;
		size_t pad;

		if (!width[c])
			continue;
		table_cell(&b, t, column, row);
		pad = width[c] - prose_width(b.s);
		blanks += first ? 0 : t->layout.gap;
		blanks += is_right(column) ? pad : 0;
		if (b.len) {
			buf_addf(out, "%*s%s", (int)blanks, "", b.s);
			blanks = 0;
		}
		blanks += is_right(column) ? 0 : pad;
		first = false;
		buf_release(&b);
	}
	buf_addc(out, '\n');
}

void report_table(struct report *r)
{
	struct table t = { .r = r };
	size_t width[TABLE_COLUMNS];

	buf_addc(&r->out, '\n');
	if (!r->nshown)
		return;
	for (size_t i = 0; i < r->nshown; i++) {
		t.has_cpu = t.has_cpu || !isnan(r->row[i].cpu_pct);
		t.has_impacts = t.has_impacts || r->row[i].class != REPORT_UNKNOWN;
		t.has_blocked = t.has_blocked || r->row[i].blocked_pct >= 0.5;
	}
	set_axis(&t);
	set_level(&t);
	lay_out(&t, width);
	for (long row = -1; row < (long)r->nshown; row++)
		add_row(&r->out, &t, width, row);
	if (r->nshown < r->nrows)
		buf_addf(&r->out, "and %zu more (--top %zu)\n", r->nrows - r->nshown, r->nrows);
	buf_addc(&r->out, '\n');
}
