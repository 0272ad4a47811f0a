/*
 * drift: the change of the speed of machine and program within runs, from one block to
 * the next.  The estimator removes it; it is reported to the reader.
 *
 * It is separated from the noise of single windows by an analysis of variance of the
 * baselines' periods, each run about its own mean, with visits as weights.
 */
#ifndef ANDWEORC_ESTIMATE_DRIFT_H
#define ANDWEORC_ESTIMATE_DRIFT_H

#include "estimate/causal.h"

/* Sums over runs, of periods relative to the mean of their run. */
struct drift {
	double between, within;                   /* squares: of blocks about their run, of windows about their block */
	double freedom_between, freedom_within;
	double visits;                            /* effective windows of a block, times freedom_between */
};

/* Adds the baselines of runs, sorted by run and block; whole runs add nothing. */
void drift_add(struct drift *d, const struct causal_obs *obs, size_t n);

/* Standard deviation of a block's period within a run, as part of it; 0 when it may be noise (p > 0.01), NAN when not known. */
double drift_size(const struct drift *d);

#endif
