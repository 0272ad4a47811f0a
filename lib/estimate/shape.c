/*
 * shape: is a curve straight, and if not, does it rise and then stay flat?  Levels are
 * compared on the scale of period(s) / period(0).
 */
#include "estimate/causal.h"

#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Conditions for a knee. */
static const double KNEE_P = 0.03;        /* p of the F test, two degrees of freedom: bend and place */
static const double KNEE_BIC = 2;         /* least gain over the straight line */
static const double KNEE_BEFORE = 0.1;    /* least slope before */
static const double KNEE_FALLS = 0.1;     /* smallest fall that counts as one */
static const double BENT_P = 0.01;
enum { KNEE_LEVELS = 4, PASSES = 4, MAX_COLUMNS = 3 };

struct curve {
	struct causal_point *at; /* ascending s; owned */
	size_t n;
	size_t nstrata;
	struct causal_noise noise;
};

/* The index of s, or the index at which it is to be inserted. */
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

/* Sums for a pass. */
struct scratch {
	double *period, *expected; /* by stratum */
	double *time, *base;       /* by level */
};

/* One pass: each stratum's baseline period given the levels' ratios, then the ratios given the periods. */
static void refine_curve(struct curve *c, const struct causal_obs *obs, const size_t *level, size_t n, struct scratch *of)
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

/* The noise of windows about the free curve, and its correlation between neighbouring windows. */
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

/* False when there is nothing to compare; levels are set even then. */
static bool free_curve(struct curve *c, const struct causal_obs *obs, size_t n)
{
	size_t *level = find_levels(c, obs, n);
	double *all = xcalloc(2 * (c->nstrata + c->n) + 1, sizeof *all);
	struct scratch of = { all, all + c->nstrata, all + 2 * c->nstrata, all + 2 * c->nstrata + c->n };
	bool ok = c->n >= 2 && c->at[0].s == 0;

	for (int i = 0; ok && i < PASSES; i++)
		refine_curve(c, obs, level, n, &of);
	if (ok)
		add_noise(c, obs, level, n, of.period);
	free(all);
	free(level);
	return ok;
}

/* The last regressor of a model, which is one of these four.  knee: where the curve bends; not used by all. */
static double hinge(double s, double knee)
{
	return s > knee ? s - knee : 0;
}

static double clipped(double s, double knee)
{
	return s < knee ? s : knee;
}

static double line(double s, double unused)
{
	(void)unused;
	return s;
}

static double square(double s, double unused)
{
	(void)unused;
	return s * s;
}

/* Memory for fitting a model, reused for the many knees that are tried. */
struct work {
	gsl_matrix *x, *cov;
	gsl_vector *y, *w, *b;
	gsl_multifit_linear_workspace *gsl;
	size_t columns;
};

static struct work work_of(const struct curve *c, size_t columns)
{
	struct work k = {
		gsl_matrix_alloc(c->n, columns), gsl_matrix_alloc(columns, columns), gsl_vector_alloc(c->n), gsl_vector_alloc(c->n),
		gsl_vector_alloc(columns), gsl_multifit_linear_alloc(c->n, columns), columns,
	};

	for (size_t l = 0; l < c->n; l++) {
		gsl_matrix_set(k.x, l, 0, 1);
		gsl_matrix_set(k.x, l, 1, c->at[l].s);
		gsl_vector_set(k.y, l, c->at[l].ratio);
		gsl_vector_set(k.w, l, c->at[l].n);
	}
	return k;
}

static void work_free(struct work *k)
{
	gsl_multifit_linear_free(k->gsl);
	gsl_vector_free(k->b);
	gsl_vector_free(k->w);
	gsl_vector_free(k->y);
	gsl_matrix_free(k->cov);
	gsl_matrix_free(k->x);
}

/*
 * Weighted fit of the levels by 1, s (with three columns) and `last`.  Returns the
 * residual sum of squares, including that of the windows, so that models can be
 * compared.
 */
static double fit_again(const struct curve *c, struct work *k, double (*last)(double s, double arg), double arg)
{
	double rss = INFINITY;

	for (size_t l = 0; l < c->n; l++)
		gsl_matrix_set(k->x, l, k->columns - 1, last(c->at[l].s, arg));
	if (gsl_multifit_wlinear(k->x, k->w, k->y, k->b, k->cov, &rss, k->gsl))
		return INFINITY;
	return rss + c->noise.rss;
}

static double fit_levels(const struct curve *c, size_t columns, double (*last)(double s, double arg), double arg)
{
	struct work k = work_of(c, columns);
	double rss = fit_again(c, &k, last, arg);

	work_free(&k);
	return rss;
}

static double freedom(const struct curve *c, double parameters)
{
	return (double)c->noise.windows - (double)c->noise.strata - parameters;
}

/* p of a model against one with `more` parameters more, which has `parameters` beside those of strata. */
static double worse_p(const struct curve *c, double worse, double better, double more, double parameters)
{
	double df = freedom(c, parameters);

	if (df < 3 || !(better > 0))
		return 1;
	return stats_f_p(fmax(0, (worse - better) / more) / (better / df), more, df);
}

/* The curve with its bend at `knee`: slopes before and after, on the scale of gains. */
struct bend {
	double knee, rss, before, after;
};

static struct bend bend_at(const struct curve *c, struct work *k, double knee)
{
	struct bend bend = { .knee = knee, .rss = fit_again(c, k, hinge, knee) };

	bend.before = -gsl_vector_get(k->b, 1) / gsl_vector_get(k->b, 0);
	bend.after = bend.before - gsl_vector_get(k->b, 2) / gsl_vector_get(k->b, 0);
	return bend;
}

/*
 * The interval of the knee is that of the profile likelihood: all places whose
 * fit is not significantly worse than the best.  Below the lowest level and above the
 * last but one, the place is not known, so the interval extends to 0 or to the last
 * level.
 */
static void set_knee_interval(const struct curve *c, struct work *k, const struct bend *best, struct causal_shape *out)
{
	double limit = best->rss * (1 + stats_t95(freedom(c, 3)) * stats_t95(freedom(c, 3)) / freedom(c, 3));
	long at = lround(100 * best->knee), last = lround(100 * c->at[c->n - 1].s);

	out->knee_lo = out->knee_hi = best->knee;
	for (long pct = at - 1; pct >= 0 && fit_again(c, k, hinge, (double)pct / 100) <= limit; pct--)
		out->knee_lo = (double)pct / 100;
	for (long pct = at + 1; pct <= last && fit_again(c, k, hinge, (double)pct / 100) <= limit; pct++)
		out->knee_hi = (double)pct / 100;
}

/*
 * The best place for a knee, in steps of one per cent, between the second level and the
 * last but one, so that each side has two levels or more.  The first part must rise and
 * the second be flat; a curve of another shape is just not straight.
 */
static void find_knee(const struct curve *c, double straight, struct causal_shape *out)
{
	struct bend best = { .rss = INFINITY };
	double n = (double)c->noise.windows;
	struct work k;

	if (c->n < KNEE_LEVELS)
		return;
	k = work_of(c, MAX_COLUMNS);
	for (long pct = lround(100 * c->at[1].s); pct <= lround(100 * c->at[c->n - 2].s); pct++) {
		struct bend bend = bend_at(c, &k, (double)pct / 100);

		if (bend.rss < best.rss)
			best = bend;
	}
	if (worse_p(c, straight, best.rss, 2, 3) <= KNEE_P && n * log(straight / best.rss) - 2 * log(n) >= KNEE_BIC &&
	    best.before >= KNEE_BEFORE && best.after <= CAUSAL_KNEE_AFTER * best.before) {
		out->knee = best.knee;
		set_knee_interval(c, &k, &best, out);
		out->falls = best.after < -KNEE_FALLS && worse_p(c, fit_levels(c, 2, clipped, best.knee), best.rss, 1, 3) < BENT_P;
	}
	work_free(&k);
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

static void judge_shape(const struct curve *c, struct causal_shape *out)
{
	double straight = fit_levels(c, 2, line, 0);

	out->lag1 = c->noise.rss > 0 ? c->noise.products / c->noise.rss : 0;
	if (c->n >= 3)
		out->bent = worse_p(c, straight, fit_levels(c, MAX_COLUMNS, square, 0), 1, 2) < BENT_P;
	find_knee(c, straight, out);
	out->r2 = straightness(c, isnan(out->knee) ? 1 : out->knee);
}

void causal_shape(const struct causal_obs *obs, size_t n, size_t nstrata, struct causal_shape *out)
{
	struct curve c = { .nstrata = nstrata };

	*out = (struct causal_shape){ .knee = NAN, .knee_lo = NAN, .knee_hi = NAN, .r2 = NAN };
	if (free_curve(&c, obs, n)) {
		out->noise = c.noise;
		judge_shape(&c, out);
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
