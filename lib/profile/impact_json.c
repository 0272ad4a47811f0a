/* An analysis as JSON: the names of the format's keys, in the format's order. */
#include "profile/impact.h"

#include <jansson.h>
#include <math.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "format.h"

/* What is not known is left out. */
static void set_real(json_t *o, const char *key, double x)
{
	if (isfinite(x))
		json_object_set_new(o, key, json_real(impact_round(x)));
}

static void set_count(json_t *o, const char *key, uint64_t x)
{
	json_object_set_new(o, key, json_integer((json_int_t)x));
}

/* JSON is UTF-8; a name out of a log need not be: its other bytes become \xNN, as text. */
static void set_text(json_t *o, const char *key, const char *value)
{
	struct buf b = BUF_INIT;
	json_t *s;

	if (!value)
		return;
	s = json_string(value);
	if (!s) {
		for (const char *c = value; *c; c++)
			buf_addf(&b, (unsigned char)*c < 0x80 ? "%c" : "\\x%02x", (unsigned char)*c);
		s = json_string(b.s);
		buf_release(&b);
	}
	json_object_set_new(o, key, s);
}

static void set_interval(json_t *o, const struct estimate *e, const char *value, const char *lo, const char *hi)
{
	set_real(o, value, e->value);
	set_real(o, lo, e->lo);
	set_real(o, hi, e->hi);
}

/* Times and numbers that are 0 are not known. */
static void set_known(json_t *o, const char *key, uint64_t x)
{
	if (x)
		set_count(o, key, x);
}

static json_t *run_object(const struct profile_run *r)
{
	struct profile_spent spent = impact_spent(r);
	json_t *o = json_object();

	set_text(o, "command", r->command);
	set_text(o, "commit", r->commit);
	set_text(o, "block", r->block);
	set_text(o, "side", r->side);
	set_text(o, "host", r->host);
	set_text(o, "kernel", r->kernel);
	set_text(o, "cpu_model", r->cpu_model);
	set_text(o, "sampler", r->sampler);
	set_text(o, "mode", r->mode);
	set_text(o, "status", r->status);
	set_known(o, "processes", r->processes);
	set_known(o, "cpu_ns", spent.cpu);
	set_known(o, "blocked_ns", spent.blocked);
	set_known(o, "lock_ns", spent.lock);
	set_known(o, "io_ns", spent.io);
	set_known(o, "sleep_ns", spent.sleep);
	set_known(o, "runqueue_ns", spent.runqueue);
	set_count(o, "experiments", r->windows);
	set_count(o, "disturbed", r->disturbed);
	return o;
}

/* What does not count, and why; of slow windows, only where there are some. */
static void set_aside(json_t *o, const struct profile_set_aside *aside, size_t unvisited)
{
	set_count(o, "disturbed", aside->disturbed);
	set_count(o, "unvisited", unvisited);
	set_known(o, "slow", aside->slow);
	if (aside->downweighted) {
		set_count(o, "downweighted", aside->downweighted);
		set_real(o, "weight", aside->weight / (double)aside->downweighted);
	}
}

static void set_percentile(json_t *o, size_t i, const char *of, double x)
{
	char key[16];

	snprintf(key, sizeof key, "p%d_%s", percentile_pct[i], of);
	set_real(o, key, x);
}

static void set_percentiles(json_t *o, const char *of, const struct estimate *e, double unit)
{
	for (size_t i = 0; i < PERCENTILES; i++) {
		set_percentile(o, i, of, unit * e[i].value);
		set_percentile(o, i, "lo", unit * e[i].lo);
		set_percentile(o, i, "hi", unit * e[i].hi);
	}
}

static json_t *curve_array(const struct impact *im)
{
	const struct causal_effect *e = &im->effect;
	json_t *all = json_array();

	for (size_t i = 0; i < e->nlevels; i++) {
		const struct causal_level *level = &e->level[i];
		json_t *o = json_object();

		set_real(o, "speedup_pct", 100 * level->s);
		set_real(o, "program_pct", 100 * level->gain.value);
		set_real(o, "lo", 100 * level->gain.lo);
		set_real(o, "hi", 100 * level->gain.hi);
		for (size_t k = 0; k < im->percentile.nlevels; k++)
			if (im->percentile.level[k].s == level->s)
				set_percentiles(o, "pct", im->percentile.level[k].gain, 100);
		set_count(o, "n", level->n);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *name_array(const char *const *names, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, json_string(names[i]));
	return all;
}

static json_t *impact_object(const struct analysis *a, const struct impact *im)
{
	const struct profile *p = a->profile;
	const struct profile_region *r = im->region;
	const struct causal_effect *e = &im->effect;
	json_t *o = json_object();
	const char *note[CAUSAL_NOTES];

	set_text(o, "region", r->label);
	set_text(o, "scope", r->scope);
	set_text(o, "module", r->module);
	set_text(o, "function", r->function);
	set_text(o, "symbol", r->symbol);
	set_text(o, "also", r->also);
	set_text(o, "file", r->file);
	if (r->line)
		set_count(o, "line", r->line);
	set_real(o, "share_pct", impact_share(p, r));
	set_real(o, "cpu_pct", impact_share(p, r));
	set_real(o, "blocked_pct", impact_blocked_share(p, r));
	if (im->estimated) {
		set_interval(o, &e->fit.slope, "slope", "slope_lo", "slope_hi");
		set_interval(o, &e->fit.cost, "cost_ns", "cost_lo", "cost_hi");
		set_real(o, "slope_se", im->slope_se);
		set_real(o, "cost_se", im->cost_se);
		if (im->cost_more_ns > 0)
			set_real(o, "cost_more_ns", im->cost_more_ns);
		if (im->has_percentiles)
			set_percentiles(o, "slope", im->percentile.slope, 1);
		set_real(o, "r2", e->r2);
		if (im->bounded)
			set_real(o, "p", e->fit.slope.p);
		set_real(o, "q", im->q);
	}
	set_count(o, "n", e->n);
	if (im->estimated) {
		set_count(o, "runs", e->fit.runs);
		set_text(o, "basis", e->fit.basis == CAUSAL_RUNS ? "runs" : "within-run");
	}
	set_text(o, "verdict", verdict_name(im->verdict));
	set_text(o, "need", im->need);
	set_real(o, "max_useful_pct", 100 * e->knee);
	set_real(o, "max_useful_lo", 100 * e->knee_lo);
	set_real(o, "max_useful_hi", 100 * e->knee_hi);
	set_real(o, "lag1", e->lag1);
	set_real(o, "period_ns", e->period_ns);
	set_real(o, "visits", e->visits);
	set_aside(o, &im->aside, im->unvisited);
	json_object_set_new(o, "note", name_array(note, impact_note_names(e->notes, note)));
	json_object_set_new(o, "doubt", name_array(a->undermined, a->nundermined));
	json_object_set_new(o, "curve", curve_array(im));
	return o;
}

static json_t *point_object(const struct analysis *a, const struct impact_point *p, size_t top)
{
	json_t *o = json_object(), *impacts = json_array();

	set_text(o, "point", p->name);
	set_text(o, "kind", impact_kind_name(p->kinds));
	set_text(o, "measure", impact_measure_name(p->measures));
	set_interval(o, &p->period, "period_ns", "period_lo", "period_hi");
	for (size_t i = 0; i < PERCENTILES; i++)
		set_percentile(o, i, "ns", p->percentile_ns[i]);
	set_real(o, "visits", p->visits);
	set_count(o, "windows", p->windows);
	set_count(o, "baselines", p->baselines);
	set_aside(o, &p->aside, p->unvisited);
	set_real(o, "drift_pct", 100 * p->drift);
	for (size_t i = 0; i < p->nimpacts && i < top; i++)
		json_array_append_new(impacts, impact_object(a, &p->impact[i]));
	json_object_set_new(o, "impacts", impacts);
	return o;
}

static json_t *coverage_object(const struct profile *p)
{
	struct impact_coverage c = impact_coverage(p);
	json_t *o = json_object(), *untried = json_array();

	set_real(o, "cpu_pct", c.pct);
	set_known(o, "at_least", c.at_least);
	for (size_t i = 0; i < c.nuntried; i++) {
		json_t *name = json_object();

		set_text(name, "name", c.untried[i].name);
		set_real(name, "cpu_pct", c.untried_pct[i]);
		json_array_append_new(untried, name);
	}
	json_object_set_new(o, "untried", untried);
	return o;
}

static void append_warnings(json_t *all, const struct profile_warning *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		set_text(o, "what", w[i].what);
		set_text(o, "text", w[i].text);
		if (w[i].times > 1)
			set_count(o, "count", w[i].times);
		json_array_append_new(all, o);
	}
}

void impact_write_json(const struct analysis *a, size_t top, FILE *out)
{
	json_t *root = json_object(), *runs = json_array(), *points = json_array(), *warnings = json_array();

	set_count(root, "version", AW_FORMAT_VERSION);
	set_text(root, "tool", "analyze");
	for (size_t i = 0; i < a->profile->nruns; i++)
		json_array_append_new(runs, run_object(&a->profile->run[i]));
	json_object_set_new(root, "runs", runs);
	append_warnings(warnings, a->profile->warning, a->profile->nwarnings);
	append_warnings(warnings, a->doubt, a->ndoubts);
	json_object_set_new(root, "warnings", warnings);
	json_object_set_new(root, "coverage", coverage_object(a->profile));
	for (size_t i = 0; i < a->npoints; i++)
		json_array_append_new(points, point_object(a, &a->point[i], top));
	json_object_set_new(root, "points", points);
	json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	fputc('\n', out);
	json_decref(root);
}
