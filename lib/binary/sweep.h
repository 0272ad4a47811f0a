/*
 * sweep: overlapping nested intervals to one sorted, disjoint table.
 *
 * The table answers "which is the innermost interval at this address?" with a
 * binary search.
 */
#ifndef ANDWEORC_BINARY_SWEEP_H
#define ANDWEORC_BINARY_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "binary/image.h"

#define SWEEP_NONE UINT32_MAX

struct piece {
	uint64_t lo, hi; /* [lo, hi); empty ones are ignored */
	uint32_t id;
	uint32_t depth;  /* if two start together, the deeper one is inside */
};

/* From lo up to the next cut's lo, `id` is innermost; SWEEP_NONE is a gap.  The last cut is a gap. */
struct cut {
	uint64_t lo;
	uint32_t id;
};

/*
 * Sorts piece[0..n) in place and writes the table, which the caller frees.
 * Where intervals cross without nesting, which only broken input has, the one
 * that starts later wins.  Of two with the same start and depth, the lower id
 * wins.  Returns how many cuts there are.
 */
size_t sweep(struct piece *piece, size_t n, struct cut **out);

/* The id at `at`, or SWEEP_NONE. */
uint32_t sweep_find(const struct cut *cut, size_t n, uint64_t at);

/* Sorts and merges ranges in place; returns how many are left. */
size_t ranges_merge(struct range *range, size_t n);

#endif
