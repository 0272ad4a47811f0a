/*
 * schedule: the order of experiments, with their regions and speedups.
 *
 * A block contains each region at each level (as often as that is listed), in a new random order, with
 * baselines (nothing sped up) between them.  So windows that will be compared are within seconds of each
 * other, and a drift of the machine cancels.  The order is a function of the seed.
 */
#ifndef ANDWEORC_RECORDER_SCHEDULE_H
#define ANDWEORC_RECORDER_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

struct trial {
	size_t region; /* index, or TRIAL_BASELINE */
	unsigned pct;  /* 0..100 */
};

enum { TRIAL_BASELINE = -1 };

struct schedule {
	uint64_t state; /* state of the generator */
};

void schedule_init(struct schedule *s, uint64_t seed);

/* A pseudo-random number. */
uint64_t schedule_random(struct schedule *s);

/*
 * Makes a block of any trials: treated[0..n), shuffled in place, with `nbase` baselines
 * (at least one) spread among them.  The caller frees *out.  Returns the number of
 * trials.
 */
size_t schedule_spread(struct schedule *s, struct trial *treated, size_t n, size_t nbase, struct trial **out);

/* The best number of baselines for so many other trials. */
size_t schedule_baselines(size_t treated);

/*
 * One block for `nregions` regions and the levels (percent, without 0), with `baselines`
 * (at least 1) times the best number of baselines.  The caller frees *out.  Returns the
 * number of trials.
 */
size_t schedule_block(struct schedule *s, size_t nregions, const unsigned *levels, size_t nlevels, size_t baselines,
		      struct trial **out);

#endif
