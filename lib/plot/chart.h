/*
 * chart: the layout of a chart: its curves, their places, and the texts.
 *
 * A chart is a column of pages, one or more for each progress point; a page is
 * a grid of panels, one for each region, leading regions first (with a base,
 * those that changed most), all with the same axes.  Nothing here knows gnuplot
 * (that is gnuplot.h) and nothing here estimates: every number comes from the
 * analysis, or from the comparison of two.
 *
 * Lengths are pixels of a picture, or characters of a text; the origin is at
 * the top left.  All texts are clean (text/caption.h) and cut to their room.
 */
#ifndef ANDWEORC_PLOT_CHART_H
#define ANDWEORC_PLOT_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "diff/report.h"
#include "finding/finding.h"
#include "plot/theme.h"
#include "source/linemap.h"

#define CHART_PAGE_PANELS 12

enum chart_format {
	CHART_TEXT,
	CHART_SVG,
	CHART_PNG,
};

struct chart_request {
	enum chart_format format;
	enum theme theme;
	const struct findings *head;
	const struct findings *base; /* drawn behind head; NULL: none */
	const struct linemap *map;   /* from the tree of base to that of head; NULL: none */
	const struct report *changes; /* the report of andweorc-diff on base and head; NULL: none */
	const char *point;           /* the only one to draw; NULL: all */
	const char *title;           /* NULL: a title with program and point */
	size_t top;                  /* at most so many regions a point */
	int columns;                 /* width of a text */
};

/* Fonts of a picture, in pixels. */
enum { CHART_HEADING_SIZE = 17, CHART_MORE_SIZE = 12, CHART_TITLE_SIZE = 13, CHART_NOTE_SIZE = 11 };

/* The lines below a panel's title. */
enum chart_note {
	NOTE_NUMBERS,
	NOTE_VERDICT,
	NOTE_BASE,   /* the line about base */
	NOTE_CHANGE, /* the line of andweorc-diff on the two */
	CHART_NOTES
};

struct panel {
	const struct finding *head;   /* NULL: only base has the region */
	const struct finding *base;   /* NULL: none */
	int left, right, top, bottom; /* of the axes */
	bool outer_left;              /* has the numbers of the y axis */
	char *title;
	char *function;          /* a line of its own; NULL: none */
	char *note[CHART_NOTES]; /* NULL: none */
};

struct axis {
	double min, max, step;
};

struct page {
	char *heading;
	char *subheading;
	int top, bottom;
	struct axis x, y;
	struct panel *panel; /* panel[0..n) */
	size_t n;
};

struct chart {
	enum chart_format format;
	enum theme theme;
	bool has_base;
	int width, height;
	int line;          /* from one line of text to the next */
	struct page *page; /* page[0..n) */
	size_t n;
};

/*
 * Lays the chart out.  It borrows the analyses of the request.  False, after a message
 * with the reason, when there is nothing to draw or it would not fit into a picture.
 */
bool chart_plan(struct chart *c, const struct chart_request *q);
void chart_release(struct chart *c);

#endif
