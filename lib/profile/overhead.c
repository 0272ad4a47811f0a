/*
 * overhead: the time that the runtime takes from the program.
 *
 * In a window with a speedup, each operation on a lock costs 60 ns or so.  A program with a
 * million of them a second gets slower by that, and what a region saves is a smaller part of
 * the longer time.  Samples say how much of a window was the runtime's: not in the region, not
 * work of the program.  A visit costs the same at each speedup, so the mean of all baselines is
 * taken.  It has less noise than a window, and no part of a pause, which is the runtime's, too.
 *
 * A program takes and releases a lock N times in each round of 12 us.  What experiments alone
 * said of the rest of the round, when each of these operations cost 60 ns:
 *
 *	N     really   not deducted   deducted
 *	5     1.00     0.93           0.98
 *	20    0.98     0.70           1.01
 *	60    0.95     0.44           1.01
 *	200   0.90     0.16           0.83
 */
#include "profile/overhead.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/context.h"

/* At most this part of a window: a window of few visits may be far from the mean. */
static const double MOST = 0.9;

struct cost {
	double own_ns, visits;
};

/* How much longer a window took for it: threads that run at the same time pay at the same time. */
static double time_of(const struct profile_window *w)
{
	double running = w->wall_ns > 0 ? w->sampled_ns / w->wall_ns : 0;

	return w->own_ns / fmax(1, running);
}

/* Does the cost of a visit follow from it? */
static bool tells_cost(const struct profile_visits *v, const struct profile_window *w, const struct profile *p)
{
	return w->s == 0 && !w->disturbed && p->point[v->point].kinds != KIND_LATENCY;
}

void overhead_deduct(struct context *c)
{
	struct cost *cost = xcalloc(c->p->npoints + 1, sizeof *cost);

	for (size_t i = 0; i < c->nvisits; i++) {
		const struct profile_visits *v = &c->visits[i];
		const struct profile_window *w = &c->window[v->window].window;

		if (!tells_cost(v, w, c->p))
			continue;
		cost[v->point].own_ns += time_of(w);
		cost[v->point].visits += (double)v->count;
	}
	for (size_t i = 0; i < c->nvisits; i++) {
		struct profile_visits *v = &c->visits[i];
		const struct cost *k = &cost[v->point];

		if (k->own_ns > 0)
			v->virtual_ns -= fmin(k->own_ns / k->visits * (double)v->count, MOST * v->virtual_ns);
	}
	free(cost);
}
