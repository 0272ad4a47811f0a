/*
 * percentile: a percentile is taken of all spans of one speedup together; its interval
 * is a jackknife over units, which are left out in turn.  A unit is a run, or, if there
 * are too few runs, some neighbouring blocks of one.
 */
#include "analysis/percentile.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "bucket.h"
#include "profile/profile.h"

const int percentile_pct[PERCENTILES] = { 50, 95, 99 };

enum {
	BEYOND_LEAST = 5, /* spans needed beyond the percentile, on both sides: with fewer, the value is chance */
	UNITS_LEAST = 3,  /* fewest units of an interval */
	PARTS_MOST = 8,   /* number of units into which the blocks of few runs are joined */
};

/* ---- units -------------------------------------------------------------------------- */

struct item {
	const struct lengths_of *of;
	size_t unit;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_time(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;
	int by = compare_u64(a->of->run, b->of->run);

	if (!by)
		by = compare_u64(a->of->block, b->of->block);
	return by ? by : (a->of->s > b->of->s) - (a->of->s < b->of->s);
}

/* The histograms of the region and of baselines, by unit; returns how many there are. */
static size_t gather_lengths(const struct lengths_table *t, size_t point, size_t region, struct item *item)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->of[i].point == point && (t->of[i].region == region || t->of[i].region == PROFILE_NONE))
			item[n++].of = &t->of[i];
	qsort(item, n, sizeof *item, by_time);
	return n;
}

/* Numbers the units from 0, and returns their number. */
static size_t number_units(struct item *item, size_t n)
{
	size_t runs = n > 0, blocks = n > 0, block = 0, each;

	for (size_t i = 1; i < n; i++) {
		runs += item[i].of->run != item[i - 1].of->run;
		blocks += item[i].of->run != item[i - 1].of->run || item[i].of->block != item[i - 1].of->block;
	}
	each = runs >= CAUSAL_MIN_RUNS ? 0 : (blocks + PARTS_MOST - 1) / PARTS_MOST;
	item[0].unit = 0;
	for (size_t i = 1; i < n; i++) {
		bool new_run = item[i].of->run != item[i - 1].of->run;

		block += new_run || item[i].of->block != item[i - 1].of->block;
		item[i].unit = each ? block / each : item[i - 1].unit + new_run;
	}
	return item[n - 1].unit + 1;
}

/* ---- one speedup against the baselines ------------------------------------------------- */

/* All histograms of a speedup added up, in buckets that may go down again. */
struct dense {
	double count[BUCKETS];
};

static void add_lengths(struct dense *d, const struct lengths *h, double sign)
{
	for (size_t i = 0; i < h->n; i++)
		d->count[h->at[i].bucket] += sign * (double)h->at[i].count;
}

/* item[0..n): of the unit. */
static void add_unit(struct dense *d, const struct item *item, size_t n, double s, double sign)
{
	for (size_t i = 0; i < n; i++)
		if (item[i].of->s == s)
			add_lengths(d, &item[i].of->sum, sign);
}

static double total(const struct dense *d)
{
	double all = 0;

	for (size_t k = 0; k < BUCKETS; k++)
		all += d->count[k];
	return all;
}

/* Lengths are assumed to be spread evenly within a bucket. */
static void percentiles(const struct dense *d, double out[PERCENTILES])
{
	double all = total(d), before = 0;
	size_t p = 0;

	for (size_t i = 0; i < PERCENTILES; i++)
		out[i] = NAN;
	for (size_t k = 0; k < BUCKETS && p < PERCENTILES; k++) {
		double least = (double)bucket_least((uint32_t)k), end = (double)bucket_least((uint32_t)k + 1);

		for (; p < PERCENTILES; p++) {
			double rank = all * percentile_pct[p] / 100;

			if (!(before + d->count[k] >= rank) || !(d->count[k] > 0))
				break;
			if (all - rank >= BEYOND_LEAST && rank >= BEYOND_LEAST)
				out[p] = least + (end - least) * (rank - before) / d->count[k];
		}
		before += d->count[k];
	}
}

/*
 * The estimates from all units, and without each of them: first the gains of the
 * levels, then the slopes.
 */
struct replicas {
	size_t nlevels, stride;
	double *value; /* (units + 1) * stride */
	double *s;     /* speedups of the levels */
	double *spans; /* spans of levels, over all units */
	size_t *units; /* that have a level; the first: baselines; the last: one of the levels that the slope is from */
};

static double *value_at(const struct replicas *r, size_t replica, size_t level, size_t p)
{
	return &r->value[replica * r->stride + level * PERCENTILES + p];
}

/*
 * The slope through 0 of the gains at the levels, weighted with spans, as for the slope of
 * the mean with a known baseline.
 */
static void add_slopes(const struct replicas *r, size_t replica, double most)
{
	for (size_t p = 0; p < PERCENTILES; p++) {
		double with = 0, square = 0;

		for (size_t l = 0; l < r->nlevels; l++) {
			if (r->s[l] > most)
				continue;
			with += r->spans[l] * r->s[l] * *value_at(r, replica, l, p);
			square += r->spans[l] * r->s[l] * r->s[l];
		}
		*value_at(r, replica, r->nlevels, p) = square > 0 ? with / square : NAN;
	}
}

/* sum[0]: of baselines; sum[1..]: of the levels. */
static void estimate_replica(const struct replicas *r, size_t replica, double most, const struct dense *sum)
{
	double base[PERCENTILES], at[PERCENTILES];

	percentiles(&sum[0], base);
	for (size_t l = 0; l < r->nlevels; l++) {
		percentiles(&sum[l + 1], at);
		for (size_t p = 0; p < PERCENTILES; p++)
			*value_at(r, replica, l, p) = 1 - at[p] / base[p];
	}
	add_slopes(r, replica, most);
}

static void remove_unit(const struct replicas *r, const struct item *item, size_t n, double sign, struct dense *sum)
{
	add_unit(&sum[0], item, n, 0, sign);
	for (size_t l = 0; l < r->nlevels; l++)
		add_unit(&sum[l + 1], item, n, r->s[l], sign);
}

/* For the degrees of freedom: a unit without a level tells nothing of it. */
static void count_unit(const struct replicas *r, const struct item *item, size_t n, double most)
{
	bool any = false, has;

	for (size_t l = 0; l <= r->nlevels; l++) {
		has = false;
		for (size_t i = 0; i < n; i++)
			has = has || item[i].of->s == (l ? r->s[l - 1] : 0);
		r->units[l] += has;
		any = any || (has && l && r->s[l - 1] <= most);
	}
	r->units[r->nlevels + 1] += any;
}

/* Replica 0 is of all units, each other one without one of them.  Returns the number of units. */
static size_t fill_replicas(const struct replicas *r, const struct item *item, size_t n, double most, struct dense *sum)
{
	size_t replica = 0;

	estimate_replica(r, replica, most, sum);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && item[end].unit == item[i].unit; end++)
			;
		count_unit(r, item + i, end - i, most);
		remove_unit(r, item + i, end - i, -1, sum);
		estimate_replica(r, ++replica, most, sum);
		remove_unit(r, item + i, end - i, 1, sum);
	}
	return replica;
}

static struct estimate jackknife(const struct replicas *r, size_t units, size_t level, size_t p)
{
	struct estimate e = STATS_UNKNOWN;
	double mean = 0, sum = 0, k = (double)units;

	e.value = *value_at(r, 0, level, p);
	if (units < UNITS_LEAST)
		return e;
	for (size_t u = 1; u <= units; u++)
		mean += *value_at(r, u, level, p) / k;
	for (size_t u = 1; u <= units; u++)
		sum += pow(*value_at(r, u, level, p) - mean, 2);
	/* If there is no estimate without some unit, the error is unknown. */
	if (isnan(sum))
		return e;
	e.se = sqrt(sum * (k - 1) / k);
	e.df = fmax(1, (double)(r->units[0] < r->units[level + 1] ? r->units[0] : r->units[level + 1]) - 1);
	stats_estimate_finish(&e);
	return e;
}

/* ---- all of it ---------------------------------------------------------------------------- */

/* The speedups, ascending, without 0; returns how many. */
static size_t find_levels(const struct item *item, size_t n, double *s)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = 0;

		while (at < found && s[at] < item[i].of->s)
			at++;
		if (item[i].of->s == 0 || (at < found && s[at] == item[i].of->s))
			continue;
		memmove(&s[at + 1], &s[at], (found - at) * sizeof *s);
		s[at] = item[i].of->s;
		found++;
	}
	return found;
}

static void estimate(const struct item *item, size_t n, double most, struct replicas *r, struct percentile_effect *out)
{
	struct dense *sum = xcalloc(r->nlevels + 1, sizeof *sum);

	for (size_t l = 0; l <= r->nlevels; l++) {
		for (size_t i = 0; i < n; i++)
			if (item[i].of->s == (l ? r->s[l - 1] : 0))
				add_lengths(&sum[l], &item[i].of->sum, 1);
		if (l)
			r->spans[l - 1] = total(&sum[l]);
	}
	percentiles(&sum[0], out->base_ns);
	out->units = fill_replicas(r, item, n, most, sum);
	out->level = xcalloc(r->nlevels + 1, sizeof *out->level);
	out->nlevels = r->nlevels;
	for (size_t l = 0; l <= r->nlevels; l++)
		for (size_t p = 0; p < PERCENTILES; p++) {
			struct estimate e = jackknife(r, out->units, l, p);

			if (l == r->nlevels) {
				out->slope[p] = e;
				continue;
			}
			out->level[l].s = r->s[l];
			out->level[l].gain[p] = e;
		}
	free(sum);
}

struct percentile_effect percentile_unknown(void)
{
	struct percentile_effect e = { 0 };

	for (size_t i = 0; i < PERCENTILES; i++) {
		e.base_ns[i] = NAN;
		e.slope[i] = STATS_UNKNOWN;
	}
	return e;
}

bool percentile_effect(const struct lengths_table *t, size_t point, size_t region, double rise, struct percentile_effect *out)
{
	struct item *item = xcalloc(t->n + 1, sizeof *item);
	size_t n = gather_lengths(t, point, region, item);
	struct replicas r = { 0 };
	bool ok = false;

	gsl_set_error_handler_off();
	*out = percentile_unknown();
	if (n) {
		size_t units = number_units(item, n);

		r.s = xcalloc(n + 1, sizeof *r.s);
		r.spans = xcalloc(n + 1, sizeof *r.spans);
		r.nlevels = find_levels(item, n, r.s);
		r.units = xcalloc(r.nlevels + 2, sizeof *r.units);
		r.stride = (r.nlevels + 1) * PERCENTILES;
		r.value = xcalloc((units + 1) * r.stride, sizeof *r.value);
		estimate(item, n, rise, &r, out);
		ok = !isnan(out->base_ns[0]);
		if (!ok) {
			percentile_effect_release(out);
			*out = percentile_unknown();
		}
	}
	free(r.s);
	free(r.spans);
	free(r.units);
	free(r.value);
	free(item);
	return ok;
}

void percentile_effect_release(struct percentile_effect *e)
{
	free(e->level);
	*e = (struct percentile_effect){ 0 };
}

void percentile_base(const struct lengths_table *t, size_t point, double base_ns[PERCENTILES])
{
	struct dense *all = xcalloc(1, sizeof *all);

	for (size_t i = 0; i < t->n; i++)
		if (t->of[i].point == point && t->of[i].region == PROFILE_NONE)
			add_lengths(all, &t->of[i].sum, 1);
	percentiles(all, base_ns);
	free(all);
}
