/*
 * pprof: stacks as a profile.proto, compressed, for pprof, speedscope and Firefox Profiler.
 *
 * Its sample types are cpu, blocked, and impact: the effect of regions on a visit of the
 * first point (stacks_blame).  All are in nanoseconds.  Addresses are offsets in their
 * modules.  The same input gives the same bytes.
 */
#ifndef ANDWEORC_VIEW_PPROF_H
#define ANDWEORC_VIEW_PPROF_H

#include <stdio.h>

#include "analysis/impact.h"
#include "profile/stacks.h"

void pprof_write(const struct stacks *s, const struct analysis *a, FILE *out);

#endif
