/*
 * lengths: how long the spans of latency points were, as histograms.
 *
 * One histogram for each point, region, speedup and block of a run, for spans that
 * ended in undisturbed windows; what is asked of them is in analysis/percentile.h.  When
 * there are too many, blocks of a run share one, and then several runs do.  Which
 * it is depends on all of the input, not on its order.
 */
#ifndef ANDWEORC_PROFILE_LENGTHS_H
#define ANDWEORC_PROFILE_LENGTHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"

struct lengths_bucket {
	uint32_t bucket;
	uint64_t count;
};

/* Buckets that are not empty, ascending. */
struct lengths {
	struct lengths_bucket *at; /* owned */
	size_t n, cap;
};

/* One of the table's.  The run is known by its hash: places in the profile change. */
struct lengths_of {
	size_t point, region; /* region: PROFILE_NONE for baselines */
	double s;
	uint64_t run, block;
	struct lengths sum;
};

struct lengths_table {
	struct lengths_of *of;
	size_t n, cap;
	struct idmap at;
	size_t buckets;  /* in all of them */
	unsigned shared; /* enum lengths_shared */
};

/* What has a histogram in common, in this order, when there are too many buckets. */
enum lengths_shared { SHARED_NOTHING, SHARED_NEIGHBOURS, SHARED_BLOCKS, SHARED_RUNS };

enum {
	LENGTHS_MOST = 1 << 21,  /* buckets in a table, before that */
	LENGTHS_NEIGHBOURS = 64, /* blocks of a run */
	LENGTHS_RUNS = 128,      /* histograms that are left to runs in the end */
};

/* Adds at[0..n), ascending, to the histogram of that name (its sum is not looked at). */
void lengths_table_add(struct lengths_table *t, const struct lengths_of *name, const struct lengths_bucket *at, size_t n);
void lengths_table_release(struct lengths_table *t);

/* The points have been sorted: place[i] is where point i is now. */
void lengths_table_points(struct lengths_table *t, const size_t *place);

#endif
