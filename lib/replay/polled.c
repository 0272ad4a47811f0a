/*
 * polled: how far others can get ahead of a thread that polls.
 *
 * A thread that polls waits for another one, and nothing tells for which.  If that one
 * becomes faster, the polls become shorter, and then it may have to wait for this thread.
 * So the whole program may gain no more than this thread polls, waits or saves itself.
 * t/workload/pollring: a thread is really worth 30 points at 50 %, because the other one
 * polls for 30 % of its time.  Without that bound, it is worth 50.
 */
#include "replay/replay_parts.h"

#include <math.h>

/* A thread that polls for less of its time hardly waits for others. */
static const double POLLS = 0.01;

/* The part of the time in which the thread does not have to compute, or to wait for the outside; INFINITY: it does not poll. */
static double free_part(const struct script *s, const struct actor *a, const float *fraction)
{
	double polled = 0, used = 0;

	for (uint32_t i = a->first; i < a->end; i++) {
		const struct step *step = &s->step[i];

		used += (double)step->cpu_ns * (1 - (double)fraction[step->cell]);
		if (step->kind == BURST_POLL)
			polled += (double)step->waited_ns;
		else if (step_is_for_outside(step))
			used += (double)step->waited_ns * (1 - (double)fraction[step->wait_cell]);
		else if (step->kind == BURST_CLOCK)
			used += (double)step->waited_ns;
	}
	return polled > POLLS * s->length_ns ? 1 - used / s->length_ns : INFINITY;
}

double polled_bound(const struct replay *r, const float *fraction)
{
	double ns = 0, all = 0;

	for (size_t b = 0; b < r->nscripts; b++) {
		const struct script *s = &r->script[b];
		double least = INFINITY;

		for (size_t t = 0; t < s->nactors; t++)
			least = fmin(least, free_part(s, &s->actor[t], fraction));
		ns += least * s->length_ns;
		all += s->length_ns;
	}
	return all > 0 ? ns / all : INFINITY;
}
