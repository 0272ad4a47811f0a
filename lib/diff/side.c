#include "diff/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/msg.h"
#include "base/text.h"
#include "format/kind.h"

void side_init(struct side *s)
{
	*s = (struct side){ .point = NULL };
	findings_init(&s->found);
}

void side_release(struct side *s)
{
	for (size_t i = 0; i < s->npoints; i++) {
		struct side_point *p = &s->point[i];

		for (size_t k = 0; k < p->nregions; k++) {
			replicates_release(&p->region[k].all);
			replicates_release(&p->region[k].rise);
		}
		free(p->region);
		replicates_release(&p->runs);
	}
	free(s->point);
	findings_release(&s->found);
	side_init(s);
}

/* ---- results of single runs --------------------------------------------------------- */

static struct replicate *new_replicate(struct replicates *r, const struct side *s, size_t context, double run)
{
	const struct found_run *by = findings_run(&s->found, context, run);
	struct replicate *at;

	r->at = xgrow(r->at, r->n, &r->cap, sizeof *r->at);
	at = &r->at[r->n++];
	*at = (struct replicate){ .se = { NAN, NAN, NAN }, .df = 1 };
	at->block = by ? by->block : NULL;
	at->host = by ? by->host : NULL;
	at->order = by && isfinite(by->started_ns) ? by->started_ns : run;
	return at;
}

static double df_of(double df)
{
	return isfinite(df) && df >= 1 ? df : 1;
}

static void add_baseline(struct side_point *p, const struct side *s, const struct found_baseline *b)
{
	struct replicate *r;

	if (!(b->period_ns > 0) || !(b->visits > 0))
		return;
	r = new_replicate(&p->runs, s, b->context, b->run);
	r->sum.ratio.n0 = b->visits;
	r->sum.ratio.d0 = b->period_ns * b->visits;
	r->se[QUANTITY_PERIOD] = b->period_se / b->period_ns;
	r->df = df_of(b->df);
}

static const struct found_baseline *baseline_of(const struct found_point *p, const struct found_replicate *r)
{
	for (size_t i = 0; i < p->nbaselines; i++)
		if (p->baseline[i].context == r->context && p->baseline[i].run == r->run)
			return &p->baseline[i];
	return NULL;
}

/* The result of a run for a region, from all of its windows or up to the knee. */
struct fit {
	double slope, slope_se, cost, cost_se;
};

static void add_replicate(struct replicates *to, const struct side *s, const struct found_point *p,
			  const struct found_replicate *f, struct fit fit)
{
	const struct found_baseline *b = baseline_of(p, f);
	struct replicate *r;

	if (!b || !(b->period_ns > 0) || !(b->visits > 0) || !(f->info > 0) || !isfinite(fit.slope) || !isfinite(fit.cost) ||
	    f->windows < 0 || f->baselines < 0)
		return;
	r = new_replicate(to, s, f->context, f->run);
	r->sum = (struct causal_unit){
		.ratio = { .num = -fit.slope * f->info, .den = f->info, .n0 = b->visits, .d0 = b->period_ns * b->visits },
		.windows = (size_t)f->windows,
		.baselines = (size_t)f->baselines,
	};
	r->se[QUANTITY_SLOPE] = fit.slope_se;
	r->se[QUANTITY_COST] = fit.cost_se;
	r->df = df_of(f->df);
}

/* The standard error, from half of an interval over runs. */
static double se_of(double lo, double hi, double runs)
{
	return (hi - lo) / 2 / stats_t95(runs - 1);
}

static void set_means(struct replicates *r, const struct finding *f)
{
	for (int q = 0; q < QUANTITIES; q++)
		r->mean[q] = r->mean_se[q] = NAN;
	if (!text_same(f->basis, "runs") || !(f->runs >= COMPARE_MIN_RUNS))
		return;
	r->mean_runs = f->runs;
	r->mean[QUANTITY_SLOPE] = f->slope;
	r->mean_se[QUANTITY_SLOPE] = isnan(f->slope_se) ? se_of(f->slope_lo, f->slope_hi, f->runs) : f->slope_se;
	r->mean[QUANTITY_COST] = f->cost_ns;
	r->mean_se[QUANTITY_COST] = isnan(f->cost_se) ? se_of(f->cost_lo, f->cost_hi, f->runs) : f->cost_se;
}

static void fill_region(struct side_region *r, const struct side *s, const struct found_point *p, bool whole)
{
	r->all.whole = r->rise.whole = whole;
	set_means(&r->all, r->found);
	set_means(&r->rise, r->found);
	r->rise.mean_runs = 0;
	for (size_t i = 0; i < r->found->nreplicates; i++) {
		const struct found_replicate *f = &r->found->replicate[i];

		add_replicate(&r->all, s, p, f, (struct fit){ f->slope, f->slope_se, f->cost_ns, f->cost_se });
		add_replicate(&r->rise, s, p, f, (struct fit){ f->rise_slope, f->rise_slope_se, f->rise_cost_ns, f->rise_cost_se });
	}
}

/* ---- points and regions ------------------------------------------------------------- */

static int by_label(const void *a, const void *b)
{
	return strcmp(((const struct side_region *)a)->found->region, ((const struct side_region *)b)->found->region);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct side_point *)a)->found->name, ((const struct side_point *)b)->found->name);
}

static void fill_point(struct side_point *p, const struct side *s)
{
	const struct found_point *f = p->found;
	double runs = (double)s->found.nruns;
	bool whole = text_same(f->kind, kind_name(KIND_RUN));

	p->runs.whole = whole;
	for (int q = 0; q < QUANTITIES; q++)
		p->runs.mean[q] = p->runs.mean_se[q] = NAN;
	if (f->period_ns > 0 && runs >= COMPARE_MIN_RUNS) {
		p->runs.mean[QUANTITY_PERIOD] = log(f->period_ns);
		p->runs.mean_se[QUANTITY_PERIOD] = se_of(f->period_lo, f->period_hi, runs) / f->period_ns;
		p->runs.mean_runs = runs;
	}
	for (size_t i = 0; i < f->nbaselines; i++)
		add_baseline(p, s, &f->baseline[i]);
	p->region = xcalloc(f->regions.n + 1, sizeof *p->region);
	for (size_t i = 0; i < f->regions.n; i++) {
		const struct finding *m = f->regions.entry[i].value;

		/* a curve without a fit cannot be compared */
		if (!m->verdict)
			continue;
		p->region[p->nregions] = (struct side_region){ .found = m };
		fill_region(&p->region[p->nregions++], s, f, whole);
	}
	qsort(p->region, p->nregions, sizeof *p->region, by_label);
}

void side_fill(struct side *s)
{
	const struct findings *f = &s->found;

	s->point = xcalloc(f->points.n + 1, sizeof *s->point);
	for (size_t i = 0; i < f->points.n; i++) {
		s->point[s->npoints].found = f->points.entry[i].value;
		fill_point(&s->point[s->npoints++], s);
	}
	qsort(s->point, s->npoints, sizeof *s->point, by_name);
}

bool side_read(struct side *s, const char *path)
{
	const struct findings *f = &s->found;

	if (!findings_read(&s->found, path))
		return false;
	if (!text_same(f->tool, "analyze")) {
		msg_error("%s: no analysis%s%s; run andweorc-resolve and andweorc-analyze on it first",
			  file_label(path), f->tool ? ", but the output of andweorc-" : "", f->tool ? f->tool : "");
		return false;
	}
	side_fill(s);
	return true;
}

const struct side_point *side_point(const struct side *s, const char *name)
{
	for (size_t i = 0; i < s->npoints; i++)
		if (!strcmp(s->point[i].found->name, name))
			return &s->point[i];
	return NULL;
}

bool side_region_matters(const struct side_region *r)
{
	const char *v = r->found->verdict;

	return !strcmp(v, "high") || !strcmp(v, "moderate") || !strcmp(v, "low");
}

const char *side_commit(const struct side *s)
{
	const char *all = NULL;

	for (size_t i = 0; i < s->found.nruns; i++) {
		const char *commit = s->found.run[i].commit;

		if (commit && all && strcmp(commit, all) != 0)
			return NULL;
		all = commit ? commit : all;
	}
	return all;
}

bool commit_is_dirty(const char *commit)
{
	const char *dash = commit ? strrchr(commit, '-') : NULL;

	return dash && !strcmp(dash, "-dirty");
}

bool sides_are_one_commit(const struct side *base, const struct side *head)
{
	return text_same(side_commit(base), side_commit(head)) && !commit_is_dirty(side_commit(base));
}
