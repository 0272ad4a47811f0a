/* page_curve: curves as SVG. Numbers are rounded so that a picture is the same on every machine. */
#include <math.h>

#include "report/page_parts.h"
#include "text/markup.h"
#include "text/prose.h"

/* ---- axes -------------------------------------------------------------------------- */

/* The axis is from rows whose interval can be shown.  Wider intervals would leave them no room. */
struct page_axis page_axis(const struct report *r)
{
	static const double LEAST = -1, MOST = 2;
	struct page_axis a = { .least = -0.1, .most = 0.2, .low = 0, .high = 10 };
	bool all = r->nrows > 0 && r->row[0].class != REPORT_JUDGED;

	for (size_t i = 0; i < r->nshown; i++) {
		const struct report_row *row = &r->row[i];
		const struct causal_effect *e = &row->im->effect;
		bool whole = all || row->class == REPORT_JUDGED;

		if (row->class == REPORT_UNKNOWN)
			continue;
		a.least = fmin(a.least, whole ? e->fit.slope.lo : e->fit.slope.value);
		a.most = fmax(a.most, whole ? e->fit.slope.hi : e->fit.slope.value);
		for (size_t k = 0; k < e->nlevels; k++) {
			if (!report_knows_gain(&e->level[k].gain))
				continue;
			a.low = fmin(a.low, 100 * (whole ? e->level[k].gain.lo : e->level[k].gain.value));
			a.high = fmax(a.high, 100 * (whole ? e->level[k].gain.hi : e->level[k].gain.value));
		}
	}
	a.least = fmax(floor(a.least * 10) / 10, LEAST);
	a.most = fmin(ceil(a.most * 10) / 10, MOST);
	a.low = fmax(floor(a.low / 10) * 10, -100);
	a.high = fmin(ceil(a.high / 10) * 10, 100);
	return a;
}

static double within(double x, double lo, double hi)
{
	return fmin(fmax(x, lo), hi);
}

/* ---- the interval ------------------------------------------------------------------- */

enum { BAR_WIDTH = 120, BAR_HEIGHT = 14, BAR_EDGE = 5 };

static double bar_x(const struct page_axis *a, double slope)
{
	return BAR_EDGE + (BAR_WIDTH - 2 * BAR_EDGE) * (within(slope, a->least, a->most) - a->least) / (a->most - a->least);
}

void page_interval(struct buf *b, const struct page_axis *a, const struct estimate *slope)
{
	buf_addf(b, "<svg class=\"bar\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">", BAR_WIDTH, BAR_HEIGHT);
	buf_addf(b, "<path class=\"zero\" d=\"M%.1f 0V%d\"/>", bar_x(a, 0), BAR_HEIGHT);
	buf_addf(b, "<path class=\"range\" d=\"M%.1f %dH%.1f\"/>", bar_x(a, slope->lo), BAR_HEIGHT / 2, bar_x(a, slope->hi));
	buf_addf(b, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%d\" r=\"3.5\"/></svg>", bar_x(a, slope->value), BAR_HEIGHT / 2);
}

/* ---- the small curve ---------------------------------------------------------------- */

enum { SPARK_WIDTH = 64, SPARK_HEIGHT = 20, SPARK_EDGE = 2 };

void page_spark(struct buf *b, const struct report_row *row)
{
	const struct causal_effect *e = &row->im->effect;
	double low = 0, high = 0.02;

	if (!e->nlevels || row->class == REPORT_UNKNOWN)
		return;
	for (size_t i = 0; i < e->nlevels; i++) {
		low = fmin(low, e->level[i].gain.value);
		high = fmax(high, e->level[i].gain.value);
	}
	buf_addf(b, "<svg class=\"spark%s\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\"><path d=\"M%d %.1f", row->class == REPORT_JUDGED ? "" : " loose", SPARK_WIDTH, SPARK_HEIGHT, SPARK_EDGE,
		 SPARK_HEIGHT - SPARK_EDGE - (SPARK_HEIGHT - 2 * SPARK_EDGE) * (0 - low) / (high - low));
	for (size_t i = 0; i < e->nlevels; i++)
		buf_addf(b, "L%.1f %.1f", SPARK_EDGE + (SPARK_WIDTH - 2 * SPARK_EDGE) * e->level[i].s,
			 SPARK_HEIGHT - SPARK_EDGE - (SPARK_HEIGHT - 2 * SPARK_EDGE) * (e->level[i].gain.value - low) / (high - low));
	buf_adds(b, "\"/></svg>");
}

/* ---- the large curve ---------------------------------------------------------------- */

enum { WIDTH = 300, HEIGHT = 190, LEFT = 40, RIGHT = 12, TOP = 10, BOTTOM = 34 };

static double curve_x(double s)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * s;
}

static double curve_y(const struct page_axis *a, double pct)
{
	return TOP + (HEIGHT - TOP - BOTTOM) * (a->high - within(pct, a->low, a->high)) / (a->high - a->low);
}

/* Between lines of the grid, so that there are about four. */
static double step_of(double range)
{
	static const double steps[] = { 5, 10, 20, 25, 50 };

	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
		if (range / steps[i] <= 5)
			return steps[i];
	return 50;
}

static void add_grid(struct buf *b, const struct page_axis *a)
{
	double step = step_of(a->high - a->low);

	for (double y = ceil(a->low / step) * step; y <= a->high + 1e-9; y += step) {
		buf_addf(b, "<path class=\"%s\" d=\"M%d %.1fH%d\"/>", fabs(y) < 1e-9 ? "zero" : "grid", LEFT, curve_y(a, y), WIDTH - RIGHT);
		buf_addf(b, "<text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%.0f</text>", LEFT - 6, curve_y(a, y) + 4, y + 0.0);
	}
	for (int s = 0; s <= 100; s += 25)
		buf_addf(b, "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%d</text>", curve_x(s / 100.), HEIGHT - BOTTOM + 15, s);
	buf_addf(b, "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">region faster by, %%</text>", curve_x(0.5), HEIGHT - 3);
}

/* The dotted line on which a gain is as great as the speedup. */
static void add_one_for_one(struct buf *b, const struct page_axis *a)
{
	double s = fmin(1, a->high / 100);

	buf_addf(b, "<path class=\"one\" d=\"M%.1f %.1fL%.1f %.1f\"/>", curve_x(0), curve_y(a, 0), curve_x(s), curve_y(a, 100 * s));
}

/* The band over levels [from, to), all with intervals that can be shown; from the origin where they are the first ones. */
static void add_piece(struct buf *b, const struct page_axis *a, const struct causal_effect *e, size_t from, size_t to)
{
	bool origin = from == 0;

	if (origin)
		buf_addf(b, "<path class=\"band\" d=\"M%.1f %.1f", curve_x(0), curve_y(a, 0));
	else
		buf_adds(b, "<path class=\"band\" d=\"");
	for (size_t i = from; i < to; i++)
		buf_addf(b, "%c%.1f %.1f", i == from && !origin ? 'M' : 'L', curve_x(e->level[i].s), curve_y(a, 100 * e->level[i].gain.hi));
	for (size_t i = to; i-- > from;)
		buf_addf(b, "L%.1f %.1f", curve_x(e->level[i].s), curve_y(a, 100 * e->level[i].gain.lo));
	buf_adds(b, "Z\"/>");
}

/* The band ends where an interval is missing, because nothing is known there. */
static void add_band(struct buf *b, const struct page_axis *a, const struct causal_effect *e)
{
	size_t from = 0;

	for (size_t i = 0; i <= e->nlevels; i++) {
		if (i < e->nlevels && report_knows_gain(&e->level[i].gain))
			continue;
		if (i > from)
			add_piece(b, a, e, from, i);
		from = i + 1;
	}
}

/* Intervals as strokes, too: one without neighbours has no band. */
static void add_strokes(struct buf *b, const struct page_axis *a, const struct causal_effect *e)
{
	for (size_t i = 0; i < e->nlevels; i++) {
		const struct estimate *gain = &e->level[i].gain;

		if (report_knows_gain(gain))
			buf_addf(b, "<path class=\"range thin\" d=\"M%.1f %.1fV%.1f\"/>", curve_x(e->level[i].s), curve_y(a, 100 * gain->lo),
				 curve_y(a, 100 * gain->hi));
	}
}

/* A curve without a valid verdict must not look like one with a verdict. */
static void add_line(struct buf *b, const struct page_axis *a, const struct causal_effect *e, bool judged)
{
	buf_addf(b, "<path class=\"line%s\" d=\"M%.1f %.1f", judged ? "" : " loose", curve_x(0), curve_y(a, 0));
	for (size_t i = 0; i < e->nlevels; i++)
		if (isfinite(e->level[i].gain.value))
			buf_addf(b, "L%.1f %.1f", curve_x(e->level[i].s), curve_y(a, 100 * e->level[i].gain.value));
	buf_adds(b, "\"/>");
}

/* Each dot has its numbers as a tooltip.  A dot is hollow if its interval is too wide to be printed. */
static void add_dots(struct buf *b, const struct page_axis *a, const struct causal_effect *e)
{
	for (size_t i = 0; i < e->nlevels; i++) {
		const struct estimate *gain = &e->level[i].gain;

		if (!isfinite(gain->value))
			continue;
		buf_addf(b, "<circle class=\"dot%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%.0f %% faster: the program gains ",
			 report_knows_gain(gain) ? "" : " open", curve_x(e->level[i].s), curve_y(a, 100 * gain->value), 100 * e->level[i].s);
		prose_add_interval(b, 100 * gain->value, 100 * gain->lo, 100 * gain->hi, 1);
		buf_adds(b, " %</title></circle>");
	}
}

static void add_knee(struct buf *b, const struct causal_effect *e)
{
	if (!isnan(e->knee))
		buf_addf(b, "<path class=\"knee\" d=\"M%.1f %dV%d\"><title>nothing more is gained beyond %.0f %%</title></path>", curve_x(e->knee), TOP,
			 HEIGHT - BOTTOM, 100 * e->knee);
}

void page_curve(struct buf *b, const struct page_axis *a, const struct report_row *row, size_t rank)
{
	const struct causal_effect *e = &row->im->effect;

	buf_addf(b, "<figure><figcaption><span class=\"rank\">%zu</span> <span class=\"name\">", rank);
	markup_add_clean(b, row->im->region->label);
	buf_addf(b, "</span></figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
	buf_adds(b, "What the program gains, in per cent, by how much faster ");
	markup_add_clean(b, row->im->region->label);
	buf_adds(b, " is\">");
	add_grid(b, a);
	add_one_for_one(b, a);
	add_band(b, a, e);
	add_strokes(b, a, e);
	add_knee(b, e);
	add_line(b, a, e, row->class == REPORT_JUDGED);
	add_dots(b, a, e);
	buf_adds(b, "</svg></figure>\n");
}
