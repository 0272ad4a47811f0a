/*
 * systematic: the systematic error of virtual speedups.
 *
 * An experiment imitates a speedup imperfectly: samples and pauses take time
 * themselves, more in some places than in others.  Repetition does not show this error,
 * so it is in no interval from the spread of windows or runs.  Its size was measured on
 * programs with known answers (`make accuracy`); see share/doc/METHOD.md, "What
 * repetition does not show".
 */
#ifndef ANDWEORC_ESTIMATE_SYSTEMATIC_H
#define ANDWEORC_ESTIMATE_SYSTEMATIC_H

#include "estimate/causal.h"

/* Standard deviations of the error of a prediction: the relative part, and the absolute part, as a slope. */
extern const double systematic_relative, systematic_slope;

/*
 * Widens slope, cost and levels of an estimated effect, and raises their p; values
 * stay.  Comparisons of a program with a changed one must use the intervals from
 * before: both have the same error.
 */
void systematic_widen(struct causal_effect *e);

/* The same for one more standard deviation of the slope, from another cause. */
void systematic_widen_by(struct causal_effect *e, double slope);

#endif
