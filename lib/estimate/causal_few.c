/*
 * The model: window i of stratum k takes
 *
 *     D_i = n_i P_k (1 - slope s_i) (1 + trend t_i) + e_i        Var e_i = about n_i P_k^2 sigma^2
 *
 * The trend is fitted for whole runs only, whose blocks are so long that the machine
 * drifts within them.  Near the estimate, slope and cost are sums of the e_i with known
 * factors.  Their variance is the sum of the squares of residuals times factors, each
 * scaled up by its leverage in the fit (HC2), so it is valid for windows of unequal
 * noise; Satterthwaite's degrees of freedom are those of Bell and McCaffrey (2002).
 */
#include "estimate/causal_few.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "estimate/causal_runs.h"

/* Windows beyond the number of parameters that a trend needs, and iterations for slope and trend. */
enum { LEAST_REST = 3, STEPS = 10 };

/* Least share of a residual that remains when one window decides the fit. */
static const double NOTHING_LEFT = 1e-9;

struct row {
	double n;        /* visits */
	double x;        /* 1 - slope s */
	double t;        /* time, from the middle of the stratum */
	double factor;   /* effect of a nanosecond on the slope */
	double residual; /* in units of sigma, as are the next */
	double period, trend, slope; /* orthonormal directions of the parameters */
};

struct layer {
	double n, ns, nss;
	double m, ms, mss; /* windows; s; s squared */
	double weight;     /* as in causal.c */
	double xd, nxx, nxxt, nxs;
	double period;
};

struct fit {
	const struct causal_obs *obs;
	struct row *row;     /* by window */
	struct layer *layer; /* by stratum */
	size_t n, nlayers;
	double slope, trend;
	bool trending;
};

static void set_layers(struct fit *f)
{
	for (size_t k = 0; k < f->nlayers; k++)
		f->layer[k] = (struct layer){ 0 };
	for (size_t i = 0; i < f->n; i++) {
		const struct causal_obs *o = &f->obs[i];
		struct layer *l = &f->layer[o->stratum];
		double x = 1 - f->slope * o->s;

		f->row[i] = (struct row){ .n = o->count, .x = x };
		l->n += o->count;
		l->ns += o->count * o->s;
		l->nss += o->count * o->s * o->s;
		l->m++;
		l->ms += o->s;
		l->mss += o->s * o->s;
		l->xd += x * o->time_ns;
		l->nxx += o->count * x * x;
		l->nxxt += o->count * x * x * o->start_ns;
		l->nxs += o->count * x * o->s;
	}
	for (size_t k = 0; k < f->nlayers; k++) {
		struct layer *l = &f->layer[k];

		l->period = l->xd / l->nxx;
		l->weight = causal_weight(l->m, l->ms, l->mss, l->n, l->ns, l->nss);
	}
}

/* The trend, given the slope. */
static void set_trend(struct fit *f)
{
	double with = 0, square = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct causal_obs *o = &f->obs[i];
		const struct layer *l = &f->layer[o->stratum];
		struct row *r = &f->row[i];

		r->t = f->trending ? o->start_ns - l->nxxt / l->nxx : 0;
		with += r->x * r->t * (o->time_ns / l->period - r->n * r->x);
		square += r->n * r->x * r->x * r->t * r->t;
	}
	f->trend = square > 0 ? with / square : 0;
}

/*
 * These sums of times do not depend on the periods of strata nor on the trend: their
 * factors add up to 0 in both directions.  Returns the correction of the slope.
 */
static double set_factors(struct fit *f)
{
	double with = 0, square = 0, sum = 0, scale = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct causal_obs *o = &f->obs[i];
		const struct layer *l = &f->layer[o->stratum];
		struct row *r = &f->row[i];

		r->factor = l->weight * (o->s * l->n - l->ns + f->slope * (l->nss - o->s * l->ns));
		with += r->factor * r->n * l->period * r->x * r->t;
		square += r->n * l->period * r->x * r->x * r->t * r->t;
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct causal_obs *o = &f->obs[i];
		struct row *r = &f->row[i];

		r->factor -= square > 0 ? with / square * r->x * r->t : 0;
		sum += r->factor * o->time_ns;
		scale += r->factor * r->n * f->layer[o->stratum].period * o->s;
	}
	for (size_t i = 0; i < f->n; i++)
		f->row[i].factor /= -scale;
	return sum / scale;
}

/* Residuals, and the leverage of each window. */
static void set_directions(struct fit *f)
{
	double trend = 0, both = 0, slope = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct causal_obs *o = &f->obs[i];
		const struct layer *l = &f->layer[o->stratum];
		struct row *r = &f->row[i];
		double root = sqrt(r->n);

		r->residual = o->time_ns / (root * l->period) - root * r->x * (1 + f->trend * r->t);
		r->period = root * r->x / sqrt(l->nxx);
		r->trend = root * r->x * r->t;
		r->slope = root * (o->s - r->x * l->nxs / l->nxx);
		trend += r->trend * r->trend;
		both += r->trend * r->slope;
	}
	for (size_t i = 0; i < f->n; i++) {
		struct row *r = &f->row[i];

		r->slope -= trend > 0 ? r->trend * both / trend : 0;
		r->trend /= trend > 0 ? sqrt(trend) : 1;
		slope += r->slope * r->slope;
	}
	for (size_t i = 0; i < f->n; i++)
		f->row[i].slope /= sqrt(slope);
}

/* Sums over the windows of a stratum that, squared, make the sum over all pairs of them. */
struct pairs {
	double pp, pt, ps;
};

/*
 * The variance of a sum of errors, window i times factor[i].  With H the
 * projection that the fit is, and c_i^2 = a_i^2 / (1 - H_ii), the degrees of freedom are
 * (sum_i B_ii)^2 / sum_ij B_ij^2 of B_ij = c_i (I - H)_ij c_j.  H is made of few
 * directions, so the sum over pairs is one over windows.
 */
static void set_error(const struct fit *f, const double *factor, struct estimate *out)
{
	double var = 0, trace = 0, squares = 0, tt = 0, ss = 0, ts = 0;
	struct pairs *pairs = xcalloc(f->nlayers + 1, sizeof *pairs);

	for (size_t i = 0; i < f->n; i++) {
		const struct row *r = &f->row[i];
		size_t k = f->obs[i].stratum;
		double a = factor[i] * sqrt(r->n) * f->layer[k].period;
		double h = r->period * r->period + r->trend * r->trend + r->slope * r->slope, cc;

		/* factors of windows without a part in it may have any value */
		if (fabs(a) < NOTHING_LEFT)
			continue;
		if (1 - h < NOTHING_LEFT) {
			var = INFINITY;
			break;
		}
		cc = a * a / (1 - h);
		var += cc * r->residual * r->residual;
		trace += a * a;
		squares += cc * cc * (1 - 2 * h);
		pairs[k].pp += cc * r->period * r->period;
		pairs[k].pt += cc * r->period * r->trend;
		pairs[k].ps += cc * r->period * r->slope;
		tt += cc * r->trend * r->trend;
		ss += cc * r->slope * r->slope;
		ts += cc * r->trend * r->slope;
	}
	squares += tt * tt + ss * ss + 2 * ts * ts;
	for (size_t k = 0; k < f->nlayers; k++)
		squares += pairs[k].pp * pairs[k].pp + 2 * pairs[k].pt * pairs[k].pt + 2 * pairs[k].ps * pairs[k].ps;
	out->se = isfinite(var) ? sqrt(var) : INFINITY;
	out->df = squares > 0 && isfinite(var) ? fmax(1, trace * trace / squares) : 1;
	free(pairs);
}

static void solve(struct fit *f)
{
	double off = 1;

	for (int i = 0; i < STEPS && fabs(off) > NOTHING_LEFT; i++) {
		set_layers(f);
		set_trend(f);
		off = set_factors(f);
		if (!f->trending)
			break;
		f->slope -= off;
	}
	set_directions(f);
}

void causal_few(const struct causal_obs *obs, size_t n, size_t nstrata, double slope, bool trend, struct causal_slope *out)
{
	struct fit f = { .obs = obs, .n = n, .nlayers = nstrata, .slope = slope };
	double *factor = xcalloc(n + 1, sizeof *factor), n0 = 0, d0 = 0;
	size_t baselines = 0;

	f.row = xcalloc(n + 1, sizeof *f.row);
	f.layer = xcalloc(nstrata + 1, sizeof *f.layer);
	f.trending = trend && n >= nstrata + 2 + LEAST_REST;
	solve(&f);
	for (size_t i = 0; i < n; i++) {
		if (obs[i].s > 0)
			continue;
		baselines++;
		n0 += obs[i].count;
		d0 += obs[i].time_ns;
	}
	for (size_t i = 0; i < n; i++)
		factor[i] = f.row[i].factor;
	out->slope = (struct estimate){ .value = f.slope };
	set_error(&f, factor, &out->slope);
	for (size_t i = 0; i < n; i++)
		factor[i] = factor[i] * d0 / n0 + (obs[i].s > 0 ? 0 : f.slope / n0);
	out->cost = (struct estimate){ .value = f.slope * d0 / n0 };
	set_error(&f, factor, &out->cost);
	/* One number for both, because sums of many fits have one. */
	out->cost.df = out->slope.df;
	/* Two speedups have a slope without a baseline, but only if the curve is straight. */
	if (baselines < 2)
		out->slope.se = out->cost.se = INFINITY;
	free(factor);
	free(f.row);
	free(f.layer);
}
