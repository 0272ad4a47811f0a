/* An analysis in the format andweorc(5). */
#include "profile/impact.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "format.h"
#include "format/record.h"

/* What is not known is left out. */
static void add_real(struct buf *b, const char *key, double x)
{
	if (isfinite(x))
		record_real(b, key, impact_round(x));
}

static void add_text(struct buf *b, const char *key, const char *value)
{
	if (value)
		record_str(b, key, value);
}

static void add_number(struct buf *b, const char *key, uint64_t x)
{
	if (x)
		record_u64(b, key, x);
}

static void add_run(struct buf *b, size_t id, const struct profile_run *r)
{
	struct profile_spent spent = impact_spent(r);

	record_begin(b, AW_RUN);
	record_u64(b, "id", id);
	add_text(b, "command", r->command);
	add_text(b, "commit", r->commit);
	add_text(b, "block", r->block);
	add_text(b, "side", r->side);
	add_text(b, "host", r->host);
	add_text(b, "kernel", r->kernel);
	add_number(b, "cpus", r->cpus);
	add_text(b, "cpu_model", r->cpu_model);
	add_text(b, "sampler", r->sampler);
	add_number(b, "period_ns", r->period_ns);
	add_number(b, "started_ns", r->started_ns);
	add_number(b, "seed", r->seed);
	add_text(b, "mode", r->mode);
	add_text(b, "status", r->status);
	add_number(b, "processes", r->processes);
	add_number(b, "cpu_ns", spent.cpu);
	add_number(b, "blocked_ns", spent.blocked);
	add_number(b, "lock_ns", spent.lock);
	add_number(b, "io_ns", spent.io);
	add_number(b, "sleep_ns", spent.sleep);
	add_number(b, "runqueue_ns", spent.runqueue);
	record_u64(b, "experiments", r->windows);
	record_u64(b, "disturbed", r->disturbed);
	record_end(b);
}

static void add_warnings(struct buf *b, const struct profile_warning *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		record_begin(b, AW_WARNING);
		record_str(b, "what", w[i].what);
		record_str(b, "text", w[i].text);
		if (w[i].times > 1)
			record_u64(b, "count", w[i].times);
		record_end(b);
	}
}

/* What does not count, and why; of slow windows, only where there are some. */
static void add_aside(struct buf *b, const struct profile_set_aside *aside, size_t unvisited)
{
	record_u64(b, "disturbed", aside->disturbed);
	record_u64(b, "unvisited", unvisited);
	add_number(b, "slow", aside->slow);
	if (aside->downweighted) {
		record_u64(b, "downweighted", aside->downweighted);
		add_real(b, "weight", aside->weight / (double)aside->downweighted);
	}
}

/* p50..., of which `of` tells the rest of the name. */
static void add_percentile(struct buf *b, size_t i, const char *of, double x)
{
	char key[16];

	snprintf(key, sizeof key, "p%d_%s", percentile_pct[i], of);
	add_real(b, key, x);
}

static void add_percentiles(struct buf *b, const char *of, const struct estimate *e, double unit)
{
	for (size_t i = 0; i < PERCENTILES; i++) {
		add_percentile(b, i, of, unit * e[i].value);
		add_percentile(b, i, "lo", unit * e[i].lo);
		add_percentile(b, i, "hi", unit * e[i].hi);
	}
}

static void add_point(struct buf *b, const struct impact_point *p)
{
	record_begin(b, "point");
	record_str(b, "point", p->name);
	add_text(b, "kind", impact_kind_name(p->kinds));
	add_text(b, "measure", impact_measure_name(p->measures));
	add_real(b, "period_ns", p->period.value);
	add_real(b, "period_lo", p->period.lo);
	add_real(b, "period_hi", p->period.hi);
	for (size_t i = 0; i < PERCENTILES; i++)
		add_percentile(b, i, "ns", p->percentile_ns[i]);
	add_real(b, "visits", p->visits);
	record_u64(b, "windows", p->windows);
	record_u64(b, "baselines", p->baselines);
	add_aside(b, &p->aside, p->unvisited);
	add_real(b, "drift_pct", 100 * p->drift);
	record_end(b);
}

/* What each run says of the point by itself. */
static void add_baselines(struct buf *b, const struct impact_point *p)
{
	for (size_t i = 0; i < p->nbaselines; i++) {
		const struct impact_baseline *r = &p->baseline[i];

		record_begin(b, AW_BASELINE);
		record_str(b, "point", p->name);
		record_u64(b, "run", r->run + 1);
		add_real(b, "period_ns", r->period.value);
		add_real(b, "period_se", r->period.se);
		add_real(b, "df", r->period.df);
		add_real(b, "visits", r->visits);
		record_u64(b, "windows", r->windows);
		record_end(b);
	}
}

/* Where time goes that no region has. */
static void add_coverage(struct buf *b, const struct profile *p)
{
	struct impact_coverage c = impact_coverage(p);

	if (isnan(c.pct))
		return;
	record_begin(b, AW_COVERAGE);
	add_real(b, "cpu_pct", c.pct);
	add_number(b, "at_least", c.at_least);
	record_end(b);
	for (size_t i = 0; i < c.nuntried; i++) {
		record_begin(b, AW_UNTRIED);
		record_str(b, "name", c.untried[i].name);
		add_real(b, "cpu_pct", c.untried_pct[i]);
		record_end(b);
	}
}

static void add_region(struct buf *b, const struct profile *p, const struct profile_region *r)
{
	record_str(b, "region", r->label);
	add_text(b, "scope", r->scope);
	add_text(b, "module", r->module);
	add_text(b, "function", r->function);
	add_text(b, "symbol", r->symbol);
	add_text(b, "also", r->also);
	add_text(b, "file", r->file);
	add_number(b, "line", r->line);
	add_number(b, "function_line", r->function_line);
	add_text(b, "line_hash", r->line_hash);
	add_text(b, "context_hash", r->context_hash);
	add_text(b, "function_hash", r->function_hash);
	add_real(b, "share_pct", impact_share(p, r));
	add_real(b, "cpu_pct", impact_share(p, r));
	add_real(b, "blocked_pct", impact_blocked_share(p, r));
}

static void add_interval(struct buf *b, const struct estimate *e, const char *value, const char *lo, const char *hi)
{
	add_real(b, value, e->value);
	add_real(b, lo, e->lo);
	add_real(b, hi, e->hi);
}

static void add_list(struct buf *b, const char *key, const char *const *names, size_t n)
{
	struct buf all = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_addf(&all, "%s%s", i ? "," : "", names[i]);
	if (n)
		record_str(b, key, all.s);
	buf_release(&all);
}

static void add_impact(struct buf *b, const struct analysis *a, const struct impact_point *point, const struct impact *im)
{
	const char *note[CAUSAL_NOTES];
	const struct causal_effect *e = &im->effect;

	record_begin(b, AW_IMPACT);
	record_str(b, "point", point->name);
	add_region(b, a->profile, im->region);
	if (im->estimated) {
		add_interval(b, &e->fit.slope, "slope", "slope_lo", "slope_hi");
		add_interval(b, &e->fit.cost, "cost_ns", "cost_lo", "cost_hi");
		add_real(b, "slope_se", im->slope_se);
		add_real(b, "cost_se", im->cost_se);
		if (im->cost_more_ns > 0)
			add_real(b, "cost_more_ns", im->cost_more_ns);
		if (im->has_percentiles)
			add_percentiles(b, "slope", im->percentile.slope, 1);
		add_real(b, "r2", e->r2);
		if (im->bounded)
			add_real(b, "p", e->fit.slope.p);
		add_real(b, "q", im->q);
	}
	record_u64(b, "n", e->n);
	if (im->estimated) {
		record_u64(b, "runs", e->fit.runs);
		record_str(b, "basis", e->fit.basis == CAUSAL_RUNS ? "runs" : "within-run");
	}
	record_str(b, "verdict", verdict_name(im->verdict));
	add_text(b, "need", im->need);
	add_real(b, "max_useful_pct", 100 * e->knee);
	add_real(b, "max_useful_lo", 100 * e->knee_lo);
	add_real(b, "max_useful_hi", 100 * e->knee_hi);
	add_real(b, "lag1", e->lag1);
	add_real(b, "period_ns", e->period_ns);
	add_real(b, "visits", e->visits);
	add_aside(b, &im->aside, im->unvisited);
	add_list(b, "note", note, impact_note_names(e->notes, note));
	add_list(b, "doubt", a->undermined, a->nundermined);
	record_end(b);
}

static void add_curve(struct buf *b, const struct impact_point *point, const struct impact *im)
{
	for (size_t i = 0; i < im->effect.nlevels; i++) {
		const struct causal_level *level = &im->effect.level[i];

		record_begin(b, AW_CURVE);
		record_str(b, "point", point->name);
		record_str(b, "region", im->region->label);
		record_real(b, "speedup_pct", impact_round(100 * level->s));
		add_real(b, "program_pct", 100 * level->gain.value);
		add_real(b, "lo", 100 * level->gain.lo);
		add_real(b, "hi", 100 * level->gain.hi);
		for (size_t k = 0; k < im->percentile.nlevels; k++)
			if (im->percentile.level[k].s == level->s)
				add_percentiles(b, "pct", im->percentile.level[k].gain, 100);
		record_u64(b, "n", level->n);
		record_end(b);
	}
}

/* And of the region. */
static void add_replicates(struct buf *b, const struct impact_point *point, const struct impact *im)
{
	for (size_t i = 0; i < im->nreplicates; i++) {
		const struct impact_replicate *r = &im->replicate[i];

		record_begin(b, AW_REPLICATE);
		record_str(b, "point", point->name);
		record_str(b, "region", im->region->label);
		record_u64(b, "run", r->run + 1);
		add_real(b, "slope", r->all.slope.value);
		add_real(b, "slope_se", r->all.slope.se);
		add_real(b, "cost_ns", r->all.cost.value);
		add_real(b, "cost_se", r->all.cost.se);
		add_real(b, "df", r->all.slope.df);
		if (r->rise.basis != CAUSAL_NONE) {
			add_real(b, "rise_slope", r->rise.slope.value);
			add_real(b, "rise_slope_se", r->rise.slope.se);
			add_real(b, "rise_cost_ns", r->rise.cost.value);
			add_real(b, "rise_cost_se", r->rise.cost.se);
		}
		add_real(b, "info", r->sum.ratio.den);
		record_u64(b, "windows", r->sum.windows);
		record_u64(b, "baselines", r->sum.baselines);
		record_end(b);
	}
}

void impact_write_records(const struct analysis *a, size_t top, FILE *out)
{
	struct buf b = BUF_INIT;

	record_begin(&b, AW_HEADER);
	record_u64(&b, "version", AW_FORMAT_VERSION);
	record_str(&b, "tool", "analyze");
	record_end(&b);
	for (size_t i = 0; i < a->profile->nruns; i++)
		add_run(&b, i + 1, &a->profile->run[i]);
	add_warnings(&b, a->profile->warning, a->profile->nwarnings);
	add_warnings(&b, a->doubt, a->ndoubts);
	add_coverage(&b, a->profile);
	for (size_t i = 0; i < a->npoints; i++) {
		const struct impact_point *point = &a->point[i];

		add_point(&b, point);
		add_baselines(&b, point);
		for (size_t j = 0; j < point->nimpacts && j < top; j++) {
			add_impact(&b, a, point, &point->impact[j]);
			add_curve(&b, point, &point->impact[j]);
			add_replicates(&b, point, &point->impact[j]);
		}
	}
	fwrite(b.s, 1, b.len, out);
	buf_release(&b);
}
