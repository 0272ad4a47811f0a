/*
 * systematic: what virtual speedups get wrong whatever the statistics.
 *
 * An experiment imitates a speedup, and does not do so perfectly: samples and
 * pauses cost time of their own, more in some places than in others.  No repetition
 * shows that, so no interval from the spread of windows or runs holds it.  How large
 * it is was measured on programs with known answers (`make accuracy`); see
 * share/doc/METHOD.md, "What repetition does not show".
 */
#ifndef ANDWEORC_ESTIMATE_SYSTEMATIC_H
#define ANDWEORC_ESTIMATE_SYSTEMATIC_H

#include "estimate/causal.h"

/* Standard deviations: of what a prediction is off by, relative to it, and absolutely, as a slope. */
extern const double systematic_relative, systematic_slope;

/*
 * Widens slope, cost and levels of e, and makes their p larger; values stay.  Of an
 * effect that was estimated.  Comparisons of one program with a changed one are to
 * use what stood there before: both are off alike.
 */
void systematic_widen(struct causal_effect *e);

/* The same for one more standard deviation, of the slope, that has another cause. */
void systematic_widen_by(struct causal_effect *e, double slope);

#endif
