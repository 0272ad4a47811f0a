#include "analysis/impact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/limit.h"
#include "base/alloc.h"
#include "base/chance.h"
#include "estimate/drift.h"
#include "estimate/systematic.h"

static bool is_wanted(const char *name, const char *const *only, size_t nonly)
{
	for (size_t i = 0; i < nonly; i++)
		if (!strcmp(name, only[i]))
			return true;
	return !nonly;
}

/* The visits of one point; contiguous in the profile. */
struct span {
	const struct profile_visits *first, *end;
};

/*
 * The visits of one point, grouped: baselines, and windows of each region, in the order
 * of the profile.
 */
struct groups {
	size_t *first;  /* group g is at[first[g]] up to at[first[g + 1]]; group 0 is baselines, 1 + region the others */
	const struct profile_visits **at;
};

static size_t group_of(const struct profile *p, const struct profile_visits *v)
{
	const struct profile_window *w = &p->window[v->window];

	return w->s > 0 ? 1 + w->region : 0;
}

static void groups_init(struct groups *g, const struct profile *p, struct span visits)
{
	size_t n = p->nregions + 1;

	g->first = xcalloc(n + 2, sizeof *g->first);
	g->at = xcalloc((size_t)(visits.end - visits.first) + 1, sizeof *g->at);
	for (const struct profile_visits *v = visits.first; v < visits.end; v++)
		g->first[group_of(p, v) + 2]++;
	for (size_t i = 2; i <= n; i++)
		g->first[i] += g->first[i - 1];
	for (const struct profile_visits *v = visits.first; v < visits.end; v++)
		g->at[g->first[group_of(p, v) + 1]++] = v;
}

static void groups_release(struct groups *g)
{
	free(g->first);
	free(g->at);
}

/* The next visit of baselines or the region, whichever comes first; NULL at the end. */
static const struct profile_visits *groups_next(const struct groups *g, size_t region, size_t *baseline, size_t *own)
{
	bool is_left = *baseline < g->first[1], own_is_left = *own < g->first[region + 2];

	if (!is_left && !own_is_left)
		return NULL;
	if (!own_is_left || (is_left && g->at[*baseline] < g->at[*own]))
		return g->at[(*baseline)++];
	return g->at[(*own)++];
}

static struct span visits_of(const struct profile *p, size_t point)
{
	struct span s = { p->visits, p->visits };

	while (s.first < p->visits + p->nvisits && s.first->point < point)
		s.first++;
	for (s.end = s.first; s.end < p->visits + p->nvisits && s.end->point == point; s.end++)
		;
	return s;
}

/*
 * The number of windows without a visit of the point.  Never negative, even if a log
 * has a record twice.  Unknown, so 0, if some windows belong to other points
 * (profile/given_windows.h).
 */
static size_t left(const struct profile *p, size_t all, size_t seen)
{
	return all > seen && !p->mixed ? all - seen : 0;
}

enum { PHASE_WINDOWS = 8 };

/*
 * The variance of a region's samples between windows, relative to chance, for programs
 * whose phases are as long as windows.
 */
static const double PHASE_DISPERSION = 6;

static bool has_phases(const struct profile_activity *a)
{
	double share = a->samples > 0 ? a->hits / a->samples : 0;

	if (a->windows < PHASE_WINDOWS || !(share > 0 && share < 1))
		return false;
	return (a->squares - share * a->hits) / (share * (1 - share)) > PHASE_DISPERSION * (a->windows - 1);
}

static void estimate_impact(const struct profile *p, size_t region, const struct groups *groups, struct causal_obs *obs, struct impact *im)
{
	size_t n = 0, seen = 0, baseline = groups->first[0], own = groups->first[region + 1];
	struct profile_activity activity = { 0 };
	const struct profile_visits *v;

	while ((v = groups_next(groups, region, &baseline, &own))) {
		const struct profile_window *w = &p->window[v->window];

		seen++;
		if (!w->disturbed)
			profile_activity_add(&activity, w);
		if (profile_use(p, v, &im->aside))
			obs[n++] = profile_obs(p, v);
	}
	im->unvisited = left(p, p->region[region].windows + p->census.zero, seen);
	im->estimated = causal_effect(obs, n, &im->effect);
	im->effect.notes |= im->estimated && has_phases(&activity) ? CAUSAL_PHASES : 0;
	if (im->estimated)
		im->nreplicates = impact_replicates(obs, n, im->effect.rise, &im->replicate);
}

static void summarize(const struct profile *p, struct span visits, struct causal_obs *obs, struct impact_point *out)
{
	size_t n = 0;

	for (const struct profile_visits *v = visits.first; v < visits.end; v++) {
		const struct profile_window *w = &p->window[v->window];

		if (!profile_use(p, v, &out->aside))
			continue;
		out->windows++;
		out->visits += (double)v->count;
		if (w->s == 0)
			obs[n++] = profile_obs(p, v);
	}
	out->baselines = n;
	out->period = impact_period(obs, n); /* sorts */
	out->drift = drift_of(obs, n);
	out->nbaselines = impact_baselines(obs, n, &out->baseline);
}

static void estimate_percentiles(const struct profile *p, size_t region, size_t point, struct impact *im)
{
	if (!im->estimated || !profile_is_latency(p->point[point].kinds, p->point[point].measures))
		return;
	/* A span that waits for others can gain more than its own length. */
	im->effect.notes &= ~(unsigned)CAUSAL_OUT_OF_RANGE;
	im->has_percentiles = percentile_effect(&p->lengths, point, region, im->effect.rise, &im->percentile);
	if (im->combined != COMBINED_NOT && combine_percentiles(p, point, region, im->combined, &im->percentile))
		im->has_percentiles = true;
}

/* A knee this close below the lowest speedup counts as not below it: knees are found in steps of one per cent. */
static const double KNEE_STEP = 0.01;

/*
 * For a knee that may lie below the lowest speedup tried: a smaller speedup may have
 * the same gain, so the slope before the knee may be higher.  It is not above 1, except
 * for spans, which can gain more than one for one.
 */
static void open_slope(struct impact *im, bool spans)
{
	struct causal_effect *e = &im->effect;
	double lowest = e->nlevels ? e->level[0].s : 0, most;

	if (isnan(e->knee) || e->knee_lo > lowest - KNEE_STEP || !(e->fit.slope.value > 0))
		return;
	most = e->knee_lo > 0 ? e->fit.slope.hi * lowest / e->knee_lo : INFINITY;
	if (!spans)
		most = fmin(most, 1);
	e->notes |= CAUSAL_LOW_KNEE;
	if (!(most > e->fit.slope.hi) || isinf(most))
		return;
	im->cost_more_ns = fmax(0, most * e->period_ns - e->fit.cost.hi);
	e->fit.cost.hi += im->cost_more_ns;
	e->fit.slope.hi = most;
}

/*
 * The windows of a region may lie in phases in which it runs more, or less, than in the whole
 * run: in 16 windows of `openssl speed`, MD5_Update had 18 % of the samples, in the run 38 %,
 * and the result of experiments was -0.01 (-0.10 to 0.09).  This is the error of the slope
 * for the whole run.
 */
static double phases_off(const struct limits *limits, const struct profile_region *r)
{
	double windows = (double)r->plain_window_total, own, all;

	if (!limits || !(limits->total > 0) || !(windows > 0))
		return 0;
	own = (double)r->plain_window_samples / windows;
	all = (double)r->plain_samples / limits->total;
	return chance_excess(own, all, chance_variance(all, windows));
}

/* `limits` NULL: none are known. */
static void take_effect(const struct profile *p, size_t point, struct impact *im, bool spans, const struct limits *limits)
{
	/* A span that waits for others can gain more than its own time. */
	double most = limits && !spans ? limits_slope(limits, im->region) : INFINITY;

	im->slope_se = im->effect.fit.slope.se;
	im->cost_se = im->effect.fit.cost.se;
	systematic_widen(&im->effect, impact_systematic(p));
	systematic_widen_by(&im->effect, phases_off(limits, im->region));
	open_slope(im, spans);
	im->combined = combine_apply(p, point, (size_t)(im->region - p->region), &im->effect, &im->measured, &im->replayed);
	if (im->combined == COMBINED_REPLACED || isnan(im->effect.knee))
		im->cost_more_ns = 0;
	if (limits)
		limits_apply(limits, most, &im->effect);
	im->small = most < VERDICT_MODERATE_SLOPE && im->effect.fit.slope.hi <= most;
}

/* The region has no experiment: the result is from replay, or there is none. */
static void take_replay(const struct profile *p, size_t point, struct impact *im, bool spans, const struct limits *limits)
{
	double most = limits && !spans ? limits_slope(limits, im->region) : INFINITY;

	if (!combine_replay_alone(p, point, (size_t)(im->region - p->region), &im->effect))
		return;
	im->combined = COMBINED_ALONE;
	im->estimated = true;
	im->slope_se = im->effect.fit.slope.se;
	im->cost_se = im->effect.fit.cost.se;
	if (limits)
		limits_apply(limits, most, &im->effect);
	im->small = most < VERDICT_MODERATE_SLOPE && im->effect.fit.slope.hi <= most;
}

/* Does the point consist of windows with a given region? */
static bool is_given(const struct profile *p, size_t point)
{
	return p->point[point].given || (!p->mixed && p->first_given && *p->first_given);
}

static void analyze_point(struct analysis *a, size_t point, const struct limits *limits, struct causal_obs *obs)
{
	const struct profile *p = a->profile;
	struct impact_point *out = &a->point[a->npoints++];
	struct span visits = visits_of(p, point);
	struct groups groups;

	out->name = p->point[point].name;
	out->kinds = p->point[point].kinds;
	out->measures = p->point[point].measures;
	out->latency = profile_is_latency(out->kinds, out->measures);
	out->whole = profile_is_whole(p, point);
	out->replay = combine_check(p, point);
	out->crossing = p->point[point].spans > 0 ? p->point[point].crossing / p->point[point].spans : 0;
	percentile_base(&p->lengths, point, out->percentile_ns);
	out->impact = xcalloc(p->nregions + 1, sizeof *out->impact);
	summarize(p, visits, obs, out);
	out->unvisited = left(p, p->census.windows, out->windows + out->aside.disturbed + out->aside.dropped);
	groups_init(&groups, p, visits);
	for (size_t r = 0; r < p->nregions; r++) {
		struct impact *im = &out->impact[out->nimpacts];

		im->region = &p->region[r];
		im->effect = CAUSAL_NO_EFFECT;
		if (p->region[r].tried)
			estimate_impact(p, r, &groups, obs, im);
		if (im->estimated)
			take_effect(p, point, im, out->latency, is_given(p, point) ? NULL : limits);
		else if (!is_given(p, point))
			take_replay(p, point, im, out->latency, limits);
		if (!p->region[r].tried && !im->estimated)
			continue;
		out->nimpacts++;
		if (!out->whole && !is_given(p, point))
			impact_replicates_replayed(p, point, r, im, out->baseline, out->nbaselines);
		estimate_percentiles(p, r, point, im);
		im->bounded = im->estimated && isfinite(im->effect.fit.slope.lo) && isfinite(im->effect.fit.slope.hi);
		im->q = NAN;
	}
	groups_release(&groups);
}

/* Every region on every point is a test of its own, except those whose outcome is known before. */
static void adjust_tests(struct analysis *a)
{
	size_t total = 0, n = 0;
	double *p;

	for (size_t i = 0; i < a->npoints; i++)
		total += a->point[i].nimpacts;
	p = xcalloc(total + 1, sizeof *p);
	for (int store = 0; store < 2; store++) {
		n = 0;
		for (size_t i = 0; i < a->npoints; i++)
			for (size_t j = 0; j < a->point[i].nimpacts; j++) {
				struct impact *im = &a->point[i].impact[j];

				if (!im->bounded || im->small)
					continue;
				if (store)
					im->q = p[n++];
				else
					p[n++] = im->effect.fit.slope.p;
			}
		if (!store)
			stats_bh(p, n, p);
	}
	free(p);
}

/* The rank of a verdict: first the regions to act on, last those without effect. */
static int sort_class(enum verdict v)
{
	return v <= VERDICT_LOW ? 0 : (int)v;
}

/*
 * The value to sort by: the lower end of the interval, since of two equal slopes the more
 * certain one is better.  Of harmful regions, the worst is last.
 */
static double sort_value(const struct impact *im)
{
	if (!im->estimated)
		return -INFINITY;
	return im->bounded && im->verdict != VERDICT_HARMFUL ? im->effect.fit.slope.lo : im->effect.fit.slope.value;
}

static int compare_impacts(const void *va, const void *vb)
{
	const struct impact *a = va, *b = vb;
	double x = sort_value(a), y = sort_value(b);

	if (sort_class(a->verdict) != sort_class(b->verdict))
		return sort_class(a->verdict) - sort_class(b->verdict);
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->region->label, b->region->label);
}

/* Is it an automatic point?  See lib/recorder/automatic.h. */
static bool is_automatic(const struct impact_point *point)
{
	return point->name[0] == ':';
}

/* How exact the impacts on a point are: the mean width of their intervals. */
static double width_of(const struct impact_point *point)
{
	double sum = 0;

	for (size_t i = 0; i < point->nimpacts; i++) {
		const struct causal_slope *fit = &point->impact[i].effect.fit;

		sum += point->impact[i].bounded ? fmin(fit->slope.se * stats_t95(fit->slope.df), 2) : 2;
	}
	return point->nimpacts ? sum / (double)point->nimpacts : INFINITY;
}

/* A difference of so many standard errors is not chance. */
static const double APART = 3.5;

static const struct impact *impact_of(const struct impact_point *point, const struct profile_region *region)
{
	for (size_t i = 0; i < point->nimpacts; i++)
		if (point->impact[i].region == region)
			return &point->impact[i];
	return NULL;
}

/* Where does `other` contradict the point that is used? */
static void note_difference(struct analysis *a, const struct impact_point *used, const struct impact_point *other)
{
	double most = APART;

	for (size_t i = 0; i < used->nimpacts; i++) {
		const struct impact *x = &used->impact[i], *y = impact_of(other, x->region);
		double apart;

		if (!x->bounded || !y || !y->bounded)
			continue;
		apart = fabs(x->effect.fit.slope.value - y->effect.fit.slope.value) / hypot(x->effect.fit.slope.se, y->effect.fit.slope.se);
		if (!(apart > most))
			continue;
		most = apart;
		a->difference = (struct impact_difference){ used->name, other->name, x->region, x->effect.fit.slope.value,
							    y->effect.fit.slope.value };
	}
}

static void release_point(struct impact_point *point)
{
	for (size_t j = 0; j < point->nimpacts; j++) {
		causal_effect_release(&point->impact[j].effect);
		free(point->impact[j].need);
		free(point->impact[j].replicate);
		percentile_effect_release(&point->impact[j].percentile);
	}
	free(point->impact);
	free(point->baseline);
}

/*
 * Automatic points are used only if there are no marked ones; and of several automatic
 * points, the one with the narrowest intervals.
 */
static void choose_points(struct analysis *a)
{
	size_t best = 0, kept = 0;
	bool marked = false;

	for (size_t i = 0; i < a->npoints; i++) {
		marked = marked || (!is_automatic(&a->point[i]) && (a->point[i].windows > 0 || a->point[i].replay.use == REPLAY_USED));
		if (width_of(&a->point[i]) < width_of(&a->point[best]))
			best = i;
	}
	for (size_t i = 0; i < a->npoints && !marked; i++)
		if (i != best)
			note_difference(a, &a->point[best], &a->point[i]);
	for (size_t i = 0; i < a->npoints; i++) {
		if (is_automatic(&a->point[i]) && (marked || i != best))
			release_point(&a->point[i]);
		else
			a->point[kept++] = a->point[i];
	}
	a->npoints = kept;
}

void analysis_init(struct analysis *a, const struct profile *p, const char *const *only, size_t nonly)
{
	struct causal_obs *obs = xcalloc(p->nvisits + 1, sizeof *obs);

	struct limits limits;

	*a = (struct analysis){ .profile = p };
	limits_init(&limits, p);
	a->point = xcalloc(p->npoints + 1, sizeof *a->point);
	for (size_t i = 0; i < p->npoints; i++)
		if (is_wanted(p->point[i].name, only, nonly))
			analyze_point(a, i, &limits, obs);
	free(obs);
	if (!nonly)
		choose_points(a);
	adjust_tests(a);
	for (size_t i = 0; i < a->npoints; i++) {
		struct impact_point *point = &a->point[i];

		for (size_t j = 0; j < point->nimpacts; j++)
			impact_judge(&point->impact[j], p, point->whole);
		qsort(point->impact, point->nimpacts, sizeof *point->impact, compare_impacts);
	}
	analysis_find_doubts(a);
}

void analysis_release(struct analysis *a)
{
	for (size_t i = 0; i < a->npoints; i++)
		release_point(&a->point[i]);
	for (size_t i = 0; i < a->ndoubts; i++) {
		free(a->doubt[i].what);
		free(a->doubt[i].text);
	}
	free(a->doubt);
	free(a->point);
	*a = (struct analysis){ 0 };
}
