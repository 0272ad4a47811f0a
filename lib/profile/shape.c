/*
 * The shape of a curve: is it straight, and if not, does it rise and then stay
 * flat?  Levels are compared on the scale of period(s) / period(0).
 */
#include "profile/causal.h"

#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A knee is claimed only where it is strong, large and means what it says. */
static const double KNEE_P = 0.01;        /* F test, two degrees of freedom: bend and place */
static const double KNEE_BIC = 6;         /* gain over the straight line */
static const double KNEE_BEFORE = 0.1;    /* least slope before */
static const double KNEE_AFTER = 0.35;    /* most slope after, as part of that before */
static const double BENT_P = 0.01;
enum { KNEE_LEVELS = 4, PASSES = 4, MAX_COLUMNS = 3 };

struct curve {
	struct causal_point *at; /* ascending s; owned */
	size_t n;
	size_t nstrata;
	struct causal_noise noise;
};

/* Where s is, or belongs. */
static size_t level_at(const struct curve *c, double s)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->at[mid].s < s)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The level of each window. */
static size_t *find_levels(struct curve *c, const struct causal_obs *obs, size_t n)
{
	size_t *level = xcalloc(n + 1, sizeof *level), cap = 0;

	for (size_t i = 0; i < n; i++) {
		size_t l = level_at(c, obs[i].s);

		if (l < c->n && !(c->at[l].s > obs[i].s))
			continue;
		c->at = xgrow(c->at, c->n, &cap, sizeof *c->at);
		memmove(&c->at[l + 1], &c->at[l], (c->n++ - l) * sizeof *c->at);
		c->at[l] = (struct causal_point){ .s = obs[i].s, .ratio = 1 };
	}
	for (size_t i = 0; i < n; i++)
		level[i] = level_at(c, obs[i].s);
	return level;
}

/* Sums that a pass needs. */
struct scratch {
	double *period, *expected; /* of each stratum */
	double *time, *base;       /* of each level */
};

/* One pass: each stratum's baseline period given the levels' ratios, then the ratios given the periods. */
static void pass(struct curve *c, const struct causal_obs *obs, const size_t *level, size_t n, struct scratch *of)
{
	double zero;

	for (size_t k = 0; k < c->nstrata; k++)
		of->period[k] = of->expected[k] = 0;
	for (size_t l = 0; l < c->n; l++)
		of->time[l] = of->base[l] = 0;
	for (size_t i = 0; i < n; i++) {
		of->period[obs[i].stratum] += obs[i].time_ns;
		of->expected[obs[i].stratum] += obs[i].count * c->at[level[i]].ratio;
	}
	for (size_t k = 0; k < c->nstrata; k++)
		of->period[k] /= of->expected[k];
	for (size_t i = 0; i < n; i++) {
		of->time[level[i]] += obs[i].time_ns;
		of->base[level[i]] += obs[i].count * of->period[obs[i].stratum];
	}
	zero = of->time[0] / of->base[0];
	for (size_t l = 0; l < c->n; l++)
		c->at[l].ratio = of->time[l] / of->base[l] / zero;
}

/* How windows lie about the free curve, and how much of that a window shares with the one before it. */
static void add_noise(struct curve *c, const struct causal_obs *obs, const size_t *level, size_t n, const double *period)
{
	double before = 0;

	for (size_t i = 0; i < n; i++) {
		struct causal_point *at = &c->at[level[i]];
		double e = (obs[i].time_ns / period[obs[i].stratum] - obs[i].count * at->ratio) / sqrt(obs[i].count);

		at->n += obs[i].count;
		c->noise.rss += e * e;
		if (i && obs[i].run == obs[i - 1].run)
			c->noise.products += e * before;
		before = e;
	}
	c->noise.windows = n;
	c->noise.strata = c->nstrata;
}

/* False when there is nothing to compare; levels are there all the same. */
static bool free_curve(struct curve *c, const struct causal_obs *obs, size_t n)
{
	size_t *level = find_levels(c, obs, n);
	double *all = xcalloc(2 * (c->nstrata + c->n) + 1, sizeof *all);
	struct scratch of = { all, all + c->nstrata, all + 2 * c->nstrata, all + 2 * c->nstrata + c->n };
	bool ok = c->n >= 2 && c->at[0].s == 0;

	for (int i = 0; ok && i < PASSES; i++)
		pass(c, obs, level, n, &of);
	if (ok)
		add_noise(c, obs, level, n, of.period);
	free(all);
	free(level);
	return ok;
}

static double hinge(double s, double knee)
{
	return s > knee ? s - knee : 0;
}

/*
 * Weighted fit of the levels by 1, s and (with columns == 3) a third
 * regressor.  Returns the residual sum of squares, that of the windows
 * included, so that models can be compared.
 */
static double fit_levels(const struct curve *c, size_t columns, double (*third)(double s, double arg), double arg,
			 double coefficient[MAX_COLUMNS])
{
	gsl_matrix *x = gsl_matrix_alloc(c->n, columns), *cov = gsl_matrix_alloc(columns, columns);
	gsl_vector *y = gsl_vector_alloc(c->n), *w = gsl_vector_alloc(c->n), *b = gsl_vector_alloc(columns);
	gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(c->n, columns);
	double rss = INFINITY;

	for (size_t l = 0; l < c->n; l++) {
		gsl_matrix_set(x, l, 0, 1);
		gsl_matrix_set(x, l, 1, c->at[l].s);
		if (columns == MAX_COLUMNS)
			gsl_matrix_set(x, l, 2, third(c->at[l].s, arg));
		gsl_vector_set(y, l, c->at[l].ratio);
		gsl_vector_set(w, l, c->at[l].n);
	}
	if (gsl_multifit_wlinear(x, w, y, b, cov, &rss, work) == 0)
		for (size_t i = 0; i < columns; i++)
			coefficient[i] = gsl_vector_get(b, i);
	gsl_multifit_linear_free(work);
	gsl_vector_free(b);
	gsl_vector_free(w);
	gsl_vector_free(y);
	gsl_matrix_free(cov);
	gsl_matrix_free(x);
	return rss + c->noise.rss;
}

static double square(double s, double unused)
{
	(void)unused;
	return s * s;
}

/* p of the straight line against a model with `more` parameters more. */
static double straight_p(const struct curve *c, double straight, double bent, double more)
{
	double df = (double)c->noise.windows - (double)c->noise.strata - 1 - more;

	if (df < 3 || !(bent > 0))
		return 1;
	return stats_f_p(fmax(0, (straight - bent) / more) / (bent / df), more, df);
}

/*
 * The best place for a knee, by per cent, between the second level and the
 * last but one: each side holds two levels or more.  Both parts must be steep
 * and flat as the word says; a curve that bends otherwise is merely bent.
 */
static double find_knee(const struct curve *c, double straight)
{
	double best = INFINITY, knee = NAN, at[MAX_COLUMNS] = { 0 }, n = (double)c->noise.windows;
	long first = lround(100 * c->at[1].s), last;

	if (c->n < KNEE_LEVELS)
		return NAN;
	last = lround(100 * c->at[c->n - 2].s);
	for (long pct = first; pct <= last; pct++) {
		double coefficient[MAX_COLUMNS] = { 0 }, rss;

		rss = fit_levels(c, MAX_COLUMNS, hinge, (double)pct / 100, coefficient);
		if (rss >= best)
			continue;
		best = rss;
		knee = (double)pct / 100;
		for (size_t i = 0; i < MAX_COLUMNS; i++)
			at[i] = coefficient[i];
	}
	if (straight_p(c, straight, best, 2) > KNEE_P || n * log(straight / best) - 2 * log(n) < KNEE_BIC)
		return NAN;
	if (-at[1] / at[0] < KNEE_BEFORE || -(at[1] + at[2]) > KNEE_AFTER * -at[1])
		return NAN;
	return knee;
}

/* Weighted squared correlation of ratio and s over the levels up to the knee. */
static double straightness(const struct curve *c, double knee)
{
	double w = 0, s = 0, y = 0, ss = 0, sy = 0, yy = 0;
	size_t levels = 0;

	for (size_t l = 0; l < c->n; l++) {
		const struct causal_point *p = &c->at[l];

		if (p->s > knee)
			break;
		levels++;
		w += p->n;
		s += p->n * p->s;
		y += p->n * p->ratio;
		ss += p->n * p->s * p->s;
		sy += p->n * p->s * p->ratio;
		yy += p->n * p->ratio * p->ratio;
	}
	if (levels < 3)
		return NAN;
	ss -= s * s / w;
	yy -= y * y / w;
	sy -= s * y / w;
	return ss > 0 && yy > 0 ? sy * sy / (ss * yy) : NAN;
}

static void judge(const struct curve *c, struct causal_shape *out)
{
	double coefficient[MAX_COLUMNS], straight = fit_levels(c, 2, NULL, 0, coefficient);

	out->lag1 = c->noise.rss > 0 ? c->noise.products / c->noise.rss : 0;
	if (c->n >= 3)
		out->bent = straight_p(c, straight, fit_levels(c, MAX_COLUMNS, square, 0, coefficient), 1) < BENT_P;
	out->knee = find_knee(c, straight);
	out->r2 = straightness(c, isnan(out->knee) ? 1 : out->knee);
}

void causal_shape(const struct causal_obs *obs, size_t n, size_t nstrata, struct causal_shape *out)
{
	struct curve c = { .nstrata = nstrata };

	*out = (struct causal_shape){ .knee = NAN, .r2 = NAN };
	if (free_curve(&c, obs, n)) {
		out->noise = c.noise;
		judge(&c, out);
	}
	out->levels = c.n;
	free(c.at);
}

size_t causal_noise(const struct causal_obs *obs, size_t n, size_t nstrata, struct causal_noise *out)
{
	struct curve c = { .nstrata = nstrata };

	free_curve(&c, obs, n);
	*out = c.noise;
	free(c.at);
	return c.n;
}

void causal_shape_of(const struct causal_point *at, size_t n, const struct causal_noise *noise, struct causal_shape *out)
{
	struct curve c = { .n = n, .noise = *noise };

	*out = (struct causal_shape){ .knee = NAN, .r2 = NAN, .levels = n, .noise = *noise };
	if (n < 2 || at[0].s > 0)
		return;
	c.at = xcalloc(n, sizeof *c.at);
	memcpy(c.at, at, n * sizeof *at);
	judge(&c, out);
	free(c.at);
}
