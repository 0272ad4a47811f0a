/*
 * robust_parts: what the parts of robust share.  Private to them (robust.c,
 * robust_line.c, robust_code.c).
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
	double period, slow, weight; /* slow: times what was expected */
	bool outside;                /* evidence from outside explains it */
};

struct robust {
	struct robust_item *item;
	size_t n, nstrata, ngroups;
	size_t *region;         /* of groups, those of one region by rising speedup; PROFILE_NONE: baselines */
	double *period, *ratio; /* of strata and groups */
};

/* Only what is this much slower than expected is looked at: less does little harm, and programs vary. */
#define ROBUST_SLOW 1.5

/* Slow, and nothing from outside says why. */
static inline bool robust_is_suspect(const struct robust_item *it)
{
	return it->weight < 1 && !it->outside;
}

/* The ratio of each group, by the periods of the strata: by a line for each region. */
void robust_lines(struct robust *a);

/* Are the suspects like the others in all but time? */
bool robust_is_same(const struct robust *a);

#endif
