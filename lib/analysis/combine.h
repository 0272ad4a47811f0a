/*
 * combine: combines the results of experiments and of replay.
 *
 * Experiments measure the effect of a region; replay computes it from recorded events.
 * Their errors are independent: experiments have the noise of windows, replay that of
 * samples and of its models.  So both are averaged, weighted by their variances.  Each may
 * also be off by more than it knows; how likely that is, follows from their difference.  If
 * they contradict each other, the interval holds both.
 *
 * Replay counts only if the recorder has seen no thread wait by spinning.  A check that
 * does not hold, and waits with an unknown end, increase its standard error.
 * Experiments are wrong where threads wait for a real clock, or queue for processors: the clock cannot be slowed, and the
 * scheduler does not know virtual time.  There replay alone counts; in the second case only if it is about as sure as they are.
 */
#ifndef ANDWEORC_ANALYSIS_COMBINE_H
#define ANDWEORC_ANALYSIS_COMBINE_H

#include "analysis/percentile.h"
#include "estimate/causal.h"
#include "profile/profile.h"

enum combined {
	COMBINED_NOT,         /* experiments alone, if anything */
	COMBINED_AGREES,      /* both, averaged */
	COMBINED_CONTRADICTS, /* both, averaged; they are three standard errors apart, or more */
	COMBINED_REPLACED,    /* replay alone: experiments are wrong in this program */
	COMBINED_ALONE,       /* replay alone: there was no experiment with the region */
};

/* Has the recorder seen threads wait by spinning?  They look busy: the ends of their waits are in no event. */
bool combine_spins(const struct profile *p);

/*
 * Combines the result of replay into slope, cost and levels of e, which are final
 * otherwise.  Sets *replayed to the slope by replay alone, and *measured to that by
 * experiments alone, unless it returns COMBINED_NOT.
 */
enum combined combine_apply(const struct profile *p, size_t point, size_t region, struct causal_effect *e,
			    struct estimate *measured, struct estimate *replayed);

/*
 * The same for percentiles of spans.  how: what was returned for their mean.  *e may be unknown, and has the speedups of replay then.
 * Returns whether replay knows any.
 */
bool combine_percentiles(const struct profile *p, size_t point, size_t region, enum combined how, struct percentile_effect *e);

/*
 * Sets slope[0..p->nruns) to the result of replay of each run for a region, as a line
 * through its gains at speedups up to `most`; se is only the part that differs between
 * runs.  A value is NAN where there is none.
 */
void combine_replay_runs(const struct profile *p, size_t point, size_t region, double most, struct estimate *slope);

/* Two estimates of one thing, each weighed by its standard error; the first may be of a few values, or infinite. */
void combine_average(struct estimate *e, double value, double se);

/* Whether replay counts for a point, and why not. */
enum replay_use {
	REPLAY_ABSENT,    /* there are no events to replay */
	REPLAY_USED,
	REPLAY_SPINS,     /* threads wait by spinning, so that the ends of their waits are in no event */
	REPLAY_UNTRUSTED, /* no model could run to the end of the recording */
};

struct replay_check {
	enum replay_use use;
	double ratio;     /* time per visit by the mostly right models, without a question, relative to the measured one */
	double unseen;    /* time in waits that are not understood, relative to the length of the bursts */
	double period_ns; /* period measured in the bursts */
};

/* Describes the runs that are used; if there are none, all runs.  All numbers are NAN if nothing was recorded. */
struct replay_check combine_check(const struct profile *p, size_t point);

/*
 * The effect of a region without experiments, by replay alone: slope, cost, levels, knee
 * and period.  *e has no levels before; its counts of windows stay as they are.  False,
 * with *e unchanged, if replay does not know the region, or is not credible.
 */
bool combine_replay_alone(const struct profile *p, size_t point, size_t region, struct causal_effect *e);

#endif
