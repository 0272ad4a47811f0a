/*
 * effect: the result for one region and point: levels, knee, slope up to the knee, and
 * doubts.
 */
#include "estimate/causal.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

static const double LAG1_MOST = 0.4;
enum { LAG1_WINDOWS = 20, FEW_VISITS = 5 };
static const double SLOPE_LEAST = -1, SLOPE_MOST = 1.1;

/* A level this close to the interval of the knee belongs to the rise: the knee is less exact than that. */
static const double KNEE_SLACK = 0.03;

static const double SLOPE_DOWN = -0.1; /* from this slope on, a program gets slower */

/* The windows with s in [least, most], and the baselines. */
static size_t pick_levels(const struct causal_obs *obs, size_t n, double least, double most, struct causal_obs *out)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (obs[i].s == 0 || (obs[i].s >= least && obs[i].s <= most))
			out[used++] = obs[i];
	return used;
}

/* One level against the baselines: a slope times s. */
static bool level_gain(const struct causal_obs *obs, size_t n, double s, struct causal_obs *scratch, struct causal_level *out)
{
	struct causal_slope fit;
	size_t used = pick_levels(obs, n, s, s, scratch);

	if (!causal_fit(scratch, used, &fit))
		return false;
	*out = (struct causal_level){ .s = s, .gain = fit.slope };
	out->gain.value *= s;
	out->gain.se *= s;
	out->gain.lo *= s;
	out->gain.hi *= s;
	for (size_t i = 0; i < n; i++)
		out->n += obs[i].s == s;
	return true;
}

static bool has_error(const struct causal_level *l)
{
	return isfinite(l->gain.se) && l->gain.se > 0 && l->gain.df > 0;
}

/*
 * A level has few windows, often 2 or 3.  Their scatter is known badly: it may seem small
 * by chance.  Windows scatter alike at all speedups.  So the variance of a level's windows
 * is the mean of its own and that of the other levels.  (A moderated variance, as in Smyth
 * 2004; the prior counts as much as the level itself.)
 */
static void moderate_levels(struct causal_effect *e)
{
	double all = 0, sum = 0;

	for (size_t i = 0; i < e->nlevels; i++) {
		const struct causal_level *l = &e->level[i];

		if (!has_error(l))
			continue;
		all += l->gain.df;
		sum += l->gain.df * l->gain.se * l->gain.se * (double)l->n;
	}
	for (size_t i = 0; i < e->nlevels; i++) {
		struct causal_level *l = &e->level[i];
		bool known = has_error(l);
		double own = known ? l->gain.se * l->gain.se * (double)l->n : 0, df = known ? l->gain.df : 0, others;

		if (!(all > df))
			continue;
		others = (sum - df * own) / (all - df);
		l->gain.se = sqrt((known ? (own + others) / 2 : others) / (double)l->n);
		l->gain.df = known ? df + fmin(df, all - df) : all - df;
		stats_estimate_finish(&l->gain);
	}
}

static void fill_levels(const struct causal_obs *obs, size_t n, struct causal_obs *scratch, struct causal_effect *out)
{
	double *s = xcalloc(n + 1, sizeof *s);

	for (size_t i = 0; i < n; i++)
		s[i] = obs[i].s;
	gsl_sort(s, 1, n);
	out->level = xcalloc(n + 1, sizeof *out->level);
	for (size_t i = 0; i < n; i++)
		if (s[i] > 0 && (i == 0 || s[i] != s[i - 1]) &&
		    level_gain(obs, n, s[i], scratch, &out->level[out->nlevels]))
			out->nlevels++;
	moderate_levels(out);
	free(s);
}

static double median_visits(const struct causal_obs *obs, size_t n)
{
	double *count = xcalloc(n + 1, sizeof *count), median;

	for (size_t i = 0; i < n; i++)
		count[i] = obs[i].count;
	gsl_sort(count, 1, n);
	median = gsl_stats_median_from_sorted_data(count, 1, n);
	free(count);
	return median;
}

/* few: half of the windows have too few visits. */
static unsigned notes_of(const struct causal_shape *shape, const struct causal_slope *fit, size_t n, bool few)
{
	unsigned notes = 0;

	if (shape->bent && isnan(shape->knee))
		notes |= CAUSAL_NONLINEAR;
	if (n >= LAG1_WINDOWS && shape->lag1 > LAG1_MOST)
		notes |= CAUSAL_AUTOCORRELATED;
	if (fit->slope.hi < SLOPE_LEAST || fit->slope.lo > SLOPE_MOST)
		notes |= CAUSAL_OUT_OF_RANGE;
	if (shape->falls || (fit->slope.value <= SLOPE_DOWN && fit->slope.hi < 0))
		notes |= CAUSAL_CONTENTION;
	if (few)
		notes |= CAUSAL_FEW_VISITS;
	if (shape->levels == 2)
		notes |= CAUSAL_ONE_LEVEL;
	return notes;
}

static void add_up(const struct causal_obs *obs, size_t n, struct causal_effect *out)
{
	double time0 = 0, count0 = 0;

	out->n = n;
	for (size_t i = 0; i < n; i++) {
		out->visits += obs[i].count;
		out->treated += obs[i].s > 0;
		if (obs[i].s == 0) {
			time0 += obs[i].time_ns;
			count0 += obs[i].count;
		}
	}
	out->period_ns = time0 / count0;
}

/* The levels are complete. */
static void take_shape(struct causal_effect *e, const struct causal_shape *shape)
{
	e->r2 = shape->r2;
	e->lag1 = shape->noise.windows ? shape->lag1 : NAN;
	e->knee = shape->knee;
	e->knee_lo = shape->knee_lo;
	e->knee_hi = shape->knee_hi;
	if (!isnan(shape->knee))
		e->rise = fmax(e->nlevels ? e->level[0].s : 1, shape->knee_lo + KNEE_SLACK);
}

static void forget_knee(struct causal_effect *e)
{
	e->knee = e->knee_lo = e->knee_hi = NAN;
	e->rise = 1;
}

bool causal_effect(struct causal_obs *obs, size_t n, struct causal_effect *out)
{
	struct causal_obs *scratch = xcalloc(n + 1, sizeof *scratch);
	struct causal_shape shape;
	bool ok = false;

	/* by default GSL ends the process on an error; here results are checked instead */
	gsl_set_error_handler_off();
	*out = CAUSAL_NO_EFFECT;
	add_up(obs, n, out);
	if (!causal_fit(obs, n, &out->fit))
		goto done;
	ok = true;
	causal_shape(obs, n, obs[n - 1].stratum + 1, &shape);
	fill_levels(obs, n, scratch, out);
	take_shape(out, &shape);
	if (!isnan(shape.knee) && !causal_fit(scratch, pick_levels(obs, n, 0, out->rise, scratch), &out->fit)) {
		forget_knee(out);
		causal_fit(obs, n, &out->fit);
	}
	out->notes = notes_of(&shape, &out->fit, n, !obs[0].whole && median_visits(obs, n) < FEW_VISITS);
done:
	free(scratch);
	return ok;
}

void causal_effect_release(struct causal_effect *e)
{
	free(e->level);
	*e = CAUSAL_NO_EFFECT;
}
