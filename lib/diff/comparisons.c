/* comparisons: pairs regions, tests the pairs, and sets verdicts. */
#include "diff/comparisons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "diff/shrinkage.h"
#include "diff/place.h"

bool comparisons_read_margin(const char *text, double *pct)
{
	return num_real(text, pct) && *pct > 0 && *pct < 100;
}

double comparisons_region_margin_pct(const struct comparisons_options *o)
{
	return o->region_margin_pct > 0 ? o->region_margin_pct : o->margin_pct;
}

struct change_rule comparisons_region_rule(const struct point_pair *p, const struct comparisons_options *o)
{
	return (struct change_rule){ .margin = p->base_ns * comparisons_region_margin_pct(o) / 100, .within_run = o->within_run };
}

struct change_rule comparisons_point_rule(const struct comparisons_options *o)
{
	return (struct change_rule){ .margin = log1p(o->margin_pct / 100), .within_run = o->within_run };
}

static struct match_place *places_of(const struct side_point *p)
{
	struct match_place *v = xcalloc(p->nregions + 1, sizeof *v);

	for (size_t i = 0; i < p->nregions; i++)
		v[i] = place_of(p->region[i].found);
	return v;
}

/*
 * Slopes up to a knee are compared only with each other.  Otherwise a knee that one side
 * has just missed would look like a change.
 */
static void set_runs(struct pair *p)
{
	bool knees = p->base->rise.n && p->head->rise.n;

	p->base_runs = knees ? &p->base->rise : &p->base->all;
	p->head_runs = knees ? &p->head->rise : &p->head->all;
}

/*
 * If untried code of a side is at least this part of a region of the other side, it may be
 * that region, which then is not gone.  Untried code is counted in processor time, so it is
 * not one that mostly waits.
 */
static const double HIDES = 0.5;

static struct lone *left_out(const struct side_point *p, const bool *taken, double untried_pct, size_t *n)
{
	struct lone *v = xcalloc(p->nregions + 1, sizeof *v);

	*n = 0;
	for (size_t i = 0; i < p->nregions; i++)
		if (!taken[i]) {
			const struct side_region *r = &p->region[i];
			bool computes = r->found->share_pct > 0 && !(r->found->blocked_pct > r->found->share_pct);
			bool hidden = computes && untried_pct >= HIDES * r->found->share_pct;

			v[(*n)++] = (struct lone){ .region = r, .matters = side_region_matters(r) && !hidden };
		}
	return v;
}

static void pair_up(struct point_pair *p, const struct linemap *map)
{
	struct match_place *base = places_of(p->base), *head = places_of(p->head);
	bool *taken[2] = { xcalloc(p->base->nregions + 1, sizeof(bool)), xcalloc(p->head->nregions + 1, sizeof(bool)) };
	struct match *match = NULL;

	p->npairs = match_places(base, p->base->nregions, head, p->head->nregions, map, &match);
	p->pair = xcalloc(p->npairs + 1, sizeof *p->pair);
	for (size_t i = 0; i < p->npairs; i++) {
		struct pair *to = &p->pair[i];

		*to = (struct pair){
			.base = &p->base->region[match[i].base],
			.head = &p->head->region[match[i].head],
			.kind = match[i].kind,
			.confidence = match[i].confidence,
			.q = NAN,
		};
		set_runs(to);
		taken[0][match[i].base] = taken[1][match[i].head] = true;
	}
	p->lone[0] = left_out(p->base, taken[0], p->untried_pct[1], &p->nlone[0]);
	p->lone[1] = left_out(p->head, taken[1], p->untried_pct[0], &p->nlone[1]);
	free(match);
	free(base);
	free(head);
	free(taken[0]);
	free(taken[1]);
}

static bool is_test(const struct comparison *c, const struct comparisons_options *o)
{
	return c->design != DESIGN_NONE && isfinite(c->difference.se) && (c->over_runs || o->within_run);
}

/* Differences with errors over runs; errors inside runs are of another kind. */
static void share_errors(struct point_pair *p)
{
	struct estimate **d = xcalloc(p->npairs + 1, sizeof *d);
	size_t n = 0;

	for (size_t i = 0; i < p->npairs; i++) {
		struct comparison *c = &p->pair[i].cost;

		if ((c->design == DESIGN_PAIRED || c->design == DESIGN_WELCH) && c->difference.se > 0 && isfinite(c->difference.se))
			d[n++] = &c->difference;
	}
	shrink_errors(d, n);
	for (size_t i = 0; i < p->npairs; i++)
		compare_set_mde(&p->pair[i].cost);
	free(d);
}

/*
 * If the knee of a side may lie below all speedups that were tried, its cost may be
 * higher than the compared value.  A change that this could explain does not count.
 */
static void open_costs(struct point_pair *p)
{
	for (size_t i = 0; i < p->npairs; i++) {
		struct comparison *c = &p->pair[i].cost;
		struct estimate *d = &c->difference;

		c->below = fmax(0, p->pair[i].base->found->cost_more_ns);
		c->above = fmax(0, p->pair[i].head->found->cost_more_ns);
		if (c->below + c->above <= 0)
			continue;
		d->lo -= c->below;
		d->hi += c->above;
		c->mde = NAN;
		if (d->lo <= 0 && d->hi >= 0)
			d->p = 1;
	}
}

static void compare_point(struct point_pair *p, const struct comparisons_options *o)
{
	compare(&p->base->runs, &p->head->runs, QUANTITY_PERIOD, &p->period);
	p->base_ns = isfinite(p->period.base.value) ? exp(p->period.base.value) : p->base->found->period_ns;
	p->q = NAN;
	pair_up(p, o->map);
	for (size_t i = 0; i < p->npairs; i++) {
		struct pair *pair = &p->pair[i];

		compare(pair->base_runs, pair->head_runs, QUANTITY_COST, &pair->cost);
		compare(pair->base_runs, pair->head_runs, QUANTITY_SLOPE, &pair->slope);
	}
	share_errors(p);
	open_costs(p);
}

/* Tests that are corrected together. */
struct family {
	double *p, **q; /* p of each test; q points to where its q is stored */
	size_t n;
};

static struct family family_of(size_t most)
{
	return (struct family){ .p = xcalloc(most + 1, sizeof(double)), .q = xcalloc(most + 1, sizeof(double *)) };
}

static void family_add(struct family *f, const struct comparison *c, double *q, const struct comparisons_options *o)
{
	if (!is_test(c, o))
		return;
	f->p[f->n] = c->difference.p;
	f->q[f->n++] = q;
}

static void family_finish(struct family *f)
{
	stats_bh(f->p, f->n, f->p);
	for (size_t i = 0; i < f->n; i++)
		*f->q[i] = f->p[i];
	free(f->p);
	free(f->q);
}

/* Points are few, so they are one family of tests; regions of all points are another. */
static void adjust_tests(struct comparisons *c, const struct comparisons_options *o)
{
	struct family points = family_of(c->n), regions;
	size_t pairs = 0;

	for (size_t i = 0; i < c->n; i++)
		pairs += c->point[i].npairs;
	regions = family_of(pairs);
	for (size_t i = 0; i < c->n; i++) {
		struct point_pair *p = &c->point[i];

		family_add(&points, &p->period, &p->q, o);
		for (size_t k = 0; k < p->npairs; k++)
			family_add(&regions, &p->pair[k].cost, &p->pair[k].q, o);
	}
	family_finish(&points);
	family_finish(&regions);
}

static void judge_pairs(struct point_pair *p, const struct comparisons_options *o)
{
	struct change_rule region = comparisons_region_rule(p, o), point = comparisons_point_rule(o);

	p->change = change_judge(&p->period, p->q, &point);
	for (size_t i = 0; i < p->npairs; i++) {
		struct pair *pair = &p->pair[i];

		pair->change = p->base_ns > 0 ? change_judge(&pair->cost, pair->q, &region) : CHANGE_INSUFFICIENT;
		/* it may be another region altogether */
		if (pair->change == CHANGE_CHANGED && pair->confidence < MATCH_SURE)
			pair->change = CHANGE_LIKELY;
	}
}

void comparisons_init(struct comparisons *c, const struct side *base, const struct side *head, const struct comparisons_options *o)
{
	*c = (struct comparisons){ .point = xcalloc(base->npoints + 1, sizeof *c->point) };
	for (size_t i = 0; i < base->npoints; i++) {
		const char *name = base->point[i].found->name;
		const struct side_point *other = side_point(head, name);

		if (!other || (o->point && strcmp(o->point, name) != 0))
			continue;
		c->point[c->n] = (struct point_pair){
			.base = &base->point[i],
			.head = other,
			.untried_pct = { base->found.untried_pct, head->found.untried_pct },
			.recorded = base->found.nruns < head->found.nruns ? base->found.nruns : head->found.nruns,
		};
		compare_point(&c->point[c->n++], o);
	}
	adjust_tests(c, o);
	for (size_t i = 0; i < c->n; i++) {
		judge_pairs(&c->point[i], o);
		comparisons_find_shifts(&c->point[i]);
	}
}

void comparisons_release(struct comparisons *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->point[i].pair);
		free(c->point[i].lone[0]);
		free(c->point[i].lone[1]);
	}
	free(c->point);
	*c = (struct comparisons){ .n = 0 };
}
