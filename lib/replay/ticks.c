/*
 * ticks: finds timers that tick on while nobody waits for them.
 *
 * A thread that sleeps until moments of its own has as many sleeps as there are moments.
 * One that reads a periodic timer (timerfd) does not, if it comes late: ticks that it
 * missed are one.  If it comes earlier, it misses fewer.  So its waits end at the next tick,
 * not at the recorded moment.
 */
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "replay/replay_parts.h"

enum {
	WAITS_LEAST = 10,  /* distances between waits, to know the period of a timer */
	PARTS_MOST = 8,    /* periods between the two waits that are nearest to each other */
	SHORTER = 5,       /* quantiles that are tried: EARLY_PART of the times, and so on */
};

#define MISFIT_MOST 0.1  /* see misfit() */
#define MISSED_PART 0.05 /* from this part of missed ticks on, the timer does not wait for its thread */
#define EARLY_PART  0.1  /* the part of all waits that ends with the least delay after a tick */

/* Of sorted values. */
static double quantile(const double *v, size_t n, double part)
{
	return v[(size_t)(part * (double)(n - 1))];
}

/* ---- periods, by site: all bursts tell of them ------------------------------------------- */

struct timer {
	double *between; /* times between the ends of waits that follow each other in one burst; owned */
	size_t n, cap;
	size_t reads;    /* with those that did not wait, between the first and the last wait */
	double period_ns; /* 0: unknown, or no such timer */
};

struct timers {
	struct idmap site;
	struct timer *timer; /* owned */
	size_t cap;
};

static struct timer *timer_at(struct timers *all, uint32_t site)
{
	size_t k = idmap_number(&all->site, site);

	all->timer = idmap_room(&all->site, all->timer, &all->cap, sizeof(*all->timer));
	return &all->timer[k];
}

static bool is_wait(const struct step *s)
{
	return s->kind == BURST_CLOCK && !step_came_late(s) && !(s->frame_ns > 0);
}

/* The next wait of the actor at the same site; `end`: none.  Adds the number of reads up to it. */
static uint32_t next_wait(const struct script *s, uint32_t i, uint32_t end, size_t *reads)
{
	for (uint32_t k = i + 1; k < end; k++) {
		if (s->step[k].kind != BURST_CLOCK || s->step[k].site != s->step[i].site)
			continue;
		++*reads;
		if (is_wait(&s->step[k]))
			return k;
	}
	return end;
}

static void note_waits(struct timers *all, const struct script *s, const struct actor *a)
{
	for (uint32_t i = a->first; i < a->end; i++) {
		size_t reads = 0;
		uint32_t next = is_wait(&s->step[i]) ? next_wait(s, i, a->end, &reads) : a->end;
		struct timer *t;

		if (next == a->end)
			continue;
		t = timer_at(all, s->step[i].site);
		t->between = xgrow(t->between, t->n, &t->cap, sizeof(*t->between));
		t->between[t->n++] = s->at_ns[next] - s->at_ns[i];
		t->reads += reads;
	}
}

/* How far these times are from whole numbers of periods: 0 .. 0.5 of a period, by chance 0.25. */
static double misfit(const struct timer *t, double period)
{
	double sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += fabs(remainder(t->between[i], period)) / period;
	return sum / (double)t->n;
}

/* Tries some of the shorter times as `parts` periods each.  Sets *period to the one that fits best; returns its misfit. */
static double try_parts(const struct timer *t, int parts, double *period)
{
	double best = 1;

	for (int i = 1; i <= SHORTER; i++) {
		double p = quantile(t->between, t->n, EARLY_PART * i) / parts, bad = misfit(t, p);

		if (bad < best) {
			best = bad;
			*period = p;
		}
	}
	return best;
}

/*
 * Each of these times is a number of periods, also the shortest ones.  Where threads wait for processors, a quarter of the times
 * is off by more than a tenth of a period, so several of the shorter ones are tried.
 */
static void learn_period(struct timer *t)
{
	double period = 0, sum = 0, ticks = 0;
	int parts = 1;

	if (t->n < WAITS_LEAST)
		return;
	gsl_sort(t->between, 1, t->n);
	while (parts <= PARTS_MOST && try_parts(t, parts, &period) > MISFIT_MOST)
		parts++;
	if (parts > PARTS_MOST)
		return;
	for (size_t i = 0; i < t->n; i++) {
		sum += t->between[i];
		ticks += round(t->between[i] / period);
	}
	if ((double)t->reads < (1 - MISSED_PART) * ticks)
		t->period_ns = sum / ticks;
}

/* ---- phases, of each thread in each burst ---------------------------------------------------- */

/* When the first tick was.  The thread goes on a little later than at a tick.  NAN: it never waited. */
static double phase_of(const struct script *s, const struct actor *a, uint32_t site, double period)
{
	double *late = xcalloc(a->end - a->first, sizeof(*late)), from = NAN;
	size_t n = 0;

	for (uint32_t i = a->first; i < a->end; i++) {
		if (!is_wait(&s->step[i]) || s->step[i].site != site)
			continue;
		from = n ? from : s->at_ns[i];
		late[n++] = remainder(s->at_ns[i] - from, period);
	}
	gsl_sort(late, 1, n);
	if (n)
		from = fmod(from + quantile(late, n, EARLY_PART), period);
	free(late);
	return from;
}

static void find_ticks(struct timers *all, struct script *s, const struct actor *a)
{
	struct idmap seen = { 0 };

	for (uint32_t i = a->first; i < a->end; i++) {
		size_t before = seen.n;
		uint32_t site = s->step[i].site;
		double period, phase;

		if (s->step[i].kind != BURST_CLOCK || idmap_number(&seen, site) < before)
			continue;
		period = timer_at(all, site)->period_ns;
		phase = period > 0 ? phase_of(s, a, site, period) : NAN;
		if (isnan(phase))
			continue;
		s->ticks = xgrow(s->ticks, s->nticks, &s->ticks_cap, sizeof(*s->ticks));
		s->ticks[s->nticks++] = (struct ticks){ .period_ns = period, .phase_ns = phase };
		for (uint32_t k = i; k < a->end; k++)
			if (s->step[k].kind == BURST_CLOCK && s->step[k].site == site)
				s->step[k].ticks = (uint32_t)s->nticks;
	}
	idmap_release(&seen);
}

void ticks_learn(struct replay *r)
{
	struct timers all = { 0 };

	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t t = 0; t < r->script[b].nactors; t++)
			note_waits(&all, &r->script[b], &r->script[b].actor[t]);
	for (size_t i = 0; i < all.site.n; i++)
		learn_period(&all.timer[i]);
	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t t = 0; t < r->script[b].nactors; t++)
			find_ticks(&all, &r->script[b], &r->script[b].actor[t]);
	for (size_t i = 0; i < all.site.n; i++)
		free(all.timer[i].between);
	free(all.timer);
	idmap_release(&all.site);
}
