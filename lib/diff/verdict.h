/*
 * verdict: the verdict on a difference, from its interval.
 *
 * With a margin m, below which a difference does not matter, and intervals of 95 % (and
 * of 90 %, for equivalence by two one-sided tests):
 *
 *     insufficient  too few runs: the interval says nothing about other runs
 *     changed       q <= 0.05, and the interval lies beyond the margin
 *     likely        q <= 0.05, the difference is beyond the margin, its interval reaches inside
 *     minor         q <= 0.05, the difference is inside the margin
 *     unchanged     the 90 % interval lies inside the margin: it is known to be small
 *     inconclusive none of these: more data is needed
 */
#ifndef ANDWEORC_DIFF_VERDICT_H
#define ANDWEORC_DIFF_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "diff/compare.h"

enum change {
	CHANGE_CHANGED,
	CHANGE_LIKELY,
	CHANGE_MINOR,
	CHANGE_UNCHANGED,
	CHANGE_INCONCLUSIVE,
	CHANGE_INSUFFICIENT,
	CHANGE_NEW,       /* a bottleneck of head, and no region of base */
	CHANGE_VANISHED,  /* the other way round */
	CHANGE_UNMATCHED, /* on one side only, and no bottleneck there */
	CHANGES
};

/* False discovery rate at which a difference counts, as in an analysis. */
#define CHANGE_Q 0.05

struct change_rule {
	double margin;   /* in the unit of the difference, > 0 */
	bool within_run; /* judge by the noise inside runs, if there are too few runs */
};

enum change change_judge(const struct comparison *c, double q, const struct change_rule *rule);

/* Is the difference known to be smaller than the margin (a one-sided test)?  One far below 0 is, too. */
bool change_is_below(const struct comparison *c, const struct change_rule *rule);

/* Is the difference known to be within the margin (two one-sided tests), whether it is 0 or not? */
bool change_is_within(const struct comparison *c, const struct change_rule *rule);

/*
 * About how many runs (DESIGN_PAIRED: blocks) of each side would settle it; 0 when it is
 * settled, or when there would be too many.
 */
size_t change_needs(const struct comparison *c, double q, const struct change_rule *rule);

const char *change_name(enum change c); /* static storage */
bool change_named(const char *name, enum change *out);

#endif
