/* The cells of the table. */
#include "report/report_table.h"

#include <math.h>
#include <stdlib.h>

#include "base/path.h"
#include "format/region_class.h"
#include "text/prose.h"
#include "text/spark.h"

static const double HALF = 0.5;

/* Most bars of a small picture. */
enum { MOST_BARS = 8 };

const struct causal_level *table_level(const struct report_row *row)
{
	const struct causal_effect *e = &row->im->effect;
	const struct causal_level *best = NULL;

	for (size_t i = 0; i < e->nlevels; i++)
		if (!best || fabs(e->level[i].s - HALF) < fabs(best->s - HALF))
			best = &e->level[i];
	return best && row->class != REPORT_UNKNOWN && report_knows_gain(&best->gain) ? best : NULL;
}

/* The label, and further details of the place: the function of a line, or the file and line of a function. */
static void add_details(struct buf *b, const struct profile_region *r)
{
	if (region_is_class(r->scope))
		return;
	if (region_is_line(r->scope)) {
		buf_adds(b, r->function ? r->function : "");
		return;
	}
	if (!r->file)
		return;
	buf_adds(b, path_name(r->file));
	if (r->line)
		buf_addf(b, ":%llu", (unsigned long long)r->line);
}

/* Divides the columns between two texts: each gives up columns beyond its half. */
static void share_columns(size_t columns, size_t *one, size_t *other)
{
	size_t half = columns / 2;

	if (*one + *other <= columns)
		return;
	*other = *other <= half ? *other : *one < columns - half ? columns - *one : half;
	*one = columns - *other;
}

static void add_short(struct buf *b, const char *text, bool is_function, size_t columns)
{
	char *s = report_short(text, is_function, columns);

	buf_adds(b, s);
	free(s);
}

/*
 * Appends label and details in `columns` (0: unlimited).  If they do not fit, a line
 * keeps its number and the name of its function, and a function loses its file.
 */
static void add_place(struct buf *b, const struct profile_region *r, size_t columns)
{
	char *label = prose_clean(r->label), *details;
	bool is_line = region_is_line(r->scope);
	struct buf raw = BUF_INIT;
	size_t one = prose_width(label), other;

	buf_adds(&raw, "");
	add_details(&raw, r);
	details = prose_clean(raw.s);
	other = prose_width(details);
	if (columns && other && one + 1 + other > columns && !is_line)
		other = 0;
	if (columns && other)
		share_columns(columns - 1, &one, &other);
	else if (columns && one > columns)
		one = columns;
	add_short(b, label, !is_line, one);
	if (other) {
		buf_addc(b, ' ');
		add_short(b, details, is_line, other);
	}
	free(label);
	free(details);
	buf_release(&raw);
}

/* "42 %"; a small share that is not 0 is not written as "0 %". */
static void add_share(struct buf *b, double pct)
{
	if (isnan(pct))
		return;
	if (pct > 0 && pct < 0.5)
		buf_adds(b, "<1 %");
	else
		buf_addf(b, "%.0f %%", pct);
}

static void add_cpu(struct buf *b, const struct report_row *row)
{
	/* a kind of waiting has no time on a processor */
	if (!region_is_class(row->im->region->scope) || row->cpu_pct > 0)
		add_share(b, row->cpu_pct);
}

static void add_impact(struct buf *b, const struct report_row *row)
{
	const struct estimate *slope = &row->im->effect.fit.slope;

	if (row->class == REPORT_UNKNOWN) {
		buf_adds(b, "    ?");
		return;
	}
	if (slope->value > -0.005)
		buf_addc(b, ' '); /* in the place of a sign */
	prose_add_interval(b, slope->value, slope->lo, slope->hi, 2);
}

static void add_gain(struct buf *b, const struct table *t, const struct report_row *row)
{
	const struct causal_level *level = table_level(row);
	struct estimate e;

	if (!level) {
		buf_adds(b, " ?");
		return;
	}
	e = level->gain;
	if (!t->layout.has_intervals)
		e.lo = e.hi = INFINITY;
	if (e.value > -0.005 * pow(10, -t->layout.digits))
		buf_addc(b, '+');
	prose_add_interval(b, 100 * e.value, 100 * e.lo, 100 * e.hi, t->layout.digits);
	if (isnan(t->level))
		buf_addf(b, " at %.0f %%", 100 * level->s);
}

static void add_gain_head(struct buf *b, const struct table *t)
{
	buf_adds(b, "gain %");
	if (!isnan(t->level))
		buf_addf(b, " at %.0f %%", 100 * t->level);
}

/* Height by the gain; the first bar is the baseline, so a curve that falls starts high.  Of many levels, some. */
static void add_curve(struct buf *b, const struct report_row *row)
{
	const struct causal_effect *e = &row->im->effect;
	size_t n = e->nlevels < MOST_BARS - 1 ? e->nlevels : MOST_BARS - 1;
	struct spark s = SPARK_INIT;

	if (!e->nlevels || row->class == REPORT_UNKNOWN)
		return;
	for (size_t i = 0; i < e->nlevels; i++)
		spark_widen(&s, 100 * e->level[i].gain.value);
	buf_adds(b, spark_bar(&s, 0, prose_page().utf8));
	for (size_t i = 1; i <= n; i++)
		buf_adds(b, spark_bar(&s, 100 * e->level[i * e->nlevels / n - 1].gain.value, prose_page().utf8));
}

static void add_verdict(struct buf *b, const struct table *t, const struct report_row *row)
{
	const struct report_verdict *v = report_verdict(row);

	buf_adds(b, t->layout.has_words ? v->words : v->word);
	if (report_states(row) && t->r->a->nundermined)
		buf_addc(b, '?');
}

static void add_head(struct buf *b, const struct table *t, enum table_column column)
{
	static const char *const heads[TABLE_COLUMNS] = {
		[COLUMN_RANK] = "#",         [COLUMN_PLACE] = "place", [COLUMN_CPU] = "CPU",         [COLUMN_BLOCKED] = "wait",
		[COLUMN_IMPACT] = " impact", [COLUMN_CURVE] = "curve", [COLUMN_VERDICT] = "verdict",
	};

	if (column == COLUMN_PICTURE)
		table_axis(b, t);
	else if (column == COLUMN_GAIN)
		add_gain_head(b, t);
	else if (heads[column])
		buf_adds(b, heads[column]);
}

static bool has_column(const struct table *t, enum table_column column)
{
	switch (column) {
	case COLUMN_CPU:
		return t->has_cpu;
	case COLUMN_BLOCKED:
		return t->has_blocked;
	case COLUMN_PICTURE:
		return t->has_impacts && t->layout.picture;
	case COLUMN_GAIN:
		return t->layout.has_gain;
	case COLUMN_CURVE:
		return t->has_impacts && t->layout.has_curve;
	default:
		return true;
	}
}

void table_cell(struct buf *b, const struct table *t, enum table_column column, long row)
{
	const struct report_row *at = row < 0 ? NULL : &t->r->row[row];

	buf_adds(b, "");
	if (!has_column(t, column))
		return;
	if (!at) {
		add_head(b, t, column);
		return;
	}
	switch (column) {
	case COLUMN_RANK:
		buf_addf(b, "%ld", row + 1);
		break;
	case COLUMN_PLACE:
		add_place(b, at->im->region, t->layout.place);
		break;
	case COLUMN_CPU:
		add_cpu(b, at);
		break;
	case COLUMN_BLOCKED:
		add_share(b, at->blocked_pct);
		break;
	case COLUMN_IMPACT:
		add_impact(b, at);
		break;
	case COLUMN_PICTURE:
		table_picture(b, t, at);
		break;
	case COLUMN_GAIN:
		add_gain(b, t, at);
		break;
	case COLUMN_CURVE:
		add_curve(b, at);
		break;
	case COLUMN_VERDICT:
		add_verdict(b, t, at);
		break;
	case TABLE_COLUMNS:
		break;
	}
}
