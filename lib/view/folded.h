/*
 * folded: stacks as lines of text, `main;work;compress 1234`, as flame graphs are made of.
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
	FOLDED_BLOCKED, /* time that threads waited; the last frame says how */
	FOLDED_TIME,    /* both */
	FOLDED_IMPACT,  /* what regions add to a visit of the first point, see stacks_blame; in nanoseconds */
};

void folded_write(const struct stacks *s, const struct analysis *a, enum folded_by by, FILE *out);

#endif
