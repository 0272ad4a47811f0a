#include "estimate/causal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "estimate/causal_few.h"
#include "estimate/causal_runs.h"

/*
 * The least content of a stratum for comparisons within it.  Two of each kind, because
 * every stratum costs one parameter (its own baseline); visits, because the estimator's
 * bias falls with their number.  There is no bias if each window holds the same work,
 * as whole runs do.
 */
enum { STRATUM_BASELINES = 2, STRATUM_TREATED = 2, STRATUM_VISITS = 50 };

/* With so many strata, the interval comes from the variation between strata, rather than between windows. */
enum { CLUSTERS = 8 };

/* Sums over windows: all that the estimator needs of them. */
struct sums {
	double n, ns, nss; /* visits; times s; times s squared */
	double m, ms, mss; /* windows; s; s squared */
	double d, ds;      /* virtual time; times s */
	double n0, d0;     /* visits and virtual time of the baselines alone */
};

struct tally {
	size_t windows, baselines;
	double visits;
	bool whole;
};

static int compare_real(double a, double b)
{
	return (a > b) - (a < b);
}

/*
 * Compares by time.  The other fields only make the order, and so the last bit of every
 * sum, independent of the input's order.
 */
static int compare_obs(const void *va, const void *vb)
{
	const struct causal_obs *a = va, *b = vb;
	int by;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	if ((by = compare_real(a->start_ns, b->start_ns)) || (by = compare_real(a->s, b->s)) ||
	    (by = compare_real(a->count, b->count)))
		return by;
	return compare_real(a->time_ns, b->time_ns);
}

/* Mostly they are sorted already: parts of a sorted array. */
static void sort_obs(struct causal_obs *obs, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (compare_obs(&obs[i - 1], &obs[i]) > 0) {
			qsort(obs, n, sizeof *obs, compare_obs);
			return;
		}
}

static void count_window(struct tally *t, const struct causal_obs *o)
{
	t->windows++;
	t->baselines += o->s == 0;
	t->visits += o->count;
	t->whole = o->whole;
}

static bool is_complete(const struct tally *t)
{
	return t->baselines >= STRATUM_BASELINES && t->windows - t->baselines >= STRATUM_TREATED &&
	       (t->whole || t->visits >= STRATUM_VISITS);
}

static void join_to_previous(struct causal_obs *obs, size_t from, size_t to, size_t stratum)
{
	for (size_t i = from; i < to; i++)
		obs[i].stratum = stratum;
}

size_t causal_stratify(struct causal_obs *obs, size_t n)
{
	struct tally open = { 0 };
	size_t nstrata = 0, first = 0, closed_in_run = 0;

	sort_obs(obs, n);
	for (size_t i = 0; i < n; i++) {
		bool run_ends = i + 1 == n || obs[i + 1].run != obs[i].run;

		obs[i].stratum = nstrata;
		count_window(&open, &obs[i]);
		if (!run_ends && obs[i + 1].block == obs[i].block)
			continue;
		if (is_complete(&open)) {
			nstrata++;
			closed_in_run++;
		} else if (run_ends && closed_in_run) {
			join_to_previous(obs, first, i + 1, nstrata - 1);
		} else {
			if (run_ends)
				closed_in_run = 0;
			continue; /* into the next block, or the next run */
		}
		open = (struct tally){ 0 };
		first = i + 1;
		if (run_ends)
			closed_in_run = 0;
	}
	if (first < n && nstrata)
		join_to_previous(obs, first, n, nstrata - 1);
	return first < n && !nstrata ? 1 : nstrata;
}

/* ---- the same place of different runs ------------------------------------------------- */

/* Strata of places need at least so many runs, and must reduce the noise by so much. */
enum { POSITION_RUNS = 4 };
static const double POSITION_NOISE = 0.7;

static int compare_position(const void *va, const void *vb)
{
	const struct causal_obs *a = va, *b = vb;
	int by = compare_real(a->position, b->position);

	return by ? by : compare_obs(va, vb);
}

static bool has_positions(const struct causal_obs *obs, size_t n)
{
	size_t runs = n > 0;

	for (size_t i = 0; i < n; i++) {
		if (obs[i].whole || !(obs[i].position > 0))
			return false;
		runs += i > 0 && obs[i].run != obs[i - 1].run;
	}
	return runs >= POSITION_RUNS;
}

static size_t stratify_positions(struct causal_obs *obs, size_t n)
{
	struct tally open = { 0 };
	size_t nstrata = 0, first = 0;

	qsort(obs, n, sizeof *obs, compare_position);
	for (size_t i = 0; i < n; i++) {
		obs[i].stratum = nstrata;
		count_window(&open, &obs[i]);
		if (!is_complete(&open))
			continue;
		nstrata++;
		first = i + 1;
		open = (struct tally){ 0 };
	}
	if (first < n && nstrata)
		join_to_previous(obs, first, n, nstrata - 1);
	return nstrata;
}

/* The variance of windows about their expected values, in units that do not depend on the kind of strata. */
static double noise_of(const struct causal_obs *obs, size_t n, size_t nstrata)
{
	struct causal_noise noise;
	size_t levels = causal_noise(obs, n, nstrata, &noise), used = nstrata + levels;

	return n > used + 1 ? noise.rss / (double)(n - used) : INFINITY;
}

size_t causal_stratify_best(struct causal_obs *obs, size_t n)
{
	size_t nstrata = causal_stratify(obs, n), placed;
	double noise;

	if (!has_positions(obs, n))
		return nstrata;
	noise = noise_of(obs, n, nstrata);
	placed = stratify_positions(obs, n);
	if (placed > 1 && noise_of(obs, n, placed) < POSITION_NOISE * noise)
		return placed;
	return causal_stratify(obs, n);
}

static void sums_add(struct sums *t, const struct causal_obs *o, double sign)
{
	double n = sign * o->count, d = sign * o->time_ns;

	t->n += n;
	t->ns += n * o->s;
	t->nss += n * o->s * o->s;
	t->m += sign;
	t->ms += sign * o->s;
	t->mss += sign * o->s * o->s;
	t->d += d;
	t->ds += d * o->s;
	if (o->s == 0) {
		t->n0 += n;
		t->d0 += d;
	}
}

static double weight_of(const struct sums *t)
{
	return causal_weight(t->m, t->ms, t->mss, t->n, t->ns, t->nss);
}

/* Adds the contribution of a stratum (sign +1), or removes it (sign -1). */
static void ratio_add(struct causal_ratio *r, const struct sums *t, double sign)
{
	double weight;

	/* an empty stratum, also after its last window was subtracted */
	if (t->n < 0.5)
		return;
	weight = sign * weight_of(t);
	r->num += weight * (t->ds * t->n - t->d * t->ns);
	r->den += weight * (t->d * t->nss - t->ds * t->ns);
	r->n0 += sign * t->n0;
	r->d0 += sign * t->d0;
}

static struct causal_ratio ratio_of(const struct sums *stratum, size_t first, size_t end)
{
	struct causal_ratio r = { 0 };

	for (size_t k = first; k < end; k++)
		ratio_add(&r, &stratum[k], 1);
	return r;
}

/*
 * Effective number of clusters minus what the fit used up: the Satterthwaite
 * degrees of freedom that the sandwich would have if windows were independent
 * with a variance proportional to their visits.  Ten baselines and three
 * other windows have about two, not eleven.
 */
static double degrees_of_freedom(const struct causal_obs *obs, size_t n, const struct sums *stratum, size_t nstrata,
				 const struct causal_ratio *r)
{
	double *v = xcalloc(nstrata, sizeof *v);
	double beta = r->num / r->den, sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		const struct sums *t = &stratum[obs[i].stratum];
		double s = obs[i].s, period = t->d / t->n;
		double influence = weight_of(t) * (s * t->n - t->ns - beta * (t->nss - s * t->ns));

		v[obs[i].stratum] += influence * influence * obs[i].count * period * period;
	}
	for (size_t k = 0; k < nstrata; k++) {
		sum += v[k];
		squares += v[k] * v[k];
	}
	free(v);
	return squares > 0 ? fmax(1, sum * sum / squares - 1) : 1;
}

/* The interval of one run (or of too few), or over whole runs: each stratum is left out in turn. */
static void jackknife(const struct causal_obs *obs, size_t n, const struct sums *stratum, size_t nstrata,
		      struct causal_slope *out)
{
	struct causal_ratio all = ratio_of(stratum, 0, nstrata);
	double slope = causal_ratio_slope(&all), cost = causal_ratio_cost(&all), var = 0, cost_var = 0;
	double part = (double)(nstrata - 1) / (double)nstrata;

	for (size_t k = 0; k < nstrata; k++) {
		struct causal_ratio r = all;

		ratio_add(&r, &stratum[k], -1);
		var += part * pow(causal_ratio_slope(&r) - slope, 2);
		cost_var += part * pow(causal_ratio_cost(&r) - cost, 2);
	}
	/* NaN: without some stratum there is no estimate at all, so nothing is known about its error */
	out->slope = (struct estimate){ .value = slope, .se = isnan(var) ? INFINITY : sqrt(var) };
	out->cost = (struct estimate){ .value = cost, .se = isnan(cost_var) ? INFINITY : sqrt(cost_var) };
	out->slope.df = out->cost.df = degrees_of_freedom(obs, n, stratum, nstrata, &all);
}

/* Sets standard errors.  The caller computes intervals from them, if it needs any. */
static void set_errors(const struct causal_obs *obs, size_t n, const struct sums *stratum, size_t nstrata, bool trend,
			 struct causal_slope *out)
{
	struct causal_ratio all = ratio_of(stratum, 0, nstrata);

	if (nstrata < CLUSTERS)
		causal_few(obs, n, nstrata, causal_ratio_slope(&all), trend, out);
	else
		jackknife(obs, n, stratum, nstrata, out);
	out->basis = obs[0].whole ? CAUSAL_RUNS : CAUSAL_WITHIN_RUN;
}

static int compare_size(const void *va, const void *vb)
{
	const size_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static size_t count_runs(const struct causal_obs *obs, size_t n)
{
	size_t *run = xcalloc(n + 1, sizeof *run), runs = n > 0;

	for (size_t i = 0; i < n; i++)
		run[i] = obs[i].run;
	qsort(run, n, sizeof *run, compare_size);
	for (size_t i = 1; i < n; i++)
		runs += obs[0].whole || run[i] != run[i - 1];
	free(run);
	return runs;
}

/* Runs; those that share a stratum are one unit, since strata are never cut. */
static size_t make_units(const struct causal_obs *obs, size_t n, const struct sums *stratum, struct causal_unit *unit)
{
	size_t nunits = 0;

	for (size_t i = 0, j; i < n; i = j) {
		struct causal_unit *u = &unit[nunits++];

		*u = (struct causal_unit){ 0 };
		for (j = i; j < n && (j == i || obs[j].run == obs[j - 1].run || obs[j].stratum == obs[j - 1].stratum); j++) {
			u->windows++;
			u->baselines += obs[j].s == 0;
		}
		u->ratio = ratio_of(stratum, obs[i].stratum, obs[j - 1].stratum + 1);
	}
	return nunits;
}

static struct sums *sum_strata(const struct causal_obs *obs, size_t n, size_t nstrata)
{
	struct sums *stratum = xcalloc(nstrata + 1, sizeof *stratum);

	for (size_t i = 0; i < n; i++)
		sums_add(&stratum[obs[i].stratum], &obs[i], 1);
	return stratum;
}

static bool is_comparable(const struct causal_ratio *r)
{
	return isfinite(causal_ratio_slope(r)) && isfinite(causal_ratio_cost(r));
}

/* Are strata parts of runs, and not places in several runs? */
static bool is_by_run(const struct causal_obs *obs, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (obs[i].run < obs[i - 1].run)
			return false;
	return true;
}

bool causal_fit(struct causal_obs *obs, size_t n, struct causal_slope *out)
{
	size_t nstrata = causal_stratify_best(obs, n);
	struct sums *stratum = sum_strata(obs, n, nstrata);
	struct causal_ratio all = ratio_of(stratum, 0, nstrata);
	struct causal_unit *unit;

	*out = (struct causal_slope){ .basis = CAUSAL_NONE };
	if (!is_comparable(&all)) {
		free(stratum);
		return false;
	}
	out->runs = count_runs(obs, n);
	unit = xcalloc(out->runs + 1, sizeof *unit);
	/* a block of whole runs is so long that the machine drifts within it */
	if (obs[0].whole || !is_by_run(obs, n) || !causal_mean_of_runs(unit, make_units(obs, n, stratum, unit), out)) {
		set_errors(obs, n, stratum, nstrata, obs[0].whole, out);
		stats_estimate_finish(&out->slope);
		stats_estimate_finish(&out->cost);
	}
	free(unit);
	free(stratum);
	return true;
}

bool causal_fit_within(struct causal_obs *obs, size_t n, struct causal_unit *sum, struct causal_slope *out)
{
	size_t nstrata = causal_stratify(obs, n);
	struct sums *stratum = sum_strata(obs, n, nstrata);
	bool ok;

	*sum = (struct causal_unit){ .ratio = ratio_of(stratum, 0, nstrata), .windows = n };
	*out = (struct causal_slope){ .basis = CAUSAL_NONE, .runs = count_runs(obs, n) };
	for (size_t i = 0; i < n; i++)
		sum->baselines += obs[i].s == 0;
	ok = is_comparable(&sum->ratio);
	/* the slope of sums, without a trend */
	if (ok)
		set_errors(obs, n, stratum, nstrata, false, out);
	free(stratum);
	return ok;
}
