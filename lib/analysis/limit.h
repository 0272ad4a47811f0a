/*
 * limit: what a region can be worth, whatever its windows say.
 *
 * Were a region faster by s, the program could save at most s times the time that
 * its threads spend in it: the longest way through the program gets shorter by no
 * more than is taken out.  So the slope is at most the region's own time for each
 * unit of time (the processors that it keeps busy, and its waits), and never above
 * one for one.  Contention may break that: where one thread holds others up, less of it can
 * speed them up, too, or slow them down.  Such a thing needs evidence.
 *
 * And what it is worth may be more than was seen, where other programs take the
 * processors: a thread that waits for one of them spends less of its time in the
 * region than it would.  See share/doc/METHOD.md, "What cannot be".
 */
#ifndef ANDWEORC_ANALYSIS_LIMIT_H
#define ANDWEORC_ANALYSIS_LIMIT_H

#include "estimate/causal.h"
#include "profile/profile.h"

/* Of all windows. */
struct limits {
	double busy;   /* processors that the program would keep busy, did no thread have to wait for one; NAN: not known */
	double queued; /* 0 .. 1: of the time that threads could run, they waited for processors that others had */
	double period_ns;      /* of a sample */
	double wall_ns, total; /* of the runs; their CPU samples */
};

/* From runs in which nothing was given (--given): in others, baselines are not what they seem. */
void limits_init(struct limits *l, const struct profile *p);

/* The most that the slope of a region can be; INFINITY: not known. */
double limits_slope(const struct limits *l, const struct profile_region *r);

/*
 * Widens slope, cost and levels of e by what waits for other programs hide, and cuts
 * them at `most`, unless there is evidence that the effect is beyond that.
 */
void limits_apply(const struct limits *l, double most, struct causal_effect *e);

#endif
