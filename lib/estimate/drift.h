/*
 * drift: how much the speed of machine and program changes within runs, from one
 * block to the next.  The estimator removes it; the reader may want to know.
 *
 * It is told from the noise of single windows by the analysis of variance of the
 * baselines' periods, each run about its own mean, weights = visits.
 */
#ifndef ANDWEORC_ESTIMATE_DRIFT_H
#define ANDWEORC_ESTIMATE_DRIFT_H

#include "estimate/causal.h"

/* Sums over runs, of periods relative to their run's. */
struct drift {
	double between, within;                   /* squares: of blocks about their run, of windows about their block */
	double freedom_between, freedom_within;
	double visits;                            /* that a block stands for, times freedom_between */
};

/* The baselines of runs, sorted by run and block; whole runs add nothing. */
void drift_add(struct drift *d, const struct causal_obs *obs, size_t n);

/* Standard deviation of a block's period within a run, as part of it; 0 when it may be noise (p > 0.01), NAN when not known. */
double drift_size(const struct drift *d);

#endif
