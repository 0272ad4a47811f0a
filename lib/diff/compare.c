#include "diff/compare.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "diff/units.h"

/* The share of changes as large as `mde` that would be found. */
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
	struct units g = units_of_blocks(base, head, what);
	double *b = units_values(&g, 0, what), *h = units_values(&g, 1, what);
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
		c->base_runs = units_count_runs(&g, 0);
		c->head_runs = units_count_runs(&g, 1);
	}
	free(b);
	free(h);
	units_release(&g);
	return ok;
}

/*
 * Are all hosts known, and was none of them used for both sides?  Then the difference
 * contains that of the machines, and runs of one machine do not tell how much that is.
 */
static bool hosts_are_apart(const struct replicates *base, const struct replicates *head)
{
	for (size_t i = 0; i < base->n; i++)
		for (size_t k = 0; k < head->n; k++)
			if (!base->at[i].host || !head->at[k].host || text_same(base->at[i].host, head->at[k].host))
				return false;
	return true;
}

static bool mean_over_runs(const struct replicates *r, int s, enum quantity what, bool by_host, struct estimate *out, size_t *runs,
			   size_t *units)
{
	struct units g = units_of_runs(r, s, what, by_host);
	double *v = units_values(&g, s, what);
	bool ok = g.n >= COMPARE_MIN_RUNS && stats_mean(v, g.n, out);

	*runs = r->n;
	*units = g.n;
	free(v);
	units_release(&g);
	return ok;
}

static bool welch(const struct replicates *base, const struct replicates *head, enum quantity what, struct comparison *c)
{
	bool by_host = hosts_are_apart(base, head);
	size_t units[2];

	if (!mean_over_runs(base, 0, what, by_host, &c->base, &c->base_runs, &units[0]) ||
	    !mean_over_runs(head, 1, what, by_host, &c->head, &c->head_runs, &units[1]))
		return false;
	c->design = DESIGN_WELCH;
	c->over_runs = true;
	c->units = units[0] < units[1] ? units[0] : units[1];
	subtract(c);
	return true;
}

/* The mean of a side whose analysis has only the mean. */
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
	if (base->n ? !mean_over_runs(base, 0, what, false, &c->base, &c->base_runs, &unused) : !known_mean(base, what, &c->base))
		return false;
	if (head->n ? !mean_over_runs(head, 1, what, false, &c->head, &c->head_runs, &unused) : !known_mean(head, what, &c->head))
		return false;
	c->base_runs = base->n ? c->base_runs : (size_t)base->mean_runs;
	c->head_runs = head->n ? c->head_runs : (size_t)head->mean_runs;
	c->units = c->base_runs < c->head_runs ? c->base_runs : c->head_runs;
	c->design = DESIGN_MEANS;
	c->over_runs = true;
	subtract(c);
	return true;
}

/* The mean of few runs, with the noise inside them as error. */
static bool mean_within(const struct replicates *r, enum quantity what, struct estimate *out, size_t *runs)
{
	double sum = 0, var = 0, squares = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		double v = quantity_of(&r->at[i].sum, what), se = r->at[i].se[what];

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

static size_t count_hosts(const struct replicates *r, int s, enum quantity what)
{
	struct units g = units_of_runs(r, s, what, true);
	size_t n = g.n;

	units_release(&g);
	return n;
}

static void within(const struct replicates *base, const struct replicates *head, enum quantity what, struct comparison *c)
{
	bool by_host = hosts_are_apart(base, head);
	size_t units[2];

	if (!mean_within(base, what, &c->base, &c->base_runs) || !mean_within(head, what, &c->head, &c->head_runs))
		return;
	c->design = DESIGN_WITHIN;
	c->over_runs = base->whole && head->whole;
	units[0] = by_host ? count_hosts(base, 0, what) : c->base_runs;
	units[1] = by_host ? count_hosts(head, 1, what) : c->head_runs;
	c->units = units[0] < units[1] ? units[0] : units[1];
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
	gsl_set_error_handler_off();
	*out = (struct comparison){ .base = STATS_UNKNOWN, .head = STATS_UNKNOWN, .difference = STATS_UNKNOWN, .mde = NAN };
	if (!paired(base, head, what, out) && !welch(base, head, what, out) && !means(base, head, what, out))
		within(base, head, what, out);
	compare_set_mde(out);
}
