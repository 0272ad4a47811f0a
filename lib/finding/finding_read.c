/* finding_read: reads analyses: makes findings from records. */
#include "finding/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "format.h"
#include "format/record.h"

/* All fields unknown; those that a record leaves out stay so. */
static const struct finding UNKNOWN = {
	.line = NAN,
	.share_pct = NAN,
	.blocked_pct = NAN,
	.slope = NAN,
	.slope_lo = NAN,
	.slope_se = NAN,
	.cost_se = NAN,
	.slope_hi = NAN,
	.function_line = NAN,
	.cost_ns = NAN,
	.cost_lo = NAN,
	.cost_hi = NAN,
	.q = NAN,
	.max_useful_pct = NAN,
	.runs = NAN,
};

static struct found_point *point_at(struct findings *a, const char *point)
{
	void **slot = map_at(&a->points, point);
	struct found_point *p = *slot;

	if (!p) {
		*slot = p = xcalloc(1, sizeof *p);
		p->name = xstrdup(point);
		p->period_ns = p->period_lo = p->period_hi = NAN;
	}
	return p;
}

/* The place that several record types fill, made when it is new. */
static struct finding *finding_at(struct findings *a, const char *point, const char *region)
{
	void **slot = map_at(&point_at(a, point)->regions, region);
	struct finding *m = *slot;

	if (!m) {
		*slot = m = xcalloc(1, sizeof *m);
		*m = UNKNOWN;
		m->region = xstrdup(region);
	}
	return m;
}

static char *owned_text(struct record *rec, const char *key)
{
	const char *s = record_get(rec, key);

	return s ? xstrdup(s) : NULL;
}

static void read_impact(struct findings *a, struct record *rec)
{
	const char *point = record_get(rec, "point"), *region = record_get(rec, "region");
	struct finding *m = finding_at(a, point, region);

	if (m->verdict) {
		msg_error_at(rec->path, rec->line, "second impact of region '%s' on point '%s'", region, point);
		return;
	}
	m->line = record_get_real(rec, "line");
	m->share_pct = record_get_real(rec, "share_pct");
	m->blocked_pct = record_get_real(rec, "blocked_pct");
	m->slope = record_get_real(rec, "slope");
	m->slope_lo = record_get_real(rec, "slope_lo");
	m->slope_hi = record_get_real(rec, "slope_hi");
	m->cost_ns = record_get_real(rec, "cost_ns");
	m->cost_lo = record_get_real(rec, "cost_lo");
	m->cost_hi = record_get_real(rec, "cost_hi");
	m->slope_se = record_get_real(rec, "slope_se");
	m->cost_se = record_get_real(rec, "cost_se");
	m->cost_more_ns = record_get(rec, "cost_more_ns") ? record_get_real(rec, "cost_more_ns") : 0;
	m->q = record_get_real(rec, "q");
	m->function_line = record_get_real(rec, "function_line");
	m->max_useful_pct = record_get_real(rec, "max_useful_pct");
	m->runs = record_get_real(rec, "runs");
	m->scope = owned_text(rec, "scope");
	m->function = owned_text(rec, "function");
	m->symbol = owned_text(rec, "symbol");
	m->module = owned_text(rec, "module");
	m->line_hash = owned_text(rec, "line_hash");
	m->context_hash = owned_text(rec, "context_hash");
	m->function_hash = owned_text(rec, "function_hash");
	m->file = owned_text(rec, "file");
	m->basis = owned_text(rec, "basis");
	m->verdict = owned_text(rec, "verdict");
	m->need = owned_text(rec, "need");
	m->doubt = owned_text(rec, "doubt");
}

static void read_curve(struct findings *a, struct record *rec)
{
	const char *point = record_get(rec, "point"), *region = record_get(rec, "region");
	struct curve_point v = {
		.speedup_pct = record_get_real(rec, "speedup_pct"),
		.program_pct = record_get_real(rec, "program_pct"),
		.lo = record_get_real(rec, "lo"),
		.hi = record_get_real(rec, "hi"),
	};
	struct finding *m;
	size_t i;

	if (v.speedup_pct < 0 || v.speedup_pct > 100) {
		msg_error_at(rec->path, rec->line, "'speedup_pct' is %g, not within 0 and 100", v.speedup_pct);
		return;
	}
	/* At 0 the gain is 0 by definition.  A level without a gain was measured, but not often enough. */
	if (v.speedup_pct == 0 || isnan(v.program_pct))
		return;
	m = finding_at(a, point, region);
	for (i = m->n; i > 0 && m->curve[i - 1].speedup_pct >= v.speedup_pct; i--)
		if (m->curve[i - 1].speedup_pct == v.speedup_pct) {
			msg_error_at(rec->path, rec->line, "second curve record of region '%s' on point '%s' at %g %%", region,
				     point, v.speedup_pct);
			return;
		}
	m->curve = xgrow(m->curve, m->n, &m->cap, sizeof *m->curve);
	memmove(m->curve + i + 1, m->curve + i, (m->n - i) * sizeof *m->curve);
	m->curve[i] = v;
	m->n++;
}

static void read_run(struct findings *a, struct record *rec)
{
	struct found_run r = {
		.context = a->ncontexts,
		.id = record_get_real(rec, "id"),
		.cpus = record_get_real(rec, "cpus"),
		.period_ns = record_get_real(rec, "period_ns"),
		.started_ns = record_get_real(rec, "started_ns"),
		.windows = (double)record_get_u64(rec, "experiments"),
		.disturbed = (double)record_get_u64(rec, "disturbed"),
		.command = owned_text(rec, "command"),
		.commit = owned_text(rec, "commit"),
		.host = owned_text(rec, "host"),
		.kernel = owned_text(rec, "kernel"),
		.cpu_model = owned_text(rec, "cpu_model"),
		.sampler = owned_text(rec, "sampler"),
		.mode = owned_text(rec, "mode"),
		.scope = owned_text(rec, "scope"),
		.block = owned_text(rec, "block"),
	};

	if (!a->command && r.command)
		a->command = xstrdup(r.command);
	a->run = xgrow(a->run, a->nruns, &a->cap_runs, sizeof *a->run);
	a->run[a->nruns++] = r;
}

static void read_point(struct findings *a, struct record *rec)
{
	const char *point = record_get(rec, "point");
	struct found_point *p;

	/* logs have records of this name, too */
	if (!point)
		return;
	p = point_at(a, point);
	if (p->described) {
		msg_error_at(rec->path, rec->line, "second record of the point '%s'", point);
		return;
	}
	p->described = true;
	p->period_ns = record_get_real(rec, "period_ns");
	p->period_lo = record_get_real(rec, "period_lo");
	p->period_hi = record_get_real(rec, "period_hi");
	p->kind = owned_text(rec, "kind");
}

static void read_baseline(struct findings *a, struct record *rec)
{
	struct found_baseline b = {
		.context = a->ncontexts,
		.run = record_get_real(rec, "run"),
		.period_ns = record_get_real(rec, "period_ns"),
		.period_se = record_get_real(rec, "period_se"),
		.df = record_get_real(rec, "df"),
		.visits = record_get_real(rec, "visits"),
	};
	struct found_point *p = point_at(a, record_get(rec, "point"));

	p->baseline = xgrow(p->baseline, p->nbaselines, &p->cap_baselines, sizeof *p->baseline);
	p->baseline[p->nbaselines++] = b;
}

static void read_replicate(struct findings *a, struct record *rec)
{
	struct found_replicate r = {
		.context = a->ncontexts,
		.run = record_get_real(rec, "run"),
		.slope = record_get_real(rec, "slope"),
		.slope_se = record_get_real(rec, "slope_se"),
		.cost_ns = record_get_real(rec, "cost_ns"),
		.cost_se = record_get_real(rec, "cost_se"),
		.df = record_get_real(rec, "df"),
		.rise_slope = record_get_real(rec, "rise_slope"),
		.rise_slope_se = record_get_real(rec, "rise_slope_se"),
		.rise_cost_ns = record_get_real(rec, "rise_cost_ns"),
		.rise_cost_se = record_get_real(rec, "rise_cost_se"),
		.info = record_get_real(rec, "info"),
		.windows = (double)record_get_u64(rec, "windows"),
		.baselines = (double)record_get_u64(rec, "baselines"),
	};
	struct finding *m = finding_at(a, record_get(rec, "point"), record_get(rec, "region"));

	m->replicate = xgrow(m->replicate, m->nreplicates, &m->cap_replicates, sizeof *m->replicate);
	m->replicate[m->nreplicates++] = r;
}

static void read_header(struct findings *a, struct record *rec)
{
	a->ncontexts++;
	free(a->tool);
	a->tool = owned_text(rec, "tool");
}

static void read_warning(struct findings *a, struct record *rec)
{
	if (!a->warning)
		a->warning = owned_text(rec, "text");
}

static void read_untried(struct findings *a, struct record *rec)
{
	double pct = record_get_real(rec, "cpu_pct");

	if (pct > a->untried_pct)
		a->untried_pct = pct;
}

bool findings_read(struct findings *a, const char *path)
{
	static const struct {
		const char *type;
		void (*read)(struct findings *a, struct record *rec);
	} known[] = {
		{ AW_IMPACT, read_impact },       { AW_CURVE, read_curve },         { AW_RUN, read_run },
		{ AW_POINT, read_point },         { AW_BASELINE, read_baseline },   { AW_REPLICATE, read_replicate },
		{ AW_WARNING, read_warning },     { AW_HEADER, read_header },       { AW_UNTRIED, read_untried },
	};
	struct reader *r = reader_open(path);
	struct record rec;

	if (!r)
		return false;
	while (reader_next(r, &rec))
		for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
			if (!strcmp(rec.type, known[i].type))
				known[i].read(a, &rec);
	return reader_close(r);
}
