/*
 * replayed: what replay of several runs says together.
 *
 * Each run counts by the length of its bursts.  By what each knows of itself, runs with few samples of the region would
 * count most.  Where runs were observed as a whole, parts of other runs, which may be of any phase, do not count.
 *
 *     struct replayed_sum sum = { 0 };
 *
 *     for (... answers of the runs to one question ...)
 *             replayed_add(&sum, answer);
 *     ... replayed_gain(&sum), replayed_se(&sum) ...
 */
#ifndef ANDWEORC_PROFILE_REPLAYED_H
#define ANDWEORC_PROFILE_REPLAYED_H

#include "profile/profile.h"

struct replayed_sum {
	size_t n;              /* runs that count; 0: no answer, and the functions below must not be called */
	bool whole;            /* they were observed as a whole */
	double weight, gain, square, measured; /* sums over these runs, weighted */
	double chance, chance2; /* of their variances by chance: weighted, and by the squares of the weights */
	double common;         /* of the variances that runs have in common */
};

void replayed_add(struct replayed_sum *sum, const struct profile_replayed *one);

/* As in struct profile_replayed. */
double replayed_gain(const struct replayed_sum *sum);
double replayed_se(const struct replayed_sum *sum);
double replayed_measured_ns(const struct replayed_sum *sum);

#endif
