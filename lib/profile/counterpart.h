/*
 * counterpart: the regions of two analyses, side by side.
 *
 * What a region of one is in the other is lib/diff/match's to say; a pair that it
 * is not sure of counts only where nothing about the place changed.
 */
#ifndef ANDWEORC_PROFILE_COUNTERPART_H
#define ANDWEORC_PROFILE_COUNTERPART_H

#include <stddef.h>

#include "diff/linemap.h"
#include "profile/finding.h"

struct counterpart {
	const struct finding *head; /* NULL: base has it alone */
	const struct finding *base; /* NULL: head has it alone */
};

/*
 * All regions of a point that have something to draw on either side, *n of them,
 * those whose slope changed most first: by what the intervals leave of the change
 * at the least, then by the change, then as andweorc-analyze orders them.  `map`
 * may be NULL.  The caller frees the array.
 */
struct counterpart *counterparts(const struct found_point *base, const struct found_point *head, const struct linemap *map,
				 size_t *n);

#endif
