/*
 * robust_parts: what the parts of robust share.  Private to them (robust.c,
 * robust_code.c).
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
	double *period, *ratio; /* of strata and groups */
};

/* Slow, and nothing from outside says why. */
static inline bool robust_is_suspect(const struct robust_item *it)
{
	return it->weight < 1 && !it->outside;
}

/* Are the suspects like the others in all but time? */
bool robust_is_same(const struct robust *a);

#endif
