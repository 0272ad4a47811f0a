/*
 * side: one analysis, ready to be compared with another.  Points, regions and runs are
 * in an order that depends only on their content.
 */
#ifndef ANDWEORC_DIFF_SIDE_H
#define ANDWEORC_DIFF_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "diff/compare.h"
#include "finding/finding.h"

struct side_region {
	const struct finding *found;
	struct replicates all;  /* over all speedups */
	struct replicates rise; /* up to the knee; none where there is no knee */
};

struct side_point {
	const struct found_point *found;
	struct replicates runs;     /* QUANTITY_PERIOD */
	struct side_region *region; /* by label */
	size_t nregions;
};

struct side {
	struct findings found;
	struct side_point *point;  /* by name */
	size_t npoints;
};

void side_init(struct side *s);
void side_release(struct side *s);

/*
 * Reads an analysis ("-": standard input).  False, after a message, when it
 * cannot be read, or is none.  Bad records are reported and left out.
 */
bool side_read(struct side *s, const char *path);

/* The second half of side_read, for `found` filled by findings_read. */
void side_fill(struct side *s);

const struct side_point *side_point(const struct side *s, const char *name); /* NULL when there is none */

/* The region is a bottleneck by its own analysis. */
bool side_region_matters(const struct side_region *r);

/* The commit of the runs; NULL when they do not state it, or do not agree. */
const char *side_commit(const struct side *s);

/* Is it what ci/interleave says of a tree with changes, of which nobody knows what they are?  NULL is not. */
bool commit_is_dirty(const char *commit);

/* Are both known to be of one commit, as it was committed?  Then no line has moved. */
bool sides_are_one_commit(const struct side *base, const struct side *head);

#endif
