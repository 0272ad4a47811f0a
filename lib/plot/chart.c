#include "plot/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "plot/counterpart.h"
#include "plot/heading.h"
#include "plot/panel.h"

/* The limit of cairo surfaces; gnuplot draws at twice the size (gnuplot.c). */
#define HEIGHT_MAX 16000

/* The lengths that make a page. */
struct metrics {
	int left, right; /* page margins; left holds the numbers and the name of the y axis */
	int header;      /* heading and subheading */
	int pad;         /* above a panel: with the lines of its title and notes */
	int below;       /* under a panel: the numbers of the x axis */
	int footer;      /* the name of the x axis and the legend */
	int gap;         /* between panels side by side */
	int line;        /* from one line of text to the next */
	struct letters heading, more, title, note, change;
};

static const struct metrics PICTURE = {
	.left = 78, .right = 28, .header = 82, .pad = 12, .below = 44, .footer = 64, .gap = 32, .line = 19,
	.heading = { CHART_HEADING_SIZE, true }, .more = { CHART_MORE_SIZE, false },
	.title = { CHART_TITLE_SIZE, true }, .note = { CHART_NOTE_SIZE, false }, .change = { CHART_NOTE_SIZE, true },
};
static const struct metrics TEXT = { .left = 6, .right = 2, .header = 3, .pad = 1, .below = 2, .footer = 3, .gap = 4,
				     .line = 1 };

/* ---- where ----------------------------------------------------------------- */

struct grid {
	int cols, rows;
	int panel_width, panel_height; /* of the axes */
};

static struct grid grid_of(const struct chart_request *q, const struct metrics *k, int n)
{
	static const struct {
		int most, cols, width, height;
	} pictures[] = { { 1, 1, 680, 400 }, { 2, 2, 480, 310 }, { 3, 3, 370, 250 },
			 { 4, 2, 480, 290 }, { 9, 3, 370, 240 }, { CHART_PAGE_PANELS, 4, 340, 220 } };
	struct grid g = { .panel_height = 13 };

	if (q->format == CHART_TEXT) {
		g.cols = q->columns / 48 < 1 ? 1 : q->columns / 48 < n ? q->columns / 48 : n;
		g.panel_width = (q->columns - k->left - k->right - (g.cols - 1) * k->gap) / g.cols;
		if (g.panel_width > 64)
			g.panel_width = 64;
	} else {
		size_t i = 0;

		while (pictures[i].most < n)
			i++;
		g = (struct grid){ .cols = pictures[i].cols,
				   .panel_width = pictures[i].width,
				   .panel_height = pictures[i].height };
	}
	g.rows = (n + g.cols - 1) / g.cols;
	return g;
}

/* ---- the axes -------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten (or 25), so that at most `most` steps make the span. */
static double nice_step(double span, int most)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double unit = pow(10, floor(log10(span / most)));

	if (span >= 75 && fmod(span, 25) == 0)
		return 25;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (span / (steps[i] * unit) <= most + 1e-9)
			return steps[i] * unit;
	return 10 * unit;
}

static void widen_axis(struct axis *a, double x)
{
	if (isnan(x) || fabs(x) > 1e6) /* a damaged value must not hide the others */
		return;
	if (x < a->min)
		a->min = x;
	if (x > a->max)
		a->max = x;
}

static double last_speedup(const struct finding *m)
{
	return m && m->n ? m->curve[m->n - 1].speedup_pct : 0;
}

static struct axis x_axis(const struct page *p)
{
	struct axis a = { 0, 0, 0 };

	for (size_t i = 0; i < p->n; i++) {
		widen_axis(&a, last_speedup(p->panel[i].head));
		widen_axis(&a, last_speedup(p->panel[i].base));
	}
	if (a.max <= 0)
		a.max = 100; /* slopes alone */
	a.step = nice_step(a.max, 6);
	a.max *= 1.03; /* the last interval bar needs air */
	return a;
}

/* Shows as much of the intervals as leaves the points readable: `room` above and below them. */
static void widen_by_interval(struct axis *a, const struct finding *m, double least, double most)
{
	for (size_t i = 0; m && i < m->n; i++) {
		if (!isnan(m->curve[i].lo))
			widen_axis(a, fmax(m->curve[i].lo, least));
		if (!isnan(m->curve[i].hi))
			widen_axis(a, fmin(m->curve[i].hi, most));
	}
}

static void widen_by_points(struct axis *a, const struct finding *m, double x_max)
{
	double end;

	if (!m)
		return;
	end = isnan(m->max_useful_pct) ? x_max : fmin(x_max, m->max_useful_pct);
	for (size_t i = 0; i < m->n; i++)
		widen_axis(a, m->curve[i].program_pct);
	if (finding_is_known(m))
		widen_axis(a, m->slope * end);
}

static struct axis y_axis(const struct page *p)
{
	/* Never so narrow that noise around zero looks like a shape. */
	struct axis a = { -0.02 * p->x.max, 0.1 * p->x.max, 0 };
	double room, least, most;

	for (size_t i = 0; i < p->n; i++) {
		widen_by_points(&a, p->panel[i].head, p->x.max);
		widen_by_points(&a, p->panel[i].base, p->x.max);
	}
	room = 0.6 * (a.max - a.min);
	least = a.min - room;
	most = a.max + room;
	for (size_t i = 0; i < p->n; i++) {
		widen_by_interval(&a, p->panel[i].head, least, most);
		widen_by_interval(&a, p->panel[i].base, least, most);
	}
	a.min -= 0.03 * (a.max - a.min);
	a.max += 0.03 * (a.max - a.min);
	a.step = nice_step(a.max - a.min, 7);
	return a;
}

/* ---- the pages ------------------------------------------------------------- */

/*
 * The function gets a line of its own if one of the titles would be cut otherwise; not in
 * text output, where lines are few.
 */
static bool has_function_lines(const struct page *p, const struct metrics *k, double width)
{
	const struct room title = { k->title, width };

	for (size_t i = 0; i < p->n && k != &TEXT; i++)
		if (!panel_title_is_whole(p->panel[i].head ? p->panel[i].head : p->panel[i].base, &title))
			return true;
	return false;
}

static void word_panel(struct panel *p, const struct counterpart *c, const struct metrics *k, bool function_lines,
		       bool has_base)
{
	const double width = p->right - p->left;
	const struct room title = { k->title, width }, note = { k->note, width }, change = { k->change, width };
	const struct finding *m = p->head ? p->head : p->base;

	p->title = (function_lines ? panel_place : panel_title)(m, &title);
	p->function = function_lines ? panel_function(m, &note) : NULL;
	p->note[NOTE_NUMBERS] = panel_numbers(p->head, has_base ? "head: " : "", &note);
	p->note[NOTE_VERDICT] = p->head ? panel_verdict(p->head, &note) : NULL;
	p->note[NOTE_BASE] = has_base ? panel_base(p->base, p->head, &note) : NULL;
	p->note[NOTE_CHANGE] = has_base ? panel_change(c, &change) : NULL;
}

static void plan_page(struct chart *c, struct page *p, const struct chart_request *q, const struct counterpart *v)
{
	const struct metrics *k = q->format == CHART_TEXT ? &TEXT : &PICTURE;
	struct grid g = grid_of(q, k, (int)p->n);
	int width = k->left + g.cols * g.panel_width + (g.cols - 1) * k->gap + k->right, above;
	bool function_lines;

	p->panel = xcalloc(p->n, sizeof *p->panel);
	for (size_t i = 0; i < p->n; i++) {
		p->panel[i].head = v[i].head;
		p->panel[i].base = v[i].base;
	}
	function_lines = has_function_lines(p, k, g.panel_width);
	above = k->pad + k->line * (1 + function_lines + (c->has_base ? NOTE_CHANGE : NOTE_VERDICT) + 1);
	p->top = c->height;
	for (int i = 0; i < (int)p->n; i++) {
		struct panel *l = p->panel + i;

		l->outer_left = i % g.cols == 0;
		l->left = k->left + i % g.cols * (g.panel_width + k->gap);
		l->right = l->left + g.panel_width;
		l->top = p->top + k->header + i / g.cols * (above + g.panel_height + k->below) + above;
		l->bottom = l->top + g.panel_height;
		word_panel(l, &v[i], k, function_lines, c->has_base);
	}
	p->bottom = p->top + k->header + g.rows * (above + g.panel_height + k->below) + k->footer;
	p->x = x_axis(p);
	p->y = y_axis(p);
	c->height = p->bottom;
	if (q->format == CHART_TEXT)
		c->width = q->columns;
	else if (width > c->width)
		c->width = width;
}

/* The regions in the order in which they are drawn. */
static struct counterpart *ranked(const struct chart_request *q, const struct found_point *head, size_t *n)
{
	const struct finding **alone;
	struct counterpart *v;

	if (q->base)
		return counterparts(findings_point(q->base, head->name), head, q->map, q->changes, n);
	alone = panel_rank(head, n);
	v = xcalloc(*n + 1, sizeof *v);
	for (size_t i = 0; i < *n; i++)
		v[i].head = alone[i];
	free(alone);
	return v;
}

/* One point: as many pages as its leading regions fill. */
static void plan_point(struct chart *c, size_t *cap, const struct chart_request *q, const struct found_point *head)
{
	const struct metrics *k = q->format == CHART_TEXT ? &TEXT : &PICTURE;
	size_t all, n;
	struct counterpart *v = ranked(q, head, &all);

	n = all < q->top ? all : q->top;
	for (size_t first = 0; first < n; first += CHART_PAGE_PANELS) {
		struct page *p;
		int width;

		c->page = xgrow(c->page, c->n, cap, sizeof *c->page);
		p = &c->page[c->n++];
		*p = (struct page){ .n = n - first < CHART_PAGE_PANELS ? n - first : CHART_PAGE_PANELS };
		plan_page(c, p, q, v + first);
		width = c->width - k->left - k->right;
		p->heading = heading_text(q, head->name, &(struct room){ k->heading, width });
		p->subheading = heading_more(q, p, head->name, first, all, &(struct room){ k->more, width });
	}
	free(v);
}

static void say_empty(const struct chart_request *q)
{
	const struct findings *a = q->head;
	const struct found_point *first = a->points.n ? a->points.entry[0].value : NULL;

	if (first && q->point && !findings_point(a, q->point))
		msg_error("nothing to plot: no progress point '%s'; %s '%s'", q->point,
			  a->points.n > 1 ? "the first is" : "the only one is", first->name);
	else if (!first && a->tool && strcmp(a->tool, "analyze"))
		msg_error("nothing to plot: no analysis, but a log of andweorc-%s; run andweorc-analyze on it first", a->tool);
	else if (a->warning)
		msg_error("nothing to plot: %s", a->warning);
	else if (first)
		msg_error("nothing to plot: no region has a curve yet; record for longer (-d)");
	else
		msg_error("nothing to plot: the analysis holds no impact");
}

bool chart_plan(struct chart *c, const struct chart_request *q)
{
	size_t cap = 0;

	*c = (struct chart){ .format = q->format,
			     .theme = q->theme,
			     .has_base = q->base,
			     .line = q->format == CHART_TEXT ? TEXT.line : PICTURE.line };
	for (size_t i = 0; i < q->head->points.n; i++) {
		const struct found_point *p = q->head->points.entry[i].value;

		if (!q->point || !strcmp(q->point, p->name))
			plan_point(c, &cap, q, p);
	}
	if (!c->n) {
		say_empty(q);
		return false;
	}
	if (q->format != CHART_TEXT && c->height > HEIGHT_MAX) {
		msg_error("%zu pages are too many for one picture; choose a progress point (-p) or fewer regions (-t)", c->n);
		chart_release(c);
		return false;
	}
	return true;
}

static void page_release(struct page *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->panel[i].title);
		free(p->panel[i].function);
		for (size_t k = 0; k < CHART_NOTES; k++)
			free(p->panel[i].note[k]);
	}
	free(p->panel);
	free(p->heading);
	free(p->subheading);
}

void chart_release(struct chart *c)
{
	for (size_t i = 0; i < c->n; i++)
		page_release(&c->page[i]);
	free(c->page);
	*c = (struct chart){ 0 };
}
