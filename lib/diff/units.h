/*
 * units: runs, or blocks of runs of both sides, each strong enough for a value of its own.
 *
 * A run that hardly visited a region tells little about it: neighbours in time are
 * joined until they tell enough.
 */
#ifndef ANDWEORC_DIFF_UNITS_H
#define ANDWEORC_DIFF_UNITS_H

#include "diff/compare.h"

/* Runs of one side, 0 base or 1 head; or a block with both sides. */
struct unit {
	const char *block, *host;
	double order;
	struct causal_unit side[2];
	size_t runs[2];
};

struct units {
	struct unit *at; /* at[0..n), owned, in the order of time */
	size_t n;
	bool whole[2];    /* as in struct replicates */
	double most[2];   /* the greatest information of each side; -1: the groups do not have that side */
};

/* The runs of side s; with `by_host`, runs of one host are one unit. */
struct units units_of_runs(const struct replicates *r, int s, enum quantity what, bool by_host);

/* The blocks that have both sides; runs without a partner are left out. */
struct units units_of_blocks(const struct replicates *base, const struct replicates *head, enum quantity what);

void units_release(struct units *g);

/* The value of each group on side s.  The caller frees the array. */
double *units_values(const struct units *g, int s, enum quantity what);

/* The number of runs of side s in the groups. */
size_t units_count_runs(const struct units *g, int s);

/* The value from the sums; not finite when they contain too little. */
double quantity_of(const struct causal_unit *u, enum quantity what);

#endif
