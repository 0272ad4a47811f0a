/*
 * counterpart: the regions of two analyses, side by side.
 *
 * What a region of one is in the other is lib/match/match's to say; a pair that it
 * is not sure of counts only where nothing about the place changed.
 */
#ifndef ANDWEORC_PLOT_COUNTERPART_H
#define ANDWEORC_PLOT_COUNTERPART_H

#include <stddef.h>

#include "diff/report.h"
#include "finding/finding.h"
#include "source/linemap.h"

struct counterpart {
	const struct finding *head; /* NULL: base has it alone */
	const struct finding *base; /* NULL: head has it alone */
	const struct row *row;      /* what andweorc-diff says of the two, or of the one; NULL: nothing */
};

/*
 * All regions of a point that have something to draw on either side, *n of them.
 * What andweorc-diff calls a change comes first, in its order.  Then come those whose slopes differ
 * by more than their intervals, those that andweorc-diff calls new or gone, and the others; within these
 * by what the intervals leave of the difference at the least, then by the difference, then as
 * andweorc-analyze orders them.  Where a side has no slope, nothing is known of a difference:
 * such regions come last.
 *
 * `map` and `changes` may be NULL.  The caller frees the array; it borrows the rows.
 */
struct counterpart *counterparts(const struct found_point *base, const struct found_point *head, const struct linemap *map,
				 const struct report *changes, size_t *n);

#endif
