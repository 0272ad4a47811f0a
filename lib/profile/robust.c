/*
 * Window i of stratum k, of the region and speedup g, is expected to take
 * n_i P_k r_g.  Periods P and ratios r are medians, found by turns; a median does
 * not feel what hits fewer than half of the windows.
 */
#include "profile/robust.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { LEAST_WINDOWS = 20, LEAST_TOGETHER = 20, PASSES = 4 };

/* Only what is this much slower than expected is looked at: less does little harm, and programs vary. */
static const double SLOW = 1.5;

/* In robust standard deviations: full weight up to the first, none from the second on. */
static const double FULL = 5, NONE = 10;

/* More than this part of the windows is no accident. */
static const double MOST_SLOW = 0.3;

/* Outside load that explains a slow window: part of its time, and times the median of all. */
static const double OUTSIDE_PART = 0.05, OUTSIDE_TIMES = 3;

/* Slow windows keep the processor as busy as others do, and are made of the same code. */
static const double LEAST_BUSY = 0.7, SAME_CODE = 0.2, SAME_CODE_SIGMA = 3;

/* Of the samples of a region, from which on it comes and goes; and windows that this takes. */
static const double PHASES = 6;
enum { LEAST_FREEDOM = 7 };

/* Samples of regions in slow windows, from which on something can be said about that. */
static const double LEAST_HITS = 20;

struct item {
	struct profile_visits *v;
	const struct profile_window *w;
	size_t stratum, group;
	double period, slow, weight; /* slow: times what was expected */
	bool outside;                /* evidence from outside explains it */
};

struct all {
	struct item *item;
	size_t n, nstrata, ngroups;
	double *period, *ratio; /* of strata and groups */
};

static int compare_groups(const void *va, const void *vb)
{
	const struct item *a = *(struct item *const *)va, *b = *(struct item *const *)vb;
	size_t x = a->w->s > 0 ? a->w->region : PROFILE_NONE, y = b->w->s > 0 ? b->w->region : PROFILE_NONE;

	if (x != y)
		return x < y ? -1 : 1;
	return (a->w->s > b->w->s) - (a->w->s < b->w->s);
}

/* Baselines are the last group. */
static void find_groups(struct all *a)
{
	struct item **order = xcalloc(a->n + 1, sizeof *order);

	for (size_t i = 0; i < a->n; i++)
		order[i] = &a->item[i];
	qsort(order, a->n, sizeof *order, compare_groups);
	for (size_t i = 0; i < a->n; i++) {
		a->ngroups += i == 0 || compare_groups(&order[i - 1], &order[i]) != 0;
		order[i]->group = a->ngroups - 1;
	}
	free(order);
}

/* Strata of the estimator, joined: of so many windows that chance does not let most of them be hit. */
static void find_strata(const struct profile *p, struct all *a)
{
	size_t together = 0;
	struct causal_obs *obs = xcalloc(a->n + 1, sizeof *obs);

	for (size_t i = 0; i < a->n; i++) {
		obs[i] = profile_obs(p, a->item[i].v);
		obs[i].id = i;
	}
	causal_stratify(obs, a->n);
	for (size_t i = 0; i < a->n; i++) {
		bool first = i == 0 || obs[i].stratum != obs[i - 1].stratum;

		if (first && (together >= LEAST_TOGETHER || i == 0 || obs[i].run != obs[i - 1].run)) {
			a->nstrata++;
			together = 0;
		}
		together++;
		a->item[obs[i].id].stratum = a->nstrata - 1;
	}
	free(obs);
}

/* A clean log is the rule, and long: no window far above the mean of its stratum. */
static bool is_clean(const struct all *a)
{
	double *time = xcalloc(a->nstrata + 1, sizeof *time), *count = xcalloc(a->nstrata + 1, sizeof *count);
	bool clean = true;

	for (size_t i = 0; i < a->n; i++) {
		time[a->item[i].stratum] += a->item[i].v->virtual_ns;
		count[a->item[i].stratum] += (double)a->item[i].v->count;
	}
	for (size_t i = 0; i < a->n; i++)
		clean = clean && a->item[i].period < SLOW * time[a->item[i].stratum] / count[a->item[i].stratum];
	free(time);
	free(count);
	return clean;
}

/* Medians of what belongs together: of x[i] over the i with the same place. */
static void medians(const double *x, const size_t *place, size_t n, size_t nplaces, double *out)
{
	size_t *first = xcalloc(nplaces + 2, sizeof *first);
	double *sorted = xcalloc(n + 1, sizeof *sorted);

	for (size_t i = 0; i < n; i++)
		first[place[i] + 2]++;
	for (size_t k = 2; k < nplaces + 2; k++)
		first[k] += first[k - 1];
	for (size_t i = 0; i < n; i++)
		sorted[first[place[i] + 1]++] = x[i];
	for (size_t k = 0; k < nplaces; k++) {
		gsl_sort(sorted + first[k], 1, first[k + 1] - first[k]);
		out[k] = gsl_stats_median_from_sorted_data(sorted + first[k], 1, first[k + 1] - first[k]);
	}
	free(first);
	free(sorted);
}

static void find_expected(struct all *a)
{
	double *x = xcalloc(a->n + 1, sizeof *x);
	size_t *stratum = xcalloc(a->n + 1, sizeof *stratum), *group = xcalloc(a->n + 1, sizeof *group);

	for (size_t i = 0; i < a->n; i++) {
		stratum[i] = a->item[i].stratum;
		group[i] = a->item[i].group;
	}
	for (size_t g = 0; g < a->ngroups; g++)
		a->ratio[g] = 1;
	for (int pass = 0; pass < PASSES; pass++) {
		for (size_t i = 0; i < a->n; i++)
			x[i] = a->item[i].period / a->ratio[group[i]];
		medians(x, stratum, a->n, a->nstrata, a->period);
		for (size_t i = 0; i < a->n; i++)
			x[i] = a->item[i].period / a->period[stratum[i]];
		medians(x, group, a->n, a->ngroups, a->ratio);
	}
	free(x);
	free(stratum);
	free(group);
}

/* By how far they are off, alone. */
static void weigh_by_time(struct all *a)
{
	double *off = xcalloc(a->n + 1, sizeof *off), sigma;

	for (size_t i = 0; i < a->n; i++) {
		struct item *it = &a->item[i];

		it->slow = it->period / (a->period[it->stratum] * a->ratio[it->group]);
		off[i] = fabs(it->slow - 1) * sqrt((double)it->v->count);
	}
	gsl_sort(off, 1, a->n);
	sigma = 1.4826 * gsl_stats_median_from_sorted_data(off, 1, a->n);
	for (size_t i = 0; i < a->n; i++) {
		struct item *it = &a->item[i];
		double z = (it->slow - 1) * sqrt((double)it->v->count) / sigma;

		/* a sigma of 0 makes z infinite or, where nothing is off, not a number */
		if (it->slow > SLOW && z > FULL)
			it->weight = fmax(0, (NONE - z) / (NONE - FULL));
	}
	free(off);
}

static void find_outside(struct all *a)
{
	double *part = xcalloc(a->n + 1, sizeof *part), usual;

	for (size_t i = 0; i < a->n; i++)
		part[i] = a->item[i].w->wall_ns > 0 ? a->item[i].w->outside_ns / a->item[i].w->wall_ns : 0;
	gsl_sort(part, 1, a->n);
	usual = gsl_stats_median_from_sorted_data(part, 1, a->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct profile_window *w = a->item[i].w;

		a->item[i].outside = w->outside_ns > fmax(OUTSIDE_PART, OUTSIDE_TIMES * usual) * w->wall_ns;
	}
	free(part);
}

static bool is_suspect(const struct item *it)
{
	return it->weight < 1 && !it->outside;
}

/* Is the processor as busy in slow windows?  A phase in which the program waits is no disturbance. */
static bool keeps_busy(const struct all *a)
{
	double samples[2] = { 0 }, wall[2] = { 0 };

	for (size_t i = 0; i < a->n; i++) {
		samples[is_suspect(&a->item[i])] += a->item[i].w->samples;
		wall[is_suspect(&a->item[i])] += a->item[i].w->wall_ns;
	}
	return wall[0] > 0 && wall[1] > 0 && samples[0] > 0 && samples[1] / wall[1] >= LEAST_BUSY * samples[0] / wall[0];
}

/* Samples of a group: in its region, and in all, of suspects and of the others. */
struct mix {
	double hits[2], samples[2];
	size_t region;
};

/* By region: how much more hits vary from window to window than if they were drawn one by one; 1 when there is too little. */
static double overdispersion(const struct all *a, const struct mix *mix, size_t region)
{
	double sum = 0, freedom = -1;

	for (size_t i = 0; i < a->n; i++) {
		const struct item *it = &a->item[i];
		const struct mix *m = &mix[it->group];
		double share = m->hits[0] / m->samples[0], off = it->w->region_samples - share * it->w->samples;

		if (m->region != region || is_suspect(it) || !(share > 0 && share < 1) || !it->w->samples)
			continue;
		sum += off * off / (share * (1 - share) * it->w->samples);
		freedom++;
	}
	return freedom >= LEAST_FREEDOM ? fmax(1, sum / freedom) : 1;
}

static struct mix *mix_of(const struct all *a)
{
	struct mix *mix = xcalloc(a->ngroups + 1, sizeof *mix);

	for (size_t i = 0; i < a->n; i++) {
		const struct item *it = &a->item[i];
		bool suspect = is_suspect(it);

		mix[it->group].region = it->w->s > 0 ? it->w->region : PROFILE_NONE;
		mix[it->group].hits[suspect] += it->w->region_samples;
		mix[it->group].samples[suspect] += it->w->samples;
	}
	return mix;
}

/* Of the groups mix[0..n) of one region: adds the hits that its suspects should have. */
static bool is_same_in_region(const struct mix *mix, size_t n, double dispersion, double *expected)
{
	double excess = 0, part = 0, variance = 0;

	for (size_t g = 0; g < n; g++) {
		const struct mix *m = &mix[g];
		double share = m->hits[0] / m->samples[0];

		if (!(m->samples[0] > 0))
			continue;
		excess += m->hits[1] - share * m->samples[1];
		part += share * m->samples[1];
		variance += fmax(share * (1 - share), 1 / m->samples[0]) * m->samples[1] * (1 + m->samples[1] / m->samples[0]);
	}
	*expected += part;
	return dispersion < PHASES && (fabs(excess) <= SAME_CODE_SIGMA * sqrt(dispersion * variance) || fabs(excess) <= SAME_CODE * part);
}

/*
 * Are slow windows made of the same code?  Then it does no harm to count them
 * less, even if they are a phase: the effect of the region is the same there.
 * Where code comes and goes from window to window, there are phases.
 */
static bool is_same_code(const struct all *a)
{
	struct mix *mix = mix_of(a);
	double expected = 0;
	bool same = true;

	/* groups of one region stand side by side */
	for (size_t g = 0, end; same && g < a->ngroups && mix[g].region != PROFILE_NONE; g = end) {
		for (end = g; end < a->ngroups && mix[end].region == mix[g].region; end++)
			;
		same = is_same_in_region(mix + g, end - g, overdispersion(a, mix, mix[g].region), &expected);
	}
	free(mix);
	return same && expected >= LEAST_HITS;
}

/* What remains of the suspicion. */
static void judge(struct all *a)
{
	double slow = 0;
	size_t suspects = 0;
	bool believed;

	for (size_t i = 0; i < a->n; i++) {
		slow += a->item[i].weight < 1;
		suspects += is_suspect(&a->item[i]);
	}
	believed = suspects && slow <= MOST_SLOW * (double)a->n && keeps_busy(a) && is_same_code(a);
	for (size_t i = 0; i < a->n; i++) {
		struct item *it = &a->item[i];

		it->v->slow = it->weight < 1;
		it->v->weight = is_suspect(it) && !believed ? 1 : it->weight;
	}
}

static size_t gather(const struct profile *p, struct profile_visits *v, size_t n, struct item *item)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		const struct profile_window *w = &p->window[v[i].window];

		v[i].weight = 1;
		if (!w->disturbed)
			item[used++] = (struct item){ .v = &v[i], .w = w, .weight = 1, .period = v[i].virtual_ns / (double)v[i].count };
	}
	return used;
}

void robust_weigh(const struct profile *p, struct profile_visits *v, size_t n)
{
	struct all a = { .item = xcalloc(n + 1, sizeof *a.item) };

	a.n = gather(p, v, n, a.item);
	/* lengths of spans follow queues, which come and go by themselves, with the same code */
	if (a.n >= LEAST_WINDOWS && p->point[v[0].point].kinds == KIND_THROUGHPUT) {
		find_strata(p, &a);
		if (!is_clean(&a)) {
			find_groups(&a);
			a.period = xcalloc(a.nstrata + 1, sizeof *a.period);
			a.ratio = xcalloc(a.ngroups + 1, sizeof *a.ratio);
			find_expected(&a);
			weigh_by_time(&a);
			find_outside(&a);
			judge(&a);
			free(a.period);
			free(a.ratio);
		}
	}
	free(a.item);
}
