/*
 * Window i of stratum k, of the region and speedup g, is expected to take
 * n_i P_k r_g.  Periods P are medians, ratios r lie on a line for each region
 * (robust_line.c); both are found alternately.  Neither changes much if fewer than half
 * of the windows are disturbed.
 */
#include "profile/robust_parts.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { LEAST_WINDOWS = 20, LEAST_TOGETHER = 20, PASSES = 6 };

/* In robust standard deviations: full weight up to the first, none from the second on. */
static const double FULL = 5, NONE = 10;

/* If more than this part of the windows is slow, that is no accident. */
static const double MOST_SLOW = 0.3;

/* Outside load that explains a slow window: as part of its time, and as a multiple of the median of all windows. */
static const double OUTSIDE_PART = 0.05, OUTSIDE_TIMES = 3;

static int compare_groups(const void *va, const void *vb)
{
	const struct robust_item *a = *(struct robust_item *const *)va, *b = *(struct robust_item *const *)vb;
	size_t x = a->w->s > 0 ? a->w->region : PROFILE_NONE, y = b->w->s > 0 ? b->w->region : PROFILE_NONE;

	if (x != y)
		return x < y ? -1 : 1;
	return (a->w->s > b->w->s) - (a->w->s < b->w->s);
}

/* Baselines are the last group. */
static void find_groups(struct robust *a)
{
	struct robust_item **order = xcalloc(a->n + 1, sizeof *order);

	for (size_t i = 0; i < a->n; i++)
		order[i] = &a->item[i];
	qsort(order, a->n, sizeof *order, compare_groups);
	for (size_t i = 0; i < a->n; i++) {
		a->ngroups += i == 0 || compare_groups(&order[i - 1], &order[i]) != 0;
		order[i]->group = a->ngroups - 1;
	}
	free(order);
}

/* Strata of the estimator, joined until they have so many windows that chance does not disturb most of them. */
static void find_strata(const struct profile *p, struct robust *a)
{
	size_t together = 0;
	bool by_run = true;
	struct causal_obs *obs = xcalloc(a->n + 1, sizeof *obs);

	for (size_t i = 0; i < a->n; i++) {
		obs[i] = profile_obs(p, a->item[i].v);
		obs[i].id = i;
	}
	causal_stratify_best(obs, a->n);
	/* Its strata are times of a run, or places that all runs have. */
	for (size_t i = 1; i < a->n; i++)
		by_run = by_run && obs[i].run >= obs[i - 1].run;
	for (size_t i = 0; i < a->n; i++) {
		bool first = i == 0 || obs[i].stratum != obs[i - 1].stratum;

		if (first && (together >= LEAST_TOGETHER || i == 0 || (by_run && obs[i].run != obs[i - 1].run))) {
			a->nstrata++;
			together = 0;
		}
		together++;
		a->item[obs[i].id].stratum = a->nstrata - 1;
	}
	free(obs);
}

/* Fast test for clean logs, which are the rule: no window is far above the mean of its stratum. */
static bool is_clean(const struct robust *a)
{
	double *time = xcalloc(a->nstrata + 1, sizeof *time), *count = xcalloc(a->nstrata + 1, sizeof *count);
	bool clean = true;

	for (size_t i = 0; i < a->n; i++) {
		time[a->item[i].stratum] += a->item[i].v->virtual_ns;
		count[a->item[i].stratum] += (double)a->item[i].v->count;
	}
	for (size_t i = 0; i < a->n; i++)
		clean = clean && a->item[i].period < ROBUST_SLOW * time[a->item[i].stratum] / count[a->item[i].stratum];
	free(time);
	free(count);
	return clean;
}

/* Medians of groups: of x[i] over all i with the same place. */
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

/* Sets the region of each group; ratios begin as 1. */
static void begin_ratios(struct robust *a)
{
	a->region = xcalloc(a->ngroups + 1, sizeof *a->region);
	for (size_t i = 0; i < a->n; i++)
		a->region[a->item[i].group] = a->item[i].w->s > 0 ? a->item[i].w->region : PROFILE_NONE;
	for (size_t g = 0; g < a->ngroups; g++)
		a->ratio[g] = 1;
}

static void find_expected(struct robust *a)
{
	double *x = xcalloc(a->n + 1, sizeof *x);
	size_t *stratum = xcalloc(a->n + 1, sizeof *stratum);

	begin_ratios(a);
	for (size_t i = 0; i < a->n; i++)
		stratum[i] = a->item[i].stratum;
	for (int pass = 0; pass < PASSES; pass++) {
		for (size_t i = 0; i < a->n; i++)
			x[i] = a->item[i].period / a->ratio[a->item[i].group];
		medians(x, stratum, a->n, a->nstrata, a->period);
		robust_lines(a);
	}
	free(x);
	free(stratum);
}

/* Weights by the distance alone. */
static void weigh_by_time(struct robust *a)
{
	double *off = xcalloc(a->n + 1, sizeof *off), sigma;

	for (size_t i = 0; i < a->n; i++) {
		struct robust_item *it = &a->item[i];

		it->slow = it->period / (a->period[it->stratum] * a->ratio[it->group]);
		off[i] = fabs(it->slow - 1) * sqrt((double)it->v->count);
	}
	gsl_sort(off, 1, a->n);
	sigma = 1.4826 * gsl_stats_median_from_sorted_data(off, 1, a->n);
	for (size_t i = 0; i < a->n; i++) {
		struct robust_item *it = &a->item[i];
		double z = (it->slow - 1) * sqrt((double)it->v->count) / sigma;

		/* a sigma of 0 makes z infinite or, where nothing is off, not a number */
		if (it->slow > ROBUST_SLOW && z > FULL)
			it->weight = fmax(0, (NONE - z) / (NONE - FULL));
	}
	free(off);
}

static void find_outside(struct robust *a)
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

/* Applies the weights that are justified. */
static void judge_suspicion(struct robust *a)
{
	double slow = 0;
	size_t suspects = 0;
	bool believed;

	for (size_t i = 0; i < a->n; i++) {
		slow += a->item[i].weight < 1;
		suspects += robust_is_suspect(&a->item[i]);
	}
	believed = suspects && slow <= MOST_SLOW * (double)a->n && robust_is_same(a);
	for (size_t i = 0; i < a->n; i++) {
		struct robust_item *it = &a->item[i];

		it->v->slow = it->weight < 1;
		it->v->weight = robust_is_suspect(it) && !believed ? 1 : it->weight;
	}
}

static size_t gather_items(const struct profile *p, struct profile_visits *v, size_t n, struct robust_item *item)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		const struct profile_window *w = &p->window[v[i].window];

		v[i].weight = 1;
		if (!w->disturbed)
			item[used++] = (struct robust_item){ .v = &v[i], .w = w, .weight = 1, .period = v[i].virtual_ns / (double)v[i].count };
	}
	return used;
}

void robust_weigh(const struct profile *p, struct profile_visits *v, size_t n)
{
	struct robust a = { .item = xcalloc(n + 1, sizeof *a.item) };

	a.n = gather_items(p, v, n, a.item);
	/* lengths of spans depend on queues, which grow and shrink with the same code */
	if (a.n >= LEAST_WINDOWS && p->point[v[0].point].kinds == KIND_THROUGHPUT) {
		find_strata(p, &a);
		if (!is_clean(&a)) {
			find_groups(&a);
			a.period = xcalloc(a.nstrata + 1, sizeof *a.period);
			a.ratio = xcalloc(a.ngroups + 1, sizeof *a.ratio);
			find_expected(&a);
			weigh_by_time(&a);
			find_outside(&a);
			judge_suspicion(&a);
			free(a.period);
			free(a.ratio);
			free(a.region);
		}
	}
	free(a.item);
}
