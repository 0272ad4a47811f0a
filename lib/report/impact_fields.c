#include "report/impact_fields.h"

#include <math.h>

#include "base/num.h"
#include "format/kind.h"

void impact_put_real(const struct impact_writer *w, const char *key, double x)
{
	if (isfinite(x))
		w->real(w->to, key, num_round(x));
}

void impact_put_text(const struct impact_writer *w, const char *key, const char *value)
{
	if (value)
		w->text(w->to, key, value);
}

void impact_put_count(const struct impact_writer *w, const char *key, uint64_t x)
{
	w->count(w->to, key, x);
}

/* Times, numbers and lines of 0 are unknown. */
static void put_known(const struct impact_writer *w, const char *key, uint64_t x)
{
	if (x)
		impact_put_count(w, key, x);
}

static void put_interval(const struct impact_writer *w, const struct estimate *e, const char *value, const char *lo, const char *hi)
{
	impact_put_real(w, value, e->value);
	impact_put_real(w, lo, e->lo);
	impact_put_real(w, hi, e->hi);
}

void impact_run_fields(const struct impact_writer *w, const struct profile_run *r)
{
	struct profile_spent spent = impact_spent(r);

	impact_put_text(w, "command", r->command);
	impact_put_text(w, "commit", r->commit);
	impact_put_text(w, "block", r->block);
	impact_put_text(w, "side", r->side);
	impact_put_text(w, "host", r->host);
	impact_put_text(w, "kernel", r->kernel);
	if (w->whole)
		put_known(w, "cpus", r->cpus);
	impact_put_text(w, "cpu_model", r->cpu_model);
	impact_put_text(w, "sampler", r->sampler);
	if (w->whole) {
		put_known(w, "period_ns", r->period_ns);
		put_known(w, "started_ns", r->started_ns);
		put_known(w, "seed", r->seed);
	}
	impact_put_text(w, "mode", r->mode);
	impact_put_text(w, "scope", r->scope);
	impact_put_text(w, "status", r->status);
	put_known(w, "processes", r->processes);
	put_known(w, "cpu_ns", spent.cpu);
	put_known(w, "blocked_ns", spent.blocked);
	put_known(w, "lock_ns", spent.lock);
	put_known(w, "io_ns", spent.io);
	put_known(w, "sleep_ns", spent.sleep);
	put_known(w, "runqueue_ns", spent.runqueue);
	put_known(w, "bursts", r->bursts);
	put_known(w, "events", r->events);
	impact_put_count(w, "experiments", r->windows);
	impact_put_count(w, "disturbed", r->disturbed);
}

void impact_warning_fields(const struct impact_writer *w, const struct profile_warning *warning)
{
	impact_put_text(w, "what", warning->what);
	impact_put_text(w, "text", warning->text);
	if (warning->times > 1)
		impact_put_count(w, "count", warning->times);
}

void impact_coverage_fields(const struct impact_writer *w, const struct impact_coverage *c)
{
	impact_put_real(w, "cpu_pct", c->pct);
	put_known(w, "at_least", c->at_least);
}

void impact_untried_fields(const struct impact_writer *w, const struct impact_coverage *c, size_t i)
{
	impact_put_text(w, "name", c->untried[i].name);
	impact_put_real(w, "cpu_pct", c->untried_pct[i]);
}

/* The windows that do not count, by reason; slow windows only if there are some. */
static void put_aside(const struct impact_writer *w, const struct profile_set_aside *aside, size_t unvisited)
{
	impact_put_count(w, "disturbed", aside->disturbed);
	impact_put_count(w, "unvisited", unvisited);
	put_known(w, "slow", aside->slow);
	if (aside->downweighted) {
		impact_put_count(w, "downweighted", aside->downweighted);
		impact_put_real(w, "weight", aside->weight / (double)aside->downweighted);
	}
}

/* p50...; `of` is the rest of the names. */
static void put_percentile(const struct impact_writer *w, size_t i, const char *of, double x)
{
	char key[16];

	snprintf(key, sizeof key, "p%d_%s", percentile_pct[i], of);
	impact_put_real(w, key, x);
}

static void put_percentiles(const struct impact_writer *w, const char *of, const struct estimate *e, double unit)
{
	for (size_t i = 0; i < PERCENTILES; i++) {
		put_percentile(w, i, of, unit * e[i].value);
		put_percentile(w, i, "lo", unit * e[i].lo);
		put_percentile(w, i, "hi", unit * e[i].hi);
	}
}

/* As in the format; NULL: nothing was recorded. */
static const char *replay_use_name(enum replay_use use)
{
	static const char *const name[] = {
		[REPLAY_USED] = "used", [REPLAY_SPINS] = "spins", [REPLAY_UNTRUSTED] = "untrusted",
	};

	return use == REPLAY_ABSENT ? NULL : name[use];
}

void impact_point_fields(const struct impact_writer *w, const struct impact_point *p)
{
	impact_put_text(w, "point", p->name);
	impact_put_text(w, "kind", kind_name(p->kinds));
	impact_put_text(w, "measure", impact_measure_name(p->measures));
	put_interval(w, &p->period, "period_ns", "period_lo", "period_hi");
	for (size_t i = 0; i < PERCENTILES; i++)
		put_percentile(w, i, "ns", p->percentile_ns[i]);
	impact_put_real(w, "visits", p->visits);
	impact_put_count(w, "windows", p->windows);
	impact_put_count(w, "baselines", p->baselines);
	put_aside(w, &p->aside, p->unvisited);
	impact_put_real(w, "drift_pct", 100 * p->drift);
	impact_put_text(w, "replay", replay_use_name(p->replay.use));
	impact_put_real(w, "replay_check", p->replay.ratio);
	impact_put_real(w, "replay_period_ns", p->replay.period_ns);
}

/* The code of the region, and its share of the time. */
static void put_place(const struct impact_writer *w, const struct profile *p, const struct profile_region *r)
{
	impact_put_text(w, "region", r->label);
	impact_put_text(w, "scope", r->scope);
	impact_put_text(w, "module", r->module);
	impact_put_text(w, "function", r->function);
	impact_put_text(w, "symbol", r->symbol);
	impact_put_text(w, "also", r->also);
	impact_put_text(w, "file", r->file);
	put_known(w, "line", r->line);
	if (w->whole) {
		put_known(w, "function_line", r->function_line);
		impact_put_text(w, "line_hash", r->line_hash);
		impact_put_text(w, "context_hash", r->context_hash);
		impact_put_text(w, "function_hash", r->function_hash);
	}
	impact_put_real(w, "share_pct", impact_share(p, r));
	impact_put_real(w, "cpu_pct", impact_share(p, r));
	impact_put_real(w, "blocked_pct", impact_blocked_share(p, r));
}

static void put_effect(const struct impact_writer *w, const struct impact *im)
{
	const struct causal_effect *e = &im->effect;

	put_interval(w, &e->fit.slope, "slope", "slope_lo", "slope_hi");
	put_interval(w, &e->fit.cost, "cost_ns", "cost_lo", "cost_hi");
	impact_put_real(w, "slope_se", im->slope_se);
	impact_put_real(w, "cost_se", im->cost_se);
	if (im->cost_more_ns > 0)
		impact_put_real(w, "cost_more_ns", im->cost_more_ns);
	if (im->has_percentiles)
		put_percentiles(w, "slope", im->percentile.slope, 1);
	impact_put_real(w, "r2", e->r2);
	if (im->bounded)
		impact_put_real(w, "p", e->fit.slope.p);
	impact_put_real(w, "q", im->q);
}

void impact_region_fields(const struct impact_writer *w, const struct analysis *a, const struct impact *im)
{
	const struct causal_effect *e = &im->effect;
	static const char *const how[] = {
		[COMBINED_NOT] = NULL, [COMBINED_AGREES] = "agrees", [COMBINED_CONTRADICTS] = "contradicts",
		[COMBINED_REPLACED] = "replaces", [COMBINED_ALONE] = NULL,
	};
	const char *note[CAUSAL_NOTES];

	put_place(w, a->profile, im->region);
	if (im->estimated)
		put_effect(w, im);
	impact_put_count(w, "n", e->n);
	if (im->estimated) {
		if (e->fit.basis != CAUSAL_EVENTS)
			impact_put_count(w, "runs", e->fit.runs);
		impact_put_text(w, "basis", e->fit.basis == CAUSAL_RUNS ? "runs" : e->fit.basis == CAUSAL_EVENTS ? "replay" : "within-run");
	}
	if (how[im->combined]) {
		impact_put_text(w, "replay", how[im->combined]);
		put_interval(w, &im->measured, "measured_slope", "measured_lo", "measured_hi");
		put_interval(w, &im->replayed, "replay_slope", "replay_lo", "replay_hi");
	}
	impact_put_text(w, "verdict", verdict_name(im->verdict));
	impact_put_text(w, "need", im->need);
	impact_put_real(w, "max_useful_pct", 100 * e->knee);
	impact_put_real(w, "max_useful_lo", 100 * e->knee_lo);
	impact_put_real(w, "max_useful_hi", 100 * e->knee_hi);
	impact_put_real(w, "lag1", e->lag1);
	impact_put_real(w, "period_ns", e->period_ns);
	impact_put_real(w, "visits", e->visits);
	put_aside(w, &im->aside, im->unvisited);
	w->names(w->to, "note", note, impact_note_names(e->notes, note));
	w->names(w->to, "doubt", a->undermined, a->nundermined);
}

void impact_level_fields(const struct impact_writer *w, const struct impact *im, const struct causal_level *level)
{
	impact_put_real(w, "speedup_pct", 100 * level->s);
	impact_put_real(w, "program_pct", 100 * level->gain.value);
	impact_put_real(w, "lo", 100 * level->gain.lo);
	impact_put_real(w, "hi", 100 * level->gain.hi);
	for (size_t i = 0; i < im->percentile.nlevels; i++)
		if (im->percentile.level[i].s == level->s)
			put_percentiles(w, "pct", im->percentile.level[i].gain, 100);
	impact_put_count(w, "n", level->n);
}
