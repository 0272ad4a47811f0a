/*
 * realizations: the mean of several simulations that differ by chance alone.
 *
 * Where threads queue for processors, a stretch that is longer by a nanosecond may change which thread runs first, and all that
 * follows.  A program is in another of these orders each time that it runs.  The difference of two simulations, with and without a
 * question, contains such a change of the order, too: in pzip, a line that takes 0.01 % less time gained -0.8 to 2.4 %.
 * Here each simulation is repeated with stretches of slightly other lengths, and visits are at the mean of their times.
 *
 * Bursts differ in their orders, too.  So what counts is the number of orders in all bursts together.  With eight realizations of
 * each instead of one, the standard error of a gain of pzip at 15 % is 1.2 instead of 2.9 points in one recording of few bursts, 0.7
 * instead of 1.3 in another.  Of 86 programs, most of them with eight bursts (20 s, 529 values):
 *
 *     orders of all bursts        8      16   4 of each burst
 *     mean error                  2.26   2.26   2.26
 *     half width at 50 %, mean    4.49   4.41   4.42
 *     seconds of analysis         34     58     107
 *
 * Where no thread queues, realizations do not differ: of 30 programs, error and width were the same.
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

enum { ORDERS = 8 }; /* of all bursts together, at least */

unsigned realizations_of(size_t bursts)
{
	return bursts ? (unsigned)((ORDERS + bursts - 1) / bursts) : 1;
}

static double mean_with(double mean, double one, double part)
{
	return mean + part * (one - mean);
}

static void visit_with(struct visit *mean, const struct visit *one, double part)
{
	mean->at_ns = mean_with(mean->at_ns, one->at_ns, part);
	mean->weight = mean_with(mean->weight, one->weight, part);
	mean->computed_ns = mean_with(mean->computed_ns, one->computed_ns, part);
	mean->taken_ns = mean_with(mean->taken_ns, one->taken_ns, part);
}

/*
 * `part`: the part that the one is of the new mean.  Spans stay those of the first realization, since means of spans have other
 * percentiles.  So do changes with resampled shares, which take a third of the time.
 */
static void run_with(const struct replay *r, struct run *mean, const struct run *one, double part)
{
	mean->stop_ns = mean_with(mean->stop_ns, one->stop_ns, part);
	mean->spared_ns = mean_with(mean->spared_ns, one->spared_ns, part);
	mean->idled_ns = mean_with(mean->idled_ns, one->idled_ns, part);
	for (size_t p = 0; p < r->npoints; p++) {
		mean->visits[p] = smaller(mean->visits[p], one->visits[p]);
		for (size_t i = mean->first[p]; i < mean->first[p] + mean->visits[p]; i++)
			visit_with(&mean->visit[i], &one->visit[i], part);
	}
}

/* Do realizations differ by what matters?  Those with the recorded order do, but by little, and that model counts for little; see `prior` in answer.c. */
static bool orders_differ(const struct replay *r, const struct setting *how)
{
	return !how->kept && how->model != REPLAY_SIMULATED && (r->more_threads || r->crowded);
}

void simulate(const struct replay *r, const struct script *s, const struct setting *how, struct run *out)
{
	struct setting again = *how;
	size_t n = 1;

	simulate_once(r, s, how, out);
	if (out->failed || !orders_differ(r, how))
		return;
	again.notes_ends = false;
	again.change = NULL;
	for (again.realization = 1; again.realization < r->realizations; again.realization++) {
		struct run one;

		simulate_once(r, s, &again, &one);
		if (!one.failed)
			run_with(r, out, &one, 1 / (double)++n);
		run_release(&one);
	}
}
