/*
 * limit: the largest possible effect of a region, whatever its windows say.
 *
 * If a region were faster by s, the program could save at most s times the time that its
 * threads spend in it: the critical path gets shorter by at most the time that is removed.
 * So the slope is at most the region's own time for each unit of time (the processors that
 * it keeps busy, and its waits), and never above one for one.  Contention may break this
 * limit: if one thread blocks others, less work of that thread can also speed the others
 * up, or slow them down.  Such an effect needs evidence.
 *
 * On the other hand, the effect may be larger than measured if other programs use the
 * processors: a thread that waits for a processor spends a smaller share of its time in
 * the region.  See share/doc/METHOD.md, "What cannot be".
 */
#ifndef ANDWEORC_ANALYSIS_LIMIT_H
#define ANDWEORC_ANALYSIS_LIMIT_H

#include "estimate/causal.h"
#include "profile/profile.h"

/* Sums over all windows. */
struct limits {
	double busy;   /* processors that the program would keep busy if no thread had to wait for one; NAN: not known */
	double queued; /* 0 .. 1: share of runnable time in which threads waited for processors used by other programs */
	double period_ns;      /* time that a sample stands for */
	double wall_ns, total; /* length of the runs; their CPU samples */
};

/* From runs without a given region (--given): in others, baselines are changed. */
void limits_init(struct limits *l, const struct profile *p);

/* The largest possible slope of a region; INFINITY: not known. */
double limits_slope(const struct limits *l, const struct profile_region *r);

/*
 * Widens slope, cost and levels of e by the part that waits for other programs may
 * hide, and cuts them at `most`, unless there is evidence of a larger effect.
 */
void limits_apply(const struct limits *l, double most, struct causal_effect *e);

#endif
