/*
 * folded: stacks as lines of text, `main;work;compress 1234`, the input of flame graph
 * tools.
 *
 * The outermost function comes first; the number is in microseconds.  Lines are sorted.
 */
#ifndef ANDWEORC_VIEW_FOLDED_H
#define ANDWEORC_VIEW_FOLDED_H

#include <stdio.h>

#include "analysis/impact.h"
#include "profile/stacks.h"

enum folded_by {
	FOLDED_CPU,     /* processor time */
	FOLDED_BLOCKED, /* waiting time; the last frame is its kind */
	FOLDED_TIME,    /* both */
	FOLDED_IMPACT,  /* impact of regions on a visit of the first point, see stacks_blame; in nanoseconds */
};

void folded_write(const struct stacks *s, const struct analysis *a, enum folded_by by, FILE *out);

#endif
