/*
 * counterpart: the regions of two analyses, side by side.
 *
 * lib/match pairs the regions.  A pair with low confidence counts only if nothing about
 * the place changed.
 */
#ifndef ANDWEORC_PLOT_COUNTERPART_H
#define ANDWEORC_PLOT_COUNTERPART_H

#include <stddef.h>

#include "diff/report.h"
#include "finding/finding.h"
#include "source/linemap.h"

struct counterpart {
	const struct finding *head; /* NULL: only base has it */
	const struct finding *base; /* NULL: only head has it */
	const struct row *row;      /* the row of andweorc-diff on them; NULL: none */
};

/*
 * All regions of a point with a curve on either side, *n of them.  Changes by andweorc-diff come first,
 * in its order.  Then come regions whose slopes differ by more than their intervals, those that are new
 * or gone by andweorc-diff, and the others.  Within these groups the order is by the smallest difference
 * that the intervals allow, then by the difference, then as in andweorc-analyze.  Regions without a
 * slope on one side have no known difference, and come last.
 *
 * `map` and `changes` may be NULL.  The caller frees the array; it borrows the rows.
 */
struct counterpart *counterparts(const struct found_point *base, const struct found_point *head, const struct linemap *map,
				 const struct report *changes, size_t *n);

#endif
