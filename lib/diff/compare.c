#include "diff/compare.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/* Of the strongest group's information, what each must have, or the weakest would rule the mean. */
static const double LEAST_INFO = 0.25;
static const double POWER = 0.8;

static const char *const design_names[] = {
	[DESIGN_NONE] = "none",   [DESIGN_WITHIN] = "within-run", [DESIGN_MEANS] = "means",
	[DESIGN_WELCH] = "welch", [DESIGN_PAIRED] = "paired",
};

const char *design_name(enum design d)
{
	return design_names[d];
}

bool design_named(const char *name, enum design *out)
{
	for (enum design d = DESIGN_NONE; d <= DESIGN_PAIRED; d++)
		if (!strcmp(name, design_names[d])) {
			*out = d;
			return true;
		}
	return false;
}

void replicates_release(struct replicates *r)
{
	free(r->at);
	*r = (struct replicates){ .at = NULL };
}

static double value_of(const struct causal_unit *u, enum quantity what)
{
	switch (what) {
	case QUANTITY_PERIOD:
		return u->ratio.n0 > 0 && u->ratio.d0 > 0 ? log(u->ratio.d0 / u->ratio.n0) : NAN;
	case QUANTITY_SLOPE:
		return causal_ratio_slope(&u->ratio);
	default:
		return causal_ratio_cost(&u->ratio);
	}
}

/* How much it weighs beside others of its kind. */
static double info_of(const struct causal_unit *u, enum quantity what)
{
	return what == QUANTITY_PERIOD ? u->ratio.n0 : u->ratio.den;
}

static bool can_stand_alone(const struct causal_unit *u, enum quantity what, bool whole, double most)
{
	if (!isfinite(value_of(u, what)) || info_of(u, what) < LEAST_INFO * most)
		return false;
	return what == QUANTITY_PERIOD || whole || causal_unit_is_strong(u);
}

/* ---- groups: runs, or blocks, each strong enough for a value of its own ------------ */

/* Of one side, or of both side by side. */
struct group {
	const char *block;
	double order;
	struct causal_unit side[2];
	size_t runs[2];
};

struct groups {
	struct group *at;
	size_t n;
	bool whole[2];
	double most[2]; /* the greatest information of each side */
};

/* Runs of one instant differ by what they say, so that the order of the input means nothing. */
static int by_time(const void *va, const void *vb)
{
	const struct group *a = va, *b = vb;

	if (a->order < b->order || a->order > b->order)
		return a->order < b->order ? -1 : 1;
	for (int s = 0; s < 2; s++) {
		double x = a->side[s].ratio.num + a->side[s].ratio.d0, y = b->side[s].ratio.num + b->side[s].ratio.d0;

		if (x < y || x > y)
			return x < y ? -1 : 1;
	}
	return text_order(a->block, b->block);
}

static void group_add(struct group *into, const struct group *from)
{
	for (int s = 0; s < 2; s++) {
		causal_unit_add(&into->side[s], &from->side[s]);
		into->runs[s] += from->runs[s];
	}
}

/* Neighbours are joined until each group can stand alone, on each of the sides that it has. */
static void join_weak(struct groups *g, enum quantity what)
{
	size_t n = 0;
	struct group open = { .block = NULL };

	for (size_t i = 0; i < g->n; i++) {
		bool good = true;

		group_add(&open, &g->at[i]);
		for (int s = 0; s < 2; s++)
			good = good && (g->most[s] < 0 || can_stand_alone(&open.side[s], what, g->whole[s], g->most[s]));
		if (!good)
			continue;
		g->at[n++] = open;
		open = (struct group){ .block = NULL };
	}
	if (open.runs[0] + open.runs[1] && n)
		group_add(&g->at[n - 1], &open);
	g->n = n;
}

/* The greatest information of a side; -1 when the groups are not of it. */
static void set_most(struct groups *g, enum quantity what, bool base, bool head)
{
	const bool has[2] = { base, head };

	for (int s = 0; s < 2; s++) {
		g->most[s] = has[s] ? 0 : -1;
		for (size_t i = 0; has[s] && i < g->n; i++)
			g->most[s] = fmax(g->most[s], info_of(&g->at[i].side[s], what));
	}
}

static void free_groups(struct groups *g)
{
	free(g->at);
}

/* Each run of side s is a group. */
static struct groups runs_of(const struct replicates *r, int s, enum quantity what)
{
	struct groups g = { .at = xcalloc(r->n + 1, sizeof *g.at) };

	for (size_t i = 0; i < r->n; i++) {
		struct group *at = &g.at[g.n++];

		*at = (struct group){ .order = r->at[i].order };
		at->side[s] = r->at[i].sum;
		at->runs[s] = 1;
	}
	g.whole[s] = r->whole;
	set_most(&g, what, s == 0, s == 1);
	qsort(g.at, g.n, sizeof *g.at, by_time);
	join_weak(&g, what);
	return g;
}

static struct group *block_at(struct groups *g, const struct replicate *r)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->at[i].block, r->block)) {
			g->at[i].order = fmin(g->at[i].order, r->order);
			return &g->at[i];
		}
	g->at[g->n] = (struct group){ .block = r->block, .order = r->order };
	return &g->at[g->n++];
}

/* Each block that has both sides is a group; runs without a partner are left out. */
static struct groups blocks_of(const struct replicates *base, const struct replicates *head, enum quantity what)
{
	const struct replicates *side[2] = { base, head };
	struct groups g = { .at = xcalloc(base->n + head->n + 1, sizeof *g.at), .whole = { base->whole, head->whole } };
	size_t n = 0;

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->n; i++) {
			struct group *at;

			if (!side[s]->at[i].block)
				continue;
			at = block_at(&g, &side[s]->at[i]);
			causal_unit_add(&at->side[s], &side[s]->at[i].sum);
			at->runs[s]++;
		}
	for (size_t i = 0; i < g.n; i++)
		if (g.at[i].runs[0] && g.at[i].runs[1])
			g.at[n++] = g.at[i];
	g.n = n;
	set_most(&g, what, true, true);
	if (g.n)
		qsort(g.at, g.n, sizeof *g.at, by_time);
	join_weak(&g, what);
	return g;
}

static double *values_of(const struct groups *g, int s, enum quantity what)
{
	double *v = xcalloc(g->n + 1, sizeof *v);

	for (size_t i = 0; i < g->n; i++)
		v[i] = value_of(&g->at[i].side[s], what);
	return v;
}

static size_t count_runs(const struct groups *g, int s)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += g->at[i].runs[s];
	return n;
}

/* ---- designs ---------------------------------------------------------------------- */

/* head - base of independent estimates; degrees of freedom are Welch's. */
static void subtract(struct comparison *c)
{
	double vb = c->base.se * c->base.se, vh = c->head.se * c->head.se;
	double squares = vb * vb / c->base.df + vh * vh / c->head.df;

	c->difference = (struct estimate){ .value = c->head.value - c->base.value, .se = sqrt(vb + vh) };
	c->difference.df = squares > 0 ? fmax(1, (vb + vh) * (vb + vh) / squares) : fmin(c->base.df, c->head.df);
	stats_estimate_finish(&c->difference);
}

static bool paired(const struct replicates *base, const struct replicates *head, enum quantity what, struct comparison *c)
{
	struct groups g = blocks_of(base, head, what);
	double *b = values_of(&g, 0, what), *h = values_of(&g, 1, what);
	bool ok = g.n >= COMPARE_MIN_RUNS;

	if (ok) {
		stats_mean(b, g.n, &c->base);
		stats_mean(h, g.n, &c->head);
		for (size_t i = 0; i < g.n; i++)
			h[i] -= b[i];
		stats_mean(h, g.n, &c->difference);
		c->design = DESIGN_PAIRED;
		c->over_runs = true;
		c->units = g.n;
		c->base_runs = count_runs(&g, 0);
		c->head_runs = count_runs(&g, 1);
	}
	free(b);
	free(h);
	free_groups(&g);
	return ok;
}

static bool mean_over_runs(const struct replicates *r, int s, enum quantity what, struct estimate *out, size_t *runs,
			   size_t *units)
{
	struct groups g = runs_of(r, s, what);
	double *v = values_of(&g, s, what);
	bool ok = g.n >= COMPARE_MIN_RUNS && stats_mean(v, g.n, out);

	*runs = r->n;
	*units = g.n;
	free(v);
	free_groups(&g);
	return ok;
}

static bool welch(const struct replicates *base, const struct replicates *head, enum quantity what, struct comparison *c)
{
	size_t units[2];

	if (!mean_over_runs(base, 0, what, &c->base, &c->base_runs, &units[0]) ||
	    !mean_over_runs(head, 1, what, &c->head, &c->head_runs, &units[1]))
		return false;
	c->design = DESIGN_WELCH;
	c->over_runs = true;
	c->units = units[0] < units[1] ? units[0] : units[1];
	subtract(c);
	return true;
}

/* The mean of a side whose analysis says no more than that. */
static bool known_mean(const struct replicates *r, enum quantity what, struct estimate *out)
{
	if (!isfinite(r->mean[what]) || !isfinite(r->mean_se[what]) || !(r->mean_runs >= COMPARE_MIN_RUNS))
		return false;
	*out = (struct estimate){ .value = r->mean[what], .se = r->mean_se[what], .df = r->mean_runs - 1 };
	stats_estimate_finish(out);
	return true;
}

static bool means(const struct replicates *base, const struct replicates *head, enum quantity what, struct comparison *c)
{
	size_t unused;

	if (base->n && head->n)
		return false;
	if (base->n ? !mean_over_runs(base, 0, what, &c->base, &c->base_runs, &unused) : !known_mean(base, what, &c->base))
		return false;
	if (head->n ? !mean_over_runs(head, 1, what, &c->head, &c->head_runs, &unused) : !known_mean(head, what, &c->head))
		return false;
	c->base_runs = base->n ? c->base_runs : (size_t)base->mean_runs;
	c->head_runs = head->n ? c->head_runs : (size_t)head->mean_runs;
	c->units = c->base_runs < c->head_runs ? c->base_runs : c->head_runs;
	c->design = DESIGN_MEANS;
	c->over_runs = true;
	subtract(c);
	return true;
}

/* The mean of what few runs say, with the noise inside them. */
static bool mean_within(const struct replicates *r, enum quantity what, struct estimate *out, size_t *runs)
{
	double sum = 0, var = 0, squares = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		double v = value_of(&r->at[i].sum, what), se = r->at[i].se[what];

		if (!isfinite(v))
			continue;
		n++;
		sum += v;
		var += isfinite(se) ? se * se : INFINITY;
		squares += pow(se, 4) / r->at[i].df;
	}
	*runs = n;
	if (!n)
		return false;
	*out = (struct estimate){ .value = sum / (double)n, .se = sqrt(var) / (double)n };
	out->df = isfinite(squares) && squares > 0 ? fmax(1, var * var / squares) : 1;
	stats_estimate_finish(out);
	return true;
}

static void within(const struct replicates *base, const struct replicates *head, enum quantity what, struct comparison *c)
{
	if (!mean_within(base, what, &c->base, &c->base_runs) || !mean_within(head, what, &c->head, &c->head_runs))
		return;
	c->design = DESIGN_WITHIN;
	c->over_runs = base->whole && head->whole;
	c->units = c->base_runs < c->head_runs ? c->base_runs : c->head_runs;
	subtract(c);
}

void compare_set_mde(struct comparison *c)
{
	const struct estimate *d = &c->difference;

	c->mde = NAN;
	if (c->design != DESIGN_NONE && isfinite(d->se))
		c->mde = (stats_t95(d->df) + gsl_cdf_tdist_Pinv(POWER, d->df)) * d->se;
}

void compare(const struct replicates *base, const struct replicates *head, enum quantity what, struct comparison *out)
{
	const struct estimate nothing = { .value = NAN, .lo = -INFINITY, .hi = INFINITY, .se = INFINITY, .df = 1, .p = 1 };

	gsl_set_error_handler_off();
	*out = (struct comparison){ .base = nothing, .head = nothing, .difference = nothing, .mde = NAN };
	if (!paired(base, head, what, out) && !welch(base, head, what, out) && !means(base, head, what, out))
		within(base, head, what, out);
	compare_set_mde(out);
}
