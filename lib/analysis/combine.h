/*
 * combine: two methods, one number.
 *
 * Experiments measure what a region is worth; replay computes it from recorded
 * events.  Their errors have nothing in common: experiments have the noise of windows,
 * replay that of samples and of its models.  So both are averaged, each weighed by
 * what it knows.  Where they contradict each other, the interval holds both, and no
 * verdict is made of it.
 *
 * Replay counts only where it can be right: its check holds, it is known why waits
 * ended, and the recorder has seen no thread wait by spinning.
 */
#ifndef ANDWEORC_ANALYSIS_COMBINE_H
#define ANDWEORC_ANALYSIS_COMBINE_H

#include "estimate/causal.h"
#include "profile/profile.h"

enum combined { COMBINED_NOT, COMBINED_AGREES, COMBINED_CONTRADICTS };

/*
 * Takes what replay says into slope, cost and levels of e, which are final but for
 * this.  Sets *replayed to the slope by replay alone, and *measured to that by
 * experiments alone, unless it returns COMBINED_NOT.
 */
enum combined combine_apply(const struct profile *p, size_t point, size_t region, struct causal_effect *e,
			    struct estimate *measured, struct estimate *replayed);

#endif
