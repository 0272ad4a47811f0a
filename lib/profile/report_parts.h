/*
 * report_parts: what stands before and behind the regions in the report.
 * Private to the report (report.c).
 */
#ifndef ANDWEORC_PROFILE_REPORT_PARTS_H
#define ANDWEORC_PROFILE_REPORT_PARTS_H

#include "base/buf.h"
#include "profile/impact.h"

/* What was recorded. */
void report_head(struct buf *out, const struct profile *p);

/* The point itself. */
void report_point(struct buf *out, const struct impact_point *p);

/* How to read the numbers, and what to doubt, of the `top` first regions of each point. */
void report_end(struct buf *out, const struct analysis *a, size_t top);

#endif
