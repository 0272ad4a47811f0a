/*
 * blame: divides the impact of regions among the chains of calls that lead to them.
 */
#ifndef ANDWEORC_VIEW_BLAME_H
#define ANDWEORC_VIEW_BLAME_H

#include <stddef.h>

#include "analysis/impact.h"
#include "profile/stacks.h"

/*
 * The impact by node and class, at [node * STACK_CLASSES + class]: the time in ns by which
 * a visit of the point would be shorter if the time there were 0.  The caller frees it.
 * The impact of a region is divided among the chains that lead to it, in proportion to
 * their time in it.  If regions are nested, the outer one has only the part of its impact
 * beyond that of the inner ones.  Regions without a verdict, without an effect, or with a
 * harmful one have 0.
 *
 * *region: by node, the place of the region in the profile; owned by the caller, too.
 */
double *stacks_blame(const struct stacks *s, const struct analysis *a, const struct impact_point *point, size_t **region);

#endif
