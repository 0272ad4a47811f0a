/*
 * robust_line: a line for each region.  The expected time of a window at speedup s,
 * relative to a baseline, is 1 - b min(s, knee).
 *
 * Slope and knee are fitted to all windows of the region, at all speedups, by quantile
 * regression of the logarithms (Koenker and Bassett 1978).  A disturbance makes a
 * window slower, never faster.  So a third of the windows lie below the line: two
 * thirds of all windows must be disturbed to bend it, not just half of the three to six
 * at one speedup.  Curves can have other shapes, too: if the windows of one speedup
 * agree with one another, their median is used.
 */
#include "profile/robust_parts.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* The largest factor by which a program can get faster in windows. */
static const double LEAST_RATIO = 0.02;

/* Slopes that are tried: from a harmful one to that of the whole program. */
static const double LEAST_SLOPE = -1, MOST_SLOPE = 1;
enum { STEPS = 40, REFINED = 3, FINER = 8 };

/*
 * Windows of a group agree if so many of them, and such a part, lie within a factor of
 * their median.  Disturbed ones never do.
 */
enum { LEAST_AGREEING = 3 };
static const double AGREEING_PART = 0.75, AGREEING = 1.2;

/* The part of the windows below the line. */
static const double BELOW = 1.0 / 3;

/* Logarithms of the times of one group's windows, relative to a baseline; sorted, with cumulative sums. */
struct spread {
	const double *x;
	double *sum;
	size_t n;
	double s;
};

/* Weighted sum of the distances from c, which is smallest where the part BELOW lies below c. */
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

/* Fits a line to the groups of one region, by rising s. */
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

/* The ratio of a group: the median of its windows if they agree, else the value of the line. */
static double own_or(const struct spread *p, double ratio)
{
	double median = gsl_stats_median_from_sorted_data(p->x, 1, p->n), near = log(AGREEING);
	size_t agree = 0;

	for (size_t i = 0; i < p->n; i++)
		agree += fabs(p->x[i] - median) < near;
	return agree >= LEAST_AGREEING && (double)agree >= AGREEING_PART * (double)p->n ? exp(median) : ratio;
}

/*
 * The windows of group g are at first[g]..first[g + 1] of x and sum; sum has one extra
 * element for each group before.
 */
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
