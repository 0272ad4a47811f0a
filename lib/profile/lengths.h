/*
 * lengths: how long the spans of latency points were, as histograms.
 *
 * There is one histogram for each point, region, speedup and block of a run, of spans
 * that ended in undisturbed windows; analysis/percentile.h uses them.  If there are too
 * many, the blocks of a run share a histogram, and then several runs do.  That depends
 * on the whole input, not on its order.
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

/* The key of a histogram.  The run is identified by its hash, because places in the profile change. */
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
	size_t buckets;  /* number of buckets in all histograms */
	unsigned shared; /* enum lengths_shared */
};

/* The units that share a histogram, coarser ones when there are too many buckets. */
enum lengths_shared { SHARED_NOTHING, SHARED_NEIGHBOURS, SHARED_BLOCKS, SHARED_RUNS };

enum {
	LENGTHS_MOST = 1 << 21,  /* buckets in a table, before histograms are shared */
	LENGTHS_NEIGHBOURS = 64, /* blocks of a run */
	LENGTHS_RUNS = 128,      /* number of histograms into which runs are merged at last */
};

/* Adds at[0..n), ascending, to the histogram of that key (whose sum is ignored). */
void lengths_table_add(struct lengths_table *t, const struct lengths_of *name, const struct lengths_bucket *at, size_t n);
void lengths_table_release(struct lengths_table *t);

/* The points have been sorted: place[i] is where point i is now. */
void lengths_table_points(struct lengths_table *t, const size_t *place);

#endif
