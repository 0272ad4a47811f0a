#include "estimate/systematic.h"

#include <math.h>

const double systematic_slope = 0.006;

/*
 * Experiments alone were too low by 1 to 6 % of the gain in programs whose threads hardly wait for each other, and
 * by 6 to 17 % where they do so for a fifth of their time or more.  WAITING_MOST is for idle threads, which wait all
 * the time.
 */
static const double COMPUTING = 0.03, WAITING = 0.3, WAITING_MOST = 0.1;

/* t/workload/spinpark, with 6 % of its samples in a loop that spins: guarded at 50 %, really 35: 24 to 26. */
static const double SPINNING = 0.25;

double systematic_relative(double waiting, bool spins)
{
	return hypot(hypot(COMPUTING, fmin(WAITING_MOST, WAITING * waiting)), spins ? SPINNING : 0);
}

/*
 * Half widths are added as standard errors are, in squares: the allowance is known, so
 * degrees of freedom do not change.
 */
static void widen_estimate(struct estimate *e, double relative, double off)
{
	if (!isfinite(e->se))
		return;
	off = hypot(relative * e->value, off);
	e->se = hypot(e->se, off * STATS_NORMAL_95 / stats_t95(e->df));
	stats_estimate_finish(e);
}

static void widen(struct causal_effect *e, double relative, double slope)
{
	widen_estimate(&e->fit.slope, relative, slope);
	widen_estimate(&e->fit.cost, relative, slope * e->period_ns);
	for (size_t i = 0; i < e->nlevels; i++)
		widen_estimate(&e->level[i].gain, relative, slope * e->level[i].s);
}

void systematic_widen(struct causal_effect *e, double relative)
{
	widen(e, relative, systematic_slope);
}

void systematic_widen_by(struct causal_effect *e, double slope)
{
	if (slope > 0)
		widen(e, 0, slope);
}
