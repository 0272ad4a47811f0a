#include "estimate/pool.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "estimate/causal_runs.h"

/*
 * The sums of one fit.  The variances are those within runs, times den squared, so that
 * they add up to that of the slope over all of them; `squares` over degrees of freedom
 * gives Satterthwaite's for the sum.
 */
struct fit {
	struct causal_unit sum;
	double var, cost_var, squares;
};

/* The sums at one speedup: alone against the baselines, and together with all lower ones. */
struct step {
	double s;
	struct fit alone, upto;
};

struct pool_unit {
	uint64_t key;
	struct step *step; /* ascending s */
	size_t nsteps;
};

void pool_release(struct pool *p)
{
	for (size_t i = 0; i < p->nunits; i++)
		free(p->unit[i].step);
	free(p->unit);
	free(p->level);
	*p = (struct pool)POOL_INIT;
}

static void fit_add(struct fit *into, const struct fit *from)
{
	causal_unit_add(&into->sum, &from->sum);
	into->var += from->var;
	into->cost_var += from->cost_var;
	into->squares += from->squares;
}

/* The last step at or below s; NULL when there is none. */
static const struct step *step_upto(const struct pool_unit *u, double s)
{
	size_t i = 0;

	while (i < u->nsteps && u->step[i].s <= s)
		i++;
	return i ? &u->step[i - 1] : NULL;
}

/* Merges steps.  If one lacks a speedup, its sums up to there are those of the step before. */
static void unit_add(struct pool_unit *into, const struct pool_unit *from)
{
	struct pool_unit sum = { .key = into->key, .step = xcalloc(into->nsteps + from->nsteps + 1, sizeof *sum.step) };
	const struct pool_unit *of[] = { into, from };

	for (size_t i = 0, j = 0; i < into->nsteps || j < from->nsteps;) {
		double s = i < into->nsteps ? into->step[i].s : INFINITY;
		struct step *step = &sum.step[sum.nsteps++];

		step->s = j < from->nsteps ? fmin(s, from->step[j].s) : s;
		i += i < into->nsteps && into->step[i].s == step->s;
		j += j < from->nsteps && from->step[j].s == step->s;
		for (size_t k = 0; k < 2; k++) {
			const struct step *last = step_upto(of[k], step->s);

			if (last)
				fit_add(&step->upto, &last->upto);
			if (last && last->s == step->s)
				fit_add(&step->alone, &last->alone);
		}
	}
	free(into->step);
	*into = sum;
}

static struct pool_unit *unit_at(struct pool *p, uint64_t key)
{
	size_t at = 0;

	while (at < p->nunits && p->unit[at].key < key)
		at++;
	if (at < p->nunits && p->unit[at].key == key)
		return &p->unit[at];
	p->unit = xgrow(p->unit, p->nunits, &p->cap_units, sizeof *p->unit);
	memmove(&p->unit[at + 1], &p->unit[at], (p->nunits++ - at) * sizeof *p->unit);
	p->unit[at] = (struct pool_unit){ .key = key };
	return &p->unit[at];
}

static uint64_t folded_key(uint64_t key)
{
	return key % POOL_UNITS;
}

static void fold(struct pool *p)
{
	struct pool folded = POOL_INIT;

	for (size_t i = 0; i < p->nunits; i++) {
		unit_add(unit_at(&folded, folded_key(p->unit[i].key)), &p->unit[i]);
		free(p->unit[i].step);
	}
	free(p->unit);
	p->unit = folded.unit;
	p->nunits = folded.nunits;
	p->cap_units = folded.cap_units;
	p->folded = true;
}

static struct pool_level *level_at(struct pool *p, double s)
{
	size_t at = 0;

	while (at < p->nlevels && p->level[at].s < s)
		at++;
	if (at < p->nlevels && p->level[at].s == s)
		return &p->level[at];
	p->level = xgrow(p->level, p->nlevels, &p->cap_levels, sizeof *p->level);
	memmove(&p->level[at + 1], &p->level[at], (p->nlevels++ - at) * sizeof *p->level);
	p->level[at] = (struct pool_level){ .s = s };
	return &p->level[at];
}

static void count_levels(struct pool *p, const struct causal_obs *obs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct pool_level *l = level_at(p, obs[i].s);

		l->windows++;
		l->visits += obs[i].count;
		l->time_ns += obs[i].time_ns;
		p->few += obs[i].count < CAUSAL_FEW && !obs[i].whole;
		p->runs += i == 0 || obs[i].whole || obs[i].run != obs[i - 1].run;
		p->whole = obs[i].whole;
	}
}

static void add_noise(struct pool *p, const struct causal_obs *obs, size_t n, size_t nstrata)
{
	struct causal_noise noise;
	size_t levels = causal_noise(obs, n, nstrata, &noise);

	if (!noise.windows)
		return;
	p->noise.rss += noise.rss;
	p->noise.products += noise.products;
	p->noise.windows += noise.windows;
	/* the noise is about a curve of these runs alone, with a parameter for each level */
	p->noise.strata += noise.strata + levels - 1;
}

/* The windows at speedups in [least, most], and the baselines. */
static struct fit fit_of(const struct causal_obs *obs, size_t n, double least, double most, struct causal_obs *scratch)
{
	struct causal_slope slope;
	struct fit fit = { 0 };
	double weight;
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (obs[i].s == 0 || (obs[i].s >= least && obs[i].s <= most))
			scratch[used++] = obs[i];
	if (!causal_fit_within(scratch, used, &fit.sum, &slope))
		return fit;
	weight = fit.sum.ratio.den * fit.sum.ratio.den;
	fit.var = weight * slope.slope.se * slope.slope.se;
	fit.cost_var = weight * slope.cost.se * slope.cost.se;
	fit.squares = fit.var * fit.var / slope.slope.df;
	return fit;
}

static struct pool_unit unit_of(uint64_t key, const struct causal_obs *obs, size_t n)
{
	struct causal_obs *scratch = xcalloc(n + 1, sizeof *scratch);
	struct pool_unit u = { .key = key };
	struct pool levels = POOL_INIT;

	count_levels(&levels, obs, n);
	u.step = xcalloc(levels.nlevels + 1, sizeof *u.step);
	for (size_t i = 0; i < levels.nlevels; i++) {
		double s = levels.level[i].s;

		if (s > 0)
			u.step[u.nsteps++] = (struct step){ s, fit_of(obs, n, s, s, scratch), fit_of(obs, n, 0, s, scratch) };
	}
	pool_release(&levels);
	free(scratch);
	return u;
}

void pool_add(struct pool *p, uint64_t key, struct causal_obs *obs, size_t n)
{
	size_t nstrata = causal_stratify(obs, n);
	struct pool_unit unit;

	gsl_set_error_handler_off();
	count_levels(p, obs, n);
	add_noise(p, obs, n, nstrata);
	unit = unit_of(key, obs, n);
	if (unit.nsteps)
		unit_add(unit_at(p, p->folded ? folded_key(key) : key), &unit);
	free(unit.step);
	if (p->nunits > POOL_UNITS)
		fold(p);
}

/* The interval within runs, if runs are too few for one between them. */
static void add_up_within(const struct fit *all, bool whole, struct causal_slope *out)
{
	double den = all->sum.ratio.den;

	out->slope = (struct estimate){ .value = causal_ratio_slope(&all->sum.ratio), .se = sqrt(all->var) / den };
	out->cost = (struct estimate){ .value = causal_ratio_cost(&all->sum.ratio), .se = sqrt(all->cost_var) / den };
	out->slope.df = all->squares > 0 && isfinite(all->squares) ? fmax(1, all->var * all->var / all->squares) : 1;
	out->cost.df = out->slope.df;
	stats_estimate_finish(&out->slope);
	stats_estimate_finish(&out->cost);
	out->basis = whole ? CAUSAL_RUNS : CAUSAL_WITHIN_RUN;
}

/* The sums at the speedup s alone, or at all up to it. */
static bool fit_units(const struct pool *p, double s, bool alone, struct causal_slope *out)
{
	struct causal_unit *unit = xcalloc(p->nunits + 1, sizeof *unit);
	struct fit all = { 0 };
	size_t n = 0;
	bool ok;

	*out = (struct causal_slope){ .basis = CAUSAL_NONE, .runs = p->runs };
	for (size_t i = 0; i < p->nunits; i++) {
		const struct step *step = step_upto(&p->unit[i], s);

		if (!step || (alone && step->s != s))
			continue;
		unit[n++] = alone ? step->alone.sum : step->upto.sum;
		fit_add(&all, alone ? &step->alone : &step->upto);
	}
	ok = isfinite(causal_ratio_slope(&all.sum.ratio)) && isfinite(causal_ratio_cost(&all.sum.ratio));
	if (ok && !causal_mean_of_runs(unit, n, out))
		add_up_within(&all, p->whole, out);
	free(unit);
	return ok;
}

static void add_up(const struct pool *p, struct causal_effect *out)
{
	for (size_t i = 0; i < p->nlevels; i++) {
		const struct pool_level *l = &p->level[i];

		out->n += l->windows;
		out->visits += l->visits;
		if (l->s > 0)
			out->treated += l->windows;
		else
			out->period_ns = l->time_ns / l->visits;
	}
}

/* Sets the gains at the levels; they are the curve for the shape. */
static void fill_levels(const struct pool *p, struct causal_effect *out, struct causal_shape *shape)
{
	struct causal_point *at = xcalloc(p->nlevels + 1, sizeof *at);
	struct causal_noise noise = p->noise;
	struct causal_slope fit;

	out->level = xcalloc(p->nlevels + 1, sizeof *out->level);
	at[0] = (struct causal_point){ .s = 0, .n = p->level[0].visits, .ratio = 1 };
	for (size_t i = 1; i < p->nlevels; i++) {
		const struct pool_level *l = &p->level[i];
		struct causal_level *level = &out->level[out->nlevels];

		if (!fit_units(p, l->s, true, &fit))
			continue;
		*level = (struct causal_level){ .s = l->s, .gain = fit.slope, .n = l->windows };
		level->gain.value *= l->s;
		level->gain.se *= l->s;
		level->gain.lo *= l->s;
		level->gain.hi *= l->s;
		at[++out->nlevels] = (struct causal_point){ .s = l->s, .n = l->visits, .ratio = 1 - level->gain.value };
	}
	/* the number that the test of the curve subtracts itself */
	noise.strata -= noise.strata > out->nlevels ? out->nlevels : noise.strata;
	causal_shape_of(at, out->nlevels + 1, &noise, shape);
	free(at);
}

bool pool_effect(const struct pool *p, struct causal_effect *out)
{
	struct causal_shape shape;

	gsl_set_error_handler_off();
	*out = CAUSAL_NO_EFFECT;
	out->period_ns = NAN;
	add_up(p, out);
	if (!fit_units(p, 1, false, &out->fit))
		return false;
	fill_levels(p, out, &shape);
	causal_effect_take_shape(out, &shape);
	if (!isnan(shape.knee) && !fit_units(p, out->rise, false, &out->fit)) {
		causal_effect_forget_knee(out);
		fit_units(p, 1, false, &out->fit);
	}
	out->notes = causal_notes(&shape, &out->fit, out->n, 2 * p->few > out->n);
	return true;
}
