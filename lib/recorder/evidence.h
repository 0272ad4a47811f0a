/*
 * evidence: the undisturbed windows of a recording so far, of all its runs.
 *
 * The data that the estimator (estimate/causal.h) needs, kept in memory, so that the
 * recorder can use results to plan further windows.
 */
#ifndef ANDWEORC_RECORDER_EVIDENCE_H
#define ANDWEORC_RECORDER_EVIDENCE_H

#include <stddef.h>

#include "estimate/causal.h"

/* The visits of one point in a window. */
struct evidence_window {
	struct causal_obs obs;
	unsigned region; /* id; 0: a baseline */
	size_t point;    /* index into evidence.point */
};

struct evidence_point {
	char *name; /* owned */
	size_t windows;
};

struct evidence {
	struct evidence_window *v; /* owned */
	size_t n, cap;
	struct evidence_point *point; /* owned; in the order of their first windows */
	size_t npoints, cap_points;
};

void evidence_release(struct evidence *e);

void evidence_add(struct evidence *e, const char *point, unsigned region, const struct causal_obs *obs);

/*
 * The point by which decisions are made: the one with the most windows; of several, the
 * first one.  NULL if there is none.
 */
const char *evidence_point(const struct evidence *e);

/*
 * Stores the windows of that point in which the region was sped up, and the baselines.
 * `out` must have room for e->n + 1.  Returns their number.
 */
size_t evidence_of(const struct evidence *e, unsigned region, struct causal_obs *out);

#endif
