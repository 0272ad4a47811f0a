/*
 * pool: sums over many runs for one region and one progress point, instead of their
 * windows.
 *
 * A run, or a few short ones, is added with its windows, and sums for each speedup are
 * kept (METHOD.md, "Long inputs").  Memory depends only on the number of speedups:
 * after POOL_UNITS runs, several share their sums.  Which ones depends on the runs, not
 * on the order of adding, which changes only the rounding of sums.
 */
#ifndef ANDWEORC_ESTIMATE_POOL_H
#define ANDWEORC_ESTIMATE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "estimate/causal.h"

enum { POOL_UNITS = 128 };

struct pool_level {
	double s; /* 0 for the baselines */
	size_t windows;
	double visits, time_ns;
};

struct pool_unit;

struct pool {
	struct pool_level *level; /* ascending */
	size_t nlevels, cap_levels;
	struct pool_unit *unit;   /* by key */
	size_t nunits, cap_units;
	bool folded;              /* several runs share a unit */
	bool whole;               /* windows are whole runs; a unit has runs that were planned together */
	size_t runs, few;         /* few: windows with fewer than CAUSAL_FEW visits */
	struct causal_noise noise;
};

#define POOL_INIT { 0 }

void pool_release(struct pool *p);

/*
 * Adds windows of the region and baselines, from runs that are compared with one
 * another; sorts and stratifies obs.  `key` identifies the first of the runs.
 */
void pool_add(struct pool *p, uint64_t key, struct causal_obs *obs, size_t n);

/* As causal_effect. */
bool pool_effect(const struct pool *p, struct causal_effect *out);

#endif
