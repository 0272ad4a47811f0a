/*
 * causal_few: the fit for few strata, where a jackknife is not possible: for short
 * recordings, and for whole runs, of which a block needs many.  Private to the
 * estimator (causal.c).
 */
#ifndef ANDWEORC_ESTIMATE_CAUSAL_FEW_H
#define ANDWEORC_ESTIMATE_CAUSAL_FEW_H

#include "estimate/causal.h"

/*
 * Sets slope and cost of out, without their intervals, from obs[0..n), stratified.  `slope` is the ratio
 * of sums, which is the result unless a trend is wanted, and there are enough windows to fit one.
 * Errors are infinite if the result depends on a single window.
 */
void causal_few(const struct causal_obs *obs, size_t n, size_t nstrata, double slope, bool trend, struct causal_slope *out);

#endif
