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

/*
 * The standard deviation of a block's period within a run, as part of it; 0 when it may be noise (p > 0.01), NAN when
 * not known.  obs[0..n) are baselines, sorted by run and block; whole runs say nothing.
 */
double drift_of(const struct causal_obs *obs, size_t n);

#endif
