/*
 * For one region and point, the excess of window i at speedup s is
 *
 *     x = credit - s * usual * visits        usual = time in the region per visit, in the long run
 *
 * and its effect on the window's virtual time is estimated within levels, by least
 * squares: beta.  If the region alone decides the time, beta is -1.  If the region has
 * no effect, beta is about 0, and nothing is changed.
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

/* The length of a sampling period: the longest in all run records. */
static double nominal_period(const struct context *c)
{
	uint64_t most = 0;

	for (size_t i = 0; i < c->nruns; i++)
		most = c->run[i].run.period_ns > most ? c->run[i].run.period_ns : most;
	return (double)most;
}

/* The time that a sample stands for, in ns: periods vary from window to window. */
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

/*
 * The credit of a window, in ns.  If the log does not have it, each hit is assumed to have
 * been credited by itself.
 */
static double credit_of(const struct profile_window *w, double period)
{
	return isnan(w->credit_ns) ? w->s * (double)w->region_samples * period : w->credit_ns;
}

/* Sorts visits of used, treated windows by region and point, and otherwise keeps their order. */
struct place {
	size_t region, point, at;
};

/* Sums over all windows that are used. */
struct point_sum {
	double samples, visits;
};

/* The usual hits per visit, by the shares of whole runs. */
struct region_sum {
	double hits, total;
};

struct sums {
	struct place *place;
	size_t n;
	struct point_sum *point;
	struct region_sum *region;
};

static int by_place(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->point != b->point)
		return a->point < b->point ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static void sums_init(struct sums *s, const struct context *c)
{
	*s = (struct sums){ .place = xcalloc(c->nvisits + 1, sizeof *s->place), .point = xcalloc(c->p->npoints + 1, sizeof *s->point),
			    .region = xcalloc(c->nregions + 1, sizeof *s->region) };
	for (size_t i = 0; i < c->nshares; i++) {
		s->region[c->share[i].region].hits += (double)c->share[i].samples;
		s->region[c->share[i].region].total += (double)c->run[c->share[i].run].run.share_total;
	}
	for (size_t i = 0; i < c->nvisits; i++) {
		const struct profile_visits *v = &c->visits[i];
		const struct context_window *w = window_of(c, v);

		if (!is_used(w))
			continue;
		s->point[v->point].samples += (double)w->window.samples;
		s->point[v->point].visits += (double)v->count;
		if (w->window.s > 0 && v->virtual_ns > 0)
			s->place[s->n++] = (struct place){ w->window.region, v->point, i };
	}
	if (s->n)
		qsort(s->place, s->n, sizeof *s->place, by_place);
}

static void sums_release(struct sums *s)
{
	free(s->place);
	free(s->point);
	free(s->region);
}

/* Hits of the region per visit of the point, by the shares of whole runs; NAN when unknown. */
static double usual_hits(const struct region_sum *region, const struct point_sum *point)
{
	return region->total > 0 && point->visits > 0 ? region->hits / region->total * point->samples / point->visits : NAN;
}

static void gather_windows(const struct context *c, const struct place *place, size_t n, double usual, double period, struct item *item)
{
	for (size_t i = 0; i < n; i++) {
		struct profile_visits *v = &c->visits[place[i].at];
		const struct profile_window *w = &window_of(c, v)->window;

		item[i] = (struct item){
			.visits = v,
			.s = w->s,
			.count = (double)v->count,
			.time = v->virtual_ns,
			.excess = credit_of(w, period) - w->s * usual * period * (double)v->count,
		};
	}
}

static int by_speedup(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->s > y->s) - (x->s < y->s);
}

/* The effect of 1 ns of excess credit on virtual time, in ns; 0 when it is not significant. */
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
	/* If the mean excess is larger than chance allows, the shares of the run do not apply to these windows. */
	if (fabs(sum) > BY_CHANCE * sqrt(vv / freedom * (double)n))
		return 0;
	beta = rv / vv;
	/*
	 * A credit reduces virtual time.  If it seems to increase it, visits were slow,
	 * and had more samples for that reason.  If the effect seems to be many times
	 * the credit, a few windows were slow for other reasons.
	 */
	if (beta > 0 || beta < -MOST)
		return 0;
	variance = fmax(0, rr - beta * rv) / freedom;
	return beta * beta * vv > CERTAIN * CERTAIN * variance ? beta : 0;
}

/* Corrects the visits place[0..n), which are of one region and point. */
static void adjust_region(const struct context *c, const struct place *place, size_t n, double usual, double period, struct item *item)
{
	double beta;

	gather_windows(c, place, n, usual, period, item);
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
	struct sums sums;

	sums_init(&sums, c);
	for (size_t from = 0, to; from < sums.n; from = to) {
		const struct place *first = &sums.place[from];
		double usual = usual_hits(&sums.region[first->region], &sums.point[first->point]);

		for (to = from; to < sums.n && sums.place[to].region == first->region && sums.place[to].point == first->point;)
			to++;
		if (isfinite(usual))
			adjust_region(c, first, to - from, usual, period, item);
	}
	sums_release(&sums);
	free(item);
}
