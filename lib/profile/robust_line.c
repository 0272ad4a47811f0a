/*
 * A line for each region: what a window at speedup s is expected to take, of what
 * a baseline takes, is 1 - b min(s, knee).
 *
 * All windows of the region, at all speedups, decide on slope and knee together,
 * by quantile regression of the logarithms (Koenker and Bassett 1978).  A hit
 * makes a window slower, never faster, so the line has a third of them below it:
 * it takes a hit on two thirds of them all to bend it, and not on half of the
 * three to six that are at one speedup.  Curves have other shapes, too: where the
 * windows of one speedup agree with one another, they are believed.
 */
#include "profile/robust_parts.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* No program gets faster than by this factor, as far as windows can tell. */
static const double LEAST_RATIO = 0.02;

/* Slopes that are tried: one harmful, to one that is the whole program. */
static const double LEAST_SLOPE = -1, MOST_SLOPE = 1;
enum { STEPS = 40, REFINED = 3, FINER = 8 };

/* Windows of a group that agree: so many, and such a part of them, within a factor of their median.  Hits never do. */
enum { LEAST_AGREEING = 3 };
static const double AGREEING_PART = 0.75, AGREEING = 1.2;

/* The part of the windows below the line. */
static const double BELOW = 1.0 / 3;

/* Logarithms of what the windows of one group took, of a baseline; sorted, with their sums from the first on. */
struct spread {
	const double *x;
	double *sum;
	size_t n;
	double s;
};

/* Sum of the distances from c, weighted so that it is least where the part BELOW lies below c. */
static double spread_distance(const struct spread *p, double c)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (p->x[mid] < c)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (1 - BELOW) * (c * (double)lo - p->sum[lo]) + BELOW * (p->sum[p->n] - p->sum[lo] - c * (double)(p->n - lo));
}

static double ratio_at(double slope, double knee, double s)
{
	return fmax(LEAST_RATIO, 1 - slope * fmin(s, knee));
}

static double misfit(const struct spread *p, size_t n, double slope, double knee)
{
	double sum = 0;

	for (size_t g = 0; g < n; g++)
		sum += spread_distance(&p[g], log(ratio_at(slope, knee, p[g].s)));
	return sum;
}

/* The best slope for this knee, by finer and finer steps. */
static double best_slope(const struct spread *p, size_t n, double knee, double *least)
{
	double from = LEAST_SLOPE, step = (MOST_SLOPE - LEAST_SLOPE) / STEPS, best = 0;
	int steps = STEPS;

	*least = INFINITY;
	for (int pass = 0; pass < REFINED; pass++) {
		for (int i = 0; i <= steps; i++) {
			double slope = fmin(from + i * step, MOST_SLOPE), sum = misfit(p, n, slope, knee);

			if (sum < *least) {
				*least = sum;
				best = slope;
			}
		}
		from = fmax(LEAST_SLOPE, best - step);
		step /= FINER;
		steps = 2 * FINER;
	}
	return best;
}

/* Of the groups of one region, by rising s. */
static void fit_region(const struct spread *p, size_t n, double *ratio)
{
	double least = INFINITY, slope = 0, knee = 1;

	/* a straight line first: a knee has to be better */
	for (size_t k = n; k-- > 0;) {
		double sum, b = best_slope(p, n, p[k].s, &sum);

		if (sum < least) {
			least = sum;
			slope = b;
			knee = p[k].s;
		}
	}
	for (size_t g = 0; g < n; g++)
		ratio[g] = ratio_at(slope, knee, p[g].s);
}

/* Do its windows agree with one another?  Then their median, else the line's. */
static double own_or(const struct spread *p, double ratio)
{
	double median = gsl_stats_median_from_sorted_data(p->x, 1, p->n), near = log(AGREEING);
	size_t agree = 0;

	for (size_t i = 0; i < p->n; i++)
		agree += fabs(p->x[i] - median) < near;
	return agree >= LEAST_AGREEING && (double)agree >= AGREEING_PART * (double)p->n ? exp(median) : ratio;
}

/* first[g]..first[g + 1] is where the windows of group g stand in x and sum; sum has one more for each group before. */
static struct spread *spreads(const struct robust *a, double *x, double *sum)
{
	struct spread *p = xcalloc(a->ngroups + 1, sizeof *p);
	size_t *first = xcalloc(a->ngroups + 2, sizeof *first);

	for (size_t i = 0; i < a->n; i++)
		first[a->item[i].group + 1]++;
	for (size_t g = 0; g < a->ngroups; g++) {
		first[g + 1] += first[g];
		p[g] = (struct spread){ .x = x + first[g], .sum = sum + first[g] + g };
	}
	for (size_t i = 0; i < a->n; i++) {
		const struct robust_item *it = &a->item[i];
		struct spread *to = &p[it->group];

		x[first[it->group] + to->n++] = log(it->period / a->period[it->stratum]);
		to->s = it->w->s;
	}
	for (size_t g = 0; g < a->ngroups; g++) {
		gsl_sort(x + first[g], 1, p[g].n);
		for (size_t i = 0; i < p[g].n; i++)
			p[g].sum[i + 1] = p[g].sum[i] + p[g].x[i];
	}
	free(first);
	return p;
}

void robust_lines(struct robust *a)
{
	double *x = xcalloc(a->n + 1, sizeof *x), *sum = xcalloc(a->n + a->ngroups + 1, sizeof *sum);
	struct spread *p = spreads(a, x, sum);

	for (size_t g = 0, end; g < a->ngroups; g = end) {
		for (end = g + 1; end < a->ngroups && a->region[end] == a->region[g]; end++)
			;
		if (a->region[g] == PROFILE_NONE) {
			a->ratio[g] = 1;
			continue;
		}
		fit_region(p + g, end - g, a->ratio + g);
		for (size_t k = g; k < end; k++)
			a->ratio[k] = own_or(&p[k], a->ratio[k]);
	}
	free(p);
	free(sum);
	free(x);
}
