/*
 * For one region and point, the excess of window i at speedup s is
 *
 *     x = credit - s * usual * visits        usual = time in the region per visit, in the long run
 *
 * and its effect on the window's virtual time is estimated within levels, by least
 * squares: beta.  Where the region is all that counts, beta is -1; where it counts
 * for nothing, beta is about 0, and nothing is changed.
 */
#include "profile/adjust.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { LEAST_FREEDOM = 8 };

static const double CERTAIN = 3;    /* |t| of beta from which a window is corrected */
static const double MOST = 3;       /* -beta: virtual time per credit */
static const double BY_CHANCE = 4;  /* standard errors that the mean excess may be from 0 */

struct item {
	struct profile_visits *visits;
	double s, count, time, excess;
};

static const struct context_window *window_of(const struct context *c, const struct profile_visits *v)
{
	return &c->window[v->window];
}

static bool is_used(const struct context_window *w)
{
	return w->defined && !w->window.disturbed && w->window.samples > 0;
}

/* What the recorder's run record says, the longest of all runs. */
static double nominal_period(const struct context *c)
{
	uint64_t most = 0;

	for (size_t i = 0; i < c->nruns; i++)
		most = c->run[i].run.period_ns > most ? c->run[i].run.period_ns : most;
	return (double)most;
}

/* What a sample stands for, in ns: periods vary from window to window. */
static double mean_period(const struct context *c)
{
	double time = 0, samples = 0;

	for (size_t i = 0; i < c->nwindows; i++) {
		const struct context_window *w = &c->window[i];

		if (!is_used(w) || !(w->window.sampled_ns > 0))
			continue;
		time += w->window.sampled_ns;
		samples += (double)w->window.samples;
	}
	return samples > 0 ? time / samples : nominal_period(c);
}

/* In ns.  Where the log does not say it: as if each hit had been credited by itself. */
static double credit_of(const struct profile_window *w, double period)
{
	return isnan(w->credit_ns) ? w->s * (double)w->region_samples * period : w->credit_ns;
}

/* Hits of the region per visit of the point, by the shares of whole runs; NAN when unknown. */
static double usual_hits(const struct context *c, size_t region, size_t point)
{
	double hits = 0, total = 0, samples = 0, visits = 0;

	for (size_t i = 0; i < c->nshares; i++) {
		if (c->share[i].region != region)
			continue;
		hits += (double)c->share[i].samples;
		total += (double)c->run[c->share[i].run].run.share_total;
	}
	for (size_t i = 0; i < c->nvisits; i++) {
		const struct context_window *w = window_of(c, &c->visits[i]);

		if (c->visits[i].point != point || !is_used(w))
			continue;
		samples += (double)w->window.samples;
		visits += (double)c->visits[i].count;
	}
	return total > 0 && visits > 0 ? hits / total * samples / visits : NAN;
}

static size_t gather(const struct context *c, size_t region, size_t point, double usual, double period, struct item *item)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nvisits; i++) {
		struct profile_visits *v = &c->visits[i];
		const struct context_window *w = window_of(c, v);

		if (v->point != point || !is_used(w) || w->window.region != region || !(w->window.s > 0) || !(v->virtual_ns > 0))
			continue;
		item[n++] = (struct item){
			.visits = v,
			.s = w->window.s,
			.count = (double)v->count,
			.time = v->virtual_ns,
			.excess = credit_of(&w->window, period) - w->window.s * usual * period * (double)v->count,
		};
	}
	return n;
}

static int by_speedup(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->s > y->s) - (x->s < y->s);
}

/* What 1 ns credited too much does to virtual time, in ns; 0 when there is no certain effect. */
static double effect_of_excess(const struct item *item, size_t n)
{
	double rv = 0, vv = 0, rr = 0, sum = 0, beta, variance, freedom = (double)n - 1;

	for (size_t from = 0, to; from < n; from = to) {
		double time = 0, excess = 0, count = 0;

		for (to = from; to < n && !(item[to].s > item[from].s); to++) {
			time += item[to].time;
			excess += item[to].excess;
			count += item[to].count;
		}
		for (size_t i = from; i < to; i++) {
			double r = item[i].time - item[i].count * time / count;
			double v = item[i].excess - item[i].count * excess / count;

			rv += r * v;
			vv += v * v;
			rr += r * r;
		}
		sum += excess;
		freedom--;
	}
	if (freedom < LEAST_FREEDOM || !(vv > 0))
		return 0;
	/* A mean excess beyond chance is no chance: the shares do not speak of these windows. */
	if (fabs(sum) > BY_CHANCE * sqrt(vv / freedom * (double)n))
		return 0;
	beta = rv / vv;
	/*
	 * A credit makes virtual time less.  Where it seems to make it more, visits were
	 * slow and held more samples for it; where it seems to be many times as much, a
	 * few windows were slow for other reasons.
	 */
	if (beta > 0 || beta < -MOST)
		return 0;
	variance = fmax(0, rr - beta * rv) / freedom;
	return beta * beta * vv > CERTAIN * CERTAIN * variance ? beta : 0;
}

static void adjust(struct context *c, size_t region, size_t point, double period, struct item *item)
{
	double usual = usual_hits(c, region, point), beta;
	size_t n;

	if (!isfinite(usual))
		return;
	n = gather(c, region, point, usual, period, item);
	qsort(item, n, sizeof *item, by_speedup);
	beta = effect_of_excess(item, n);
	for (size_t i = 0; i < n; i++) {
		double corrected = item[i].time - beta * item[i].excess;

		if (corrected > 0)
			item[i].visits->virtual_ns = corrected;
	}
}

void adjust_context(struct context *c)
{
	struct item *item = xcalloc(c->nvisits + 1, sizeof *item);
	double period = mean_period(c);
	size_t points = 0;

	for (size_t i = 0; i < c->nvisits; i++)
		points = c->visits[i].point >= points ? c->visits[i].point + 1 : points;
	for (size_t region = 0; region < c->nregions; region++)
		for (size_t point = 0; point < points; point++)
			adjust(c, region, point, period, item);
	free(item);
}
