/*
 * panel: the regions of a chart in order, and what is written above each.
 *
 * The texts are clean (caption.h), at most `room` columns wide, and the
 * caller's to free.
 */
#ifndef ANDWEORC_PROFILE_PANEL_H
#define ANDWEORC_PROFILE_PANEL_H

#include <stddef.h>

#include "profile/finding.h"

/*
 * The regions of a point that have something to draw, *n of them, in the order
 * of andweorc-analyze's report.  The caller frees the array.
 */
const struct finding **panel_rank(const struct found_point *p, size_t *n);

/* Which of two comes first in that order: as strcmp. */
int panel_order(const struct finding *a, const struct finding *b);

/* "csv.c:142 in parse_row"; the function goes before the place is cut. */
char *panel_title(const struct finding *m, size_t room);

/* "slope 0.53 [0.48, 0.58] · 27 % of samples"; a number is left out whole, never cut. */
char *panel_numbers(const struct finding *m, size_t room);

/* "high value, no gain past 30 %"; NULL when the analysis gives no verdict. */
char *panel_verdict(const struct finding *m, size_t room);

/* "base: slope 0.41 [0.35, 0.47]", with its place where that is another; base NULL: not there. */
char *panel_base(const struct finding *base, const struct finding *head, size_t room);

#endif
