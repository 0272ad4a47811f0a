/*
 * gnuplot_parts: declarations for the writers of the script.  Other rooms include gnuplot.h.
 */
#ifndef ANDWEORC_PLOT_GNUPLOT_PARTS_H
#define ANDWEORC_PLOT_GNUPLOT_PARTS_H

#include <stdbool.h>

#include "base/buf.h"
#include "plot/chart.h"

/* How a line of text looks. */
struct style {
	enum role colour;
	bool bold;
	int size;          /* pixels */
	const char *place; /* "center" and the like, or "" */
};

/* "#0072B2": of the chart's theme. */
const char *gnuplot_colour(const struct chart *c, enum role r);

/* " font ..." of so many pixels. */
void gnuplot_font(struct buf *b, const struct chart *c, bool bold, int size);

/* A line of text whose baseline is at x, y of the chart.  The text may be anything (gnuplot.h). */
void gnuplot_label(struct buf *b, const struct chart *c, int x, int y, const struct style *s, const char *text);

/* Has the panel a knee that is drawn? */
bool gnuplot_has_knee(const struct page *p, const struct panel *l);

/* The texts around the panels. */
void gnuplot_frame(struct buf *b, const struct chart *c, const struct page *p);

#endif
