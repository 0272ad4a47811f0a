/*
 * blame: the impact of regions, on the chains of calls that lead to them.
 */
#ifndef ANDWEORC_VIEW_BLAME_H
#define ANDWEORC_VIEW_BLAME_H

#include <stddef.h>

#include "analysis/impact.h"
#include "profile/stacks.h"

/*
 * Where the regions that matter have their impact: for each node and class, at
 * [node * STACK_CLASSES + class], the time in ns by which a visit of the point would be
 * shorter if what is spent there took no time; the caller frees it.  The impact of a region
 * is divided among the chains that lead to it by the time that they have in it.  Where
 * regions lie inside each other, the outer one has what its impact is more than theirs.
 * Regions with no verdict, none or harmful ones have nothing.
 *
 * *region: by node, the place of the region in the profile; owned by the caller, too.
 */
double *stacks_blame(const struct stacks *s, const struct analysis *a, const struct impact_point *point, size_t **region);

#endif
