/*
 * causal_few: the fit where strata are too few to be left out in turn, as in
 * short recordings, and over whole runs, of which a block takes many.  Private
 * to the estimator (causal.c).
 */
#ifndef ANDWEORC_ESTIMATE_CAUSAL_FEW_H
#define ANDWEORC_ESTIMATE_CAUSAL_FEW_H

#include "estimate/causal.h"

/*
 * Sets slope and cost of out, but for their intervals, from obs[0..n), stratified.  `slope` is the ratio
 * of sums, which is the result unless a trend is asked for, and there are windows
 * enough to take one out.  Infinite errors where all hangs on one window.
 */
void causal_few(const struct causal_obs *obs, size_t n, size_t nstrata, double slope, bool trend, struct causal_slope *out);

#endif
