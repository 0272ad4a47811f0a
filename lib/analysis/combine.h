/*
 * combine: two methods, one number.
 *
 * Experiments measure what a region is worth; replay computes it from recorded
 * events.  Their errors have nothing in common: experiments have the noise of windows,
 * replay that of samples and of its models.  So both are averaged, each weighed by
 * what it knows.  Where they contradict each other, the interval holds both, and no
 * verdict is made of it.
 *
 * Replay counts only where the recorder has seen no thread wait by spinning.  A check that
 * does not hold, and waits of which nobody saw the end, are in its standard error.
 * Where threads wait for the clock, replay alone counts: experiments cannot slow that.
 */
#ifndef ANDWEORC_ANALYSIS_COMBINE_H
#define ANDWEORC_ANALYSIS_COMBINE_H

#include "estimate/causal.h"
#include "profile/profile.h"

enum combined {
	COMBINED_NOT,         /* experiments alone, if anything */
	COMBINED_AGREES,      /* both, averaged */
	COMBINED_CONTRADICTS, /* both; the interval holds either */
	COMBINED_ALONE,       /* replay alone: there was no experiment with the region */
};

/*
 * Takes what replay says into slope, cost and levels of e, which are final but for
 * this.  Sets *replayed to the slope by replay alone, and *measured to that by
 * experiments alone, unless it returns COMBINED_NOT.
 */
enum combined combine_apply(const struct profile *p, size_t point, size_t region, struct causal_effect *e,
			    struct estimate *measured, struct estimate *replayed);

/*
 * What one run says of a region by replay, as a line through its gains at speedups up to
 * `most`; of se what differs from run to run.  False: nothing.
 */
bool combine_replay_run(const struct profile *p, size_t run, size_t point, size_t region, double most, struct estimate *slope);

/* Two estimates of one thing, each weighed by its standard error; the first may be of a few values, or infinite. */
void combine_average(struct estimate *e, double value, double se);

/* Whether replay counts for a point, and why not. */
enum replay_use {
	REPLAY_ABSENT,    /* nothing was recorded that could be replayed */
	REPLAY_USED,
	REPLAY_SPINS,     /* threads wait by spinning, so that what they wait for is in no event */
	REPLAY_UNTRUSTED, /* no model could go on to the end of what was recorded */
};

struct replay_check {
	enum replay_use use;
	double ratio;     /* time per visit by the models that are right mostly, without a change, to the measured one */
	double unseen;    /* time in waits that are not understood, to the length of the bursts */
	double period_ns; /* measured in the bursts */
};

/* What is said of the runs that are used; where none is, of all.  All numbers are NAN where nothing was recorded. */
struct replay_check combine_check(const struct profile *p, size_t point);

/*
 * The effect of a region that no experiment tells of, by replay alone: slope, cost, levels,
 * knee and period.  *e has no levels before; its counts of windows stay as they are.
 * False where replay does not know the region, or is not to be believed: *e is as it was.
 */
bool combine_replay_alone(const struct profile *p, size_t point, size_t region, struct causal_effect *e);

#endif
