/*
 * systematic: the systematic error of virtual speedups.
 *
 * An experiment imitates a speedup imperfectly: samples and pauses take time
 * themselves, more where threads wait and wake up than where they compute.  Repetition
 * does not show this error, so it is in no interval from the spread of windows or runs.
 * Its size was measured on programs with known answers (`make accuracy`); see
 * share/doc/METHOD.md, "What repetition does not show".
 */
#ifndef ANDWEORC_ESTIMATE_SYSTEMATIC_H
#define ANDWEORC_ESTIMATE_SYSTEMATIC_H

#include "estimate/causal.h"

/* Standard deviation of the error of a prediction, the absolute part, as a slope. */
extern const double systematic_slope;

/*
 * The relative part.  `waiting`: the part of the threads' time in which they wait for each other, 0
 * to 1.  `spins`: they also wait by spinning, which is not seen.
 */
double systematic_relative(double waiting, bool spins);

/*
 * Widens slope, cost and levels of an estimated effect, and raises their p; values
 * stay.  `relative`: see above.  Comparisons of a program with a changed one must use the intervals from
 * before: both have the same error.
 */
void systematic_widen(struct causal_effect *e, double relative);

/* The same for one more standard deviation of the slope, from another cause. */
void systematic_widen_by(struct causal_effect *e, double slope);

#endif
