/* threshold: the count from which on a thread does something, and below which it does not. */
#ifndef ANDWEORC_REPLAY_THRESHOLD_H
#define ANDWEORC_REPLAY_THRESHOLD_H

#include <stddef.h>
#include <stdint.h>

struct threshold {
	int32_t at;
	size_t below, above; /* what it gets wrong: times it did so below, and times it did not from there on */
};

/* The best threshold, and of several the highest one.  did, not: counts as it did so, at least one, and as it did not; sorts both. */
struct threshold threshold_find(int32_t *did, size_t ndid, int32_t *not, size_t nnot);

#endif
