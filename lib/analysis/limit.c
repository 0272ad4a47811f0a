#include "analysis/limit.h"

#include <math.h>
#include <string.h>

/*
 * The relative error of a limit.  Limits come from samples, some of which are taken at
 * ticks; and virtual speedups have a systematic error of some per cent
 * (estimate/systematic.h).
 */
static const double SLACK = 0.1, LEAST = 0.012;

/* One for one, plus the systematic error of virtual speedups. */
static const double ONE = 1.03;

/* Largest p for an effect beyond the limit to be believed. */
static const double EVIDENCE_P = 0.001;

/* Beyond this, too little is left of the program's own time for a statement. */
static const double MOST_QUEUED = 0.95;

void limits_init(struct limits *l, const struct profile *p)
{
	double sampled = 0, wall = 0, outside = 0, queued = 0, cpu = 0, runqueue = 0, times, rivals;

	*l = (struct limits){ .busy = NAN };
	for (size_t i = 0; i < p->nwindows; i++) {
		const struct profile_window *w = &p->window[i];

		if (w->disturbed || w->s > 0 || p->run[w->run].given)
			continue;
		sampled += w->sampled_ns;
		wall += w->wall_ns;
		outside += w->outside_ns;
		queued += w->queued_ns;
	}
	if (!(wall > 0) || !(sampled > 0))
		return;
	for (size_t i = 0; i < p->nruns; i++) {
		const struct profile_run *r = &p->run[i];

		if (r->given)
			continue;
		l->period_ns = (double)r->period_ns;
		l->total += (double)r->share_total;
		l->wall_ns += (double)r->wall_ns;
		cpu += (double)r->spent.cpu;
		runqueue += (double)r->spent.runqueue;
	}
	if (!(cpu > 0))
		return;
	/*
	 * Time in queues for processors, relative to the running time.  Each source misses
	 * some of it: see recorder/queued.h.
	 */
	times = fmax(queued / sampled, runqueue / cpu);
	l->busy = sampled / wall * (1 + times);
	/*
	 * A thread queues behind threads of other programs and of its own; a single thread
	 * has no others of its own.
	 */
	rivals = sampled * fmax(1 - 1 / l->busy, 0);
	l->queued = outside > 0 ? fmin(times / (1 + times) * outside / (outside + rivals), MOST_QUEUED) : 0;
}

double limits_slope(const struct limits *l, const struct profile_region *r)
{
	double share, waits, seen = (double)(r->plain_samples + r->plain_blocked);

	/* A class is a kind of waiting: its time is not bounded by processors. */
	if (isnan(l->busy) || (r->scope && !strcmp(r->scope, "class")))
		return INFINITY;
	if (!(l->total > 0) || !(l->wall_ns > 0) || !(seen > 0))
		return INFINITY;
	share = (double)r->plain_samples / l->total * l->busy;
	waits = (double)r->plain_blocked * l->period_ns / l->wall_ns;
	return fmin(ONE, LEAST + (share + waits) * (1 + SLACK + 3 / sqrt(seen)));
}

static void stretch(struct estimate *e, double queued)
{
	e->hi = e->hi > 0 ? e->hi / (1 - queued) : e->hi;
	e->lo = e->lo < 0 ? e->lo / (1 - queued) : e->lo;
}

/*
 * An estimate beyond the limit is moved to the limit, with the width of its interval: a
 * true value within the limit is nearer to the limit than to the estimate.
 */
static void cut(struct estimate *e, double most)
{
	double to = fmin(fmax(e->value, -most), most), drawn = to - e->value;

	if (!isfinite(e->se) || !isfinite(most))
		return;
	if (drawn != 0) {
		if (stats_t_p(drawn / e->se, e->df) < EVIDENCE_P)
			return;
		e->value = to;
		e->p = stats_t_p(e->value / e->se, e->df);
	}
	e->lo = fmax(e->lo + drawn, -most);
	e->hi = fmin(e->hi + drawn, most);
}

void limits_apply(const struct limits *l, double most, struct causal_effect *e)
{
	stretch(&e->fit.slope, l->queued);
	stretch(&e->fit.cost, l->queued);
	cut(&e->fit.slope, most);
	cut(&e->fit.cost, most * e->period_ns);
	for (size_t i = 0; i < e->nlevels; i++) {
		stretch(&e->level[i].gain, l->queued);
		cut(&e->level[i].gain, most * e->level[i].s);
	}
}
