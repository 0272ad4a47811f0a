/*
 * adjust: takes out of windows what chance put into them.
 *
 * How often samples found the region in a window varies: by the luck of sampling,
 * and because the program has phases.  More hits than usual mean more credit, and
 * less virtual time.  What is usual is known from the whole run far better than
 * from the few windows of one speedup.  See share/doc/METHOD.md, "Adjustment".
 */
#ifndef ANDWEORC_PROFILE_ADJUST_H
#define ANDWEORC_PROFILE_ADJUST_H

#include "profile/context.h"

/* Corrects virtual_ns of the visits of the context, where there is reason to.  Its runs, windows and shares are complete. */
void adjust_context(struct context *c);

#endif
