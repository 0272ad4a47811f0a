/*
 * panel: the regions of a chart in order, and the texts above each.
 *
 * The texts are clean (text/caption.h), fit into their room, and are the caller's to free.
 */
#ifndef ANDWEORC_PLOT_PANEL_H
#define ANDWEORC_PLOT_PANEL_H

#include <stdbool.h>
#include <stddef.h>

#include "finding/finding.h"
#include "plot/counterpart.h"
#include "text/letters.h"

/* For one line of text. */
struct room {
	struct letters letters;
	double width;
};

/*
 * The regions of a point with a curve, *n of them, in the order of andweorc-analyze's
 * report.  The caller frees the array.
 */
const struct finding **panel_rank(const struct found_point *p, size_t *n);

/* Compares two regions in that order, as strcmp does. */
int panel_order(const struct finding *a, const struct finding *b);

/* "csv.c:142 in parse_row".  If that is too long, place and function are both cut, in their middles. */
char *panel_title(const struct finding *m, const struct room *r);
bool panel_title_is_whole(const struct finding *m, const struct room *r);

/* The same on two lines: "csv.c:142", and "in parse_row", or NULL where the region is no more than a function. */
char *panel_place(const struct finding *m, const struct room *r);
char *panel_function(const struct finding *m, const struct room *r);

/*
 * "slope 0.53 [0.48, 0.58] · 27 % of samples"; a number is left out whole, never
 * cut.  m NULL: no data.  `who` stands before it: "" or "head: ".
 */
char *panel_numbers(const struct finding *m, const char *who, const struct room *r);

/* "high value, no gain past 30 %"; NULL when the analysis gives no verdict. */
char *panel_verdict(const struct finding *m, const struct room *r);

/* "base: slope 0.41 [0.35, 0.47]", with its place where that is another; base NULL: no data. */
char *panel_base(const struct finding *base, const struct finding *head, const struct room *r);

/*
 * "costs less: -12 % of a visit [-15, -9] · slope -0.30 [-0.34, -0.26]": the result of
 * andweorc-diff for the two; NULL without one, and without two slopes.
 */
char *panel_change(const struct counterpart *c, const struct room *r);

#endif
