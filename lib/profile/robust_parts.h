/*
 * robust_parts: declarations that the parts of robust share.  Private to them
 * (robust.c, robust_line.c, robust_code.c).
 */
#ifndef ANDWEORC_PROFILE_ROBUST_PARTS_H
#define ANDWEORC_PROFILE_ROBUST_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/robust.h"

struct robust_item {
	struct profile_visits *v;
	const struct profile_window *w;
	size_t stratum, group;
	double period, slow, weight; /* if slow: the time as a multiple of the expected one */
	bool outside;                /* outside load explains it */
};

struct robust {
	struct robust_item *item;
	size_t n, nstrata, ngroups;
	size_t *region;         /* region of each group, by rising speedup within a region; PROFILE_NONE: baselines */
	double *period, *ratio; /* periods of strata, and ratios of groups */
};

/*
 * Only windows that are slower than expected by this factor are suspects: less does little
 * harm, and programs vary.
 */
#define ROBUST_SLOW 1.5

/* Is the window slow, without an outside explanation? */
static inline bool robust_is_suspect(const struct robust_item *it)
{
	return it->weight < 1 && !it->outside;
}

/* The ratio of each group, by the periods of the strata: by a line for each region. */
void robust_lines(struct robust *a);

/* Do the suspects run the same code as the other windows? */
bool robust_is_same(const struct robust *a);

#endif
