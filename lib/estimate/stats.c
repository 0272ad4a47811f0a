#include "estimate/stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

double stats_t95(double df)
{
	return gsl_cdf_tdist_Pinv(0.975, df);
}

double stats_t_p(double t, double df)
{
	if (isnan(t))
		return 1;
	if (isinf(t))
		return 0;
	return fmin(1, 2 * gsl_cdf_tdist_Q(fabs(t), df));
}

double stats_f_p(double f, double df1, double df2)
{
	return gsl_cdf_fdist_Q(f, df1, df2);
}

void stats_estimate_finish(struct estimate *e)
{
	double half = e->se > 0 ? stats_t95(e->df) * e->se : 0;

	e->lo = e->value - half;
	e->hi = e->value + half;
	e->p = stats_t_p(e->value / e->se, e->df);
}

bool stats_mean(const double *x, size_t n, struct estimate *out)
{
	if (n < 2)
		return false;
	out->value = gsl_stats_mean(x, 1, n);
	out->se = gsl_stats_sd_m(x, 1, n, out->value) / sqrt((double)n);
	out->df = (double)(n - 1);
	stats_estimate_finish(out);
	return true;
}

void stats_bh(const double *p, size_t n, double *q)
{
	size_t *order = xcalloc(n + 1, sizeof *order);
	double least = 1;

	gsl_sort_index(order, p, 1, n);
	for (size_t rank = n; rank > 0; rank--) {
		size_t i = order[rank - 1];

		least = fmin(least, p[i] * (double)n / (double)rank);
		q[i] = least;
	}
	free(order);
}
