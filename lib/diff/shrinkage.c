#include "diff/shrinkage.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { LEAST = 3, STEPS = 60 };

/* The prior of variances, and its degrees of freedom; infinite: all variances are equal. */
struct prior {
	double variance, df;
};

/* x > 0 with trigamma(x) = y > 0; trigamma falls. */
static double trigamma_inverse(double y)
{
	double lo = 1e-6, hi = 1e6;

	for (int i = 0; i < STEPS; i++) {
		double mid = sqrt(lo * hi);

		*(gsl_sf_psi_1(mid) > y ? &lo : &hi) = mid;
	}
	return sqrt(lo * hi);
}

/* Estimates the prior from the moments of the logarithms of variances, which hardly depend on its shape. */
static struct prior fit_prior(struct estimate *const *d, size_t n)
{
	double sum = 0, squares = 0, by_chance = 0, beyond;
	struct prior p = { .df = INFINITY };
	double *e = xcalloc(n, sizeof *e);

	for (size_t i = 0; i < n; i++) {
		double half = d[i]->df / 2;

		e[i] = 2 * log(d[i]->se) - gsl_sf_psi(half) + log(half);
		sum += e[i];
		by_chance += gsl_sf_psi_1(half) / (double)n;
	}
	sum /= (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (e[i] - sum) * (e[i] - sum);
	beyond = squares / (double)(n - 1) - by_chance;
	if (beyond > 0) {
		double half = trigamma_inverse(beyond);

		p.df = 2 * half;
		sum += gsl_sf_psi(half) - log(half);
	}
	p.variance = exp(sum);
	free(e);
	return p;
}

void shrink_errors(struct estimate **difference, size_t n)
{
	double most = 0;
	struct prior prior;

	gsl_set_error_handler_off();
	if (n < LEAST)
		return;
	prior = fit_prior(difference, n);
	/* one variance cannot be known better than all of them together */
	for (size_t i = 0; i < n; i++)
		most += difference[i]->df;
	for (size_t i = 0; i < n; i++) {
		struct estimate *d = difference[i];
		double own = d->se * d->se, shared;

		shared = isinf(prior.df) ? prior.variance : (prior.df * prior.variance + d->df * own) / (prior.df + d->df);
		/* one region may be noisier than all others */
		d->se = sqrt(fmax(own, shared));
		d->df = fmin(most, d->df + prior.df);
		stats_estimate_finish(d);
	}
}
