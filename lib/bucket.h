/*
 * bucket: histograms of times, with buckets whose width is at most 1/64 of the times in
 * them.  Shared by the runtime, which counts, and the tools.
 *
 * A time of 64 ns or more keeps its seven leading bits; shorter ones are exact.
 * The last bucket also holds times of more than 137 s.
 *
 * SPDX-License-Identifier: 0BSD
 */
#ifndef ANDWEORC_BUCKET_H
#define ANDWEORC_BUCKET_H

#include <stdint.h>

enum { BUCKET_BITS = 6, BUCKET_MOST_BIT = 36, BUCKETS = (BUCKET_MOST_BIT - BUCKET_BITS + 2) << BUCKET_BITS };

/* The bucket of a time, 0 .. BUCKETS - 1; negative times are in that of 0. */
static inline uint32_t bucket_of(int64_t ns)
{
	uint32_t bit;

	if (ns < 1 << BUCKET_BITS)
		return ns > 0 ? (uint32_t)ns : 0;
	bit = 63 - (uint32_t)__builtin_clzll((unsigned long long)ns);
	if (bit > BUCKET_MOST_BIT)
		return BUCKETS - 1;
	return ((bit - BUCKET_BITS + 1) << BUCKET_BITS) + (uint32_t)(ns >> (bit - BUCKET_BITS) & ((1 << BUCKET_BITS) - 1));
}

/* The least time in the bucket; that of bucket BUCKETS is where the last one ends. */
static inline int64_t bucket_least(uint32_t bucket)
{
	uint32_t octave = bucket >> BUCKET_BITS;
	int64_t rest = bucket & ((1 << BUCKET_BITS) - 1);

	return octave ? ((1 << BUCKET_BITS) + rest) << (octave - 1) : rest;
}

#endif
