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
	struct finding v = UNKNOWN;
	const char *point, *region, *verdict;
	struct finding *m;
	bool good = true;

	/* Each invalid field of the line gets a message. */
	good &= record_need_str(rec, "point", &point);
	good &= record_need_str(rec, "region", &region);
	good &= record_need_str(rec, "verdict", &verdict);
	good &= record_opt_real(rec, "line", &v.line);
	good &= record_opt_real(rec, "share_pct", &v.share_pct);
	good &= record_opt_real(rec, "blocked_pct", &v.blocked_pct);
	good &= record_opt_real(rec, "slope", &v.slope);
	good &= record_opt_real(rec, "slope_lo", &v.slope_lo);
	good &= record_opt_real(rec, "slope_hi", &v.slope_hi);
	good &= record_opt_real(rec, "cost_ns", &v.cost_ns);
	good &= record_opt_real(rec, "cost_lo", &v.cost_lo);
	good &= record_opt_real(rec, "cost_hi", &v.cost_hi);
	good &= record_opt_real(rec, "slope_se", &v.slope_se);
	good &= record_opt_real(rec, "cost_se", &v.cost_se);
	good &= record_opt_real(rec, "cost_more_ns", &v.cost_more_ns);
	good &= record_opt_real(rec, "q", &v.q);
	good &= record_opt_real(rec, "function_line", &v.function_line);
	good &= record_opt_real(rec, "max_useful_pct", &v.max_useful_pct);
	good &= record_opt_real(rec, "runs", &v.runs);
	if (!good)
		return;
	m = finding_at(a, point, region);
	if (m->verdict) {
		msg_error_at(rec->path, rec->line, "second impact of region '%s' on point '%s'", region, point);
		return;
	}
	v.region = m->region;
	v.curve = m->curve;
	v.n = m->n;
	v.cap = m->cap;
	v.replicate = m->replicate;
	v.nreplicates = m->nreplicates;
	v.cap_replicates = m->cap_replicates;
	v.scope = owned_text(rec, "scope");
	v.function = owned_text(rec, "function");
	v.symbol = owned_text(rec, "symbol");
	v.module = owned_text(rec, "module");
	v.line_hash = owned_text(rec, "line_hash");
	v.context_hash = owned_text(rec, "context_hash");
	v.function_hash = owned_text(rec, "function_hash");
	v.file = owned_text(rec, "file");
	v.basis = owned_text(rec, "basis");
	v.verdict = xstrdup(verdict);
	v.need = owned_text(rec, "need");
	v.doubt = owned_text(rec, "doubt");
	*m = v;
}

static void read_curve(struct findings *a, struct record *rec)
{
	struct curve_point v = { .program_pct = NAN, .lo = NAN, .hi = NAN };
	const char *point, *region;
	bool good = true;
	struct finding *m;
	size_t i;

	good &= record_need_str(rec, "point", &point);
	good &= record_need_str(rec, "region", &region);
	good &= record_need_real(rec, "speedup_pct", &v.speedup_pct);
	good &= record_opt_real(rec, "program_pct", &v.program_pct);
	good &= record_opt_real(rec, "lo", &v.lo);
	good &= record_opt_real(rec, "hi", &v.hi);
	if (!good)
		return;
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
	struct found_run r = { .context = a->ncontexts, .cpus = NAN, .period_ns = NAN, .started_ns = NAN };
	bool good = true;

	good &= record_need_real(rec, "id", &r.id);
	good &= record_opt_real(rec, "cpus", &r.cpus);
	good &= record_opt_real(rec, "period_ns", &r.period_ns);
	good &= record_opt_real(rec, "started_ns", &r.started_ns);
	good &= record_opt_real(rec, "experiments", &r.windows);
	good &= record_opt_real(rec, "disturbed", &r.disturbed);
	if (!good)
		return;
	r.command = owned_text(rec, "command");
	r.commit = owned_text(rec, "commit");
	r.host = owned_text(rec, "host");
	r.kernel = owned_text(rec, "kernel");
	r.cpu_model = owned_text(rec, "cpu_model");
	r.sampler = owned_text(rec, "sampler");
	r.mode = owned_text(rec, "mode");
	r.scope = owned_text(rec, "scope");
	r.block = owned_text(rec, "block");
	if (!a->command && r.command)
		a->command = xstrdup(r.command);
	a->run = xgrow(a->run, a->nruns, &a->cap_runs, sizeof *a->run);
	a->run[a->nruns++] = r;
}

static void read_point(struct findings *a, struct record *rec)
{
	double period = NAN, lo = NAN, hi = NAN;
	struct found_point *p;
	const char *point = record_get(rec, "point");

	/* logs have records of this name, too */
	if (!point || !record_opt_real(rec, "period_ns", &period) || !record_opt_real(rec, "period_lo", &lo) ||
	    !record_opt_real(rec, "period_hi", &hi))
		return;
	p = point_at(a, point);
	if (p->described) {
		msg_error_at(rec->path, rec->line, "second record of the point '%s'", point);
		return;
	}
	p->described = true;
	p->period_ns = period;
	p->period_lo = lo;
	p->period_hi = hi;
	p->kind = owned_text(rec, "kind");
}

static void read_baseline(struct findings *a, struct record *rec)
{
	struct found_baseline b = { .context = a->ncontexts, .period_ns = NAN, .period_se = NAN, .df = NAN, .visits = NAN };
	struct found_point *p;
	const char *point;
	bool good = true;

	good &= record_need_str(rec, "point", &point);
	good &= record_need_real(rec, "run", &b.run);
	good &= record_opt_real(rec, "period_ns", &b.period_ns);
	good &= record_opt_real(rec, "period_se", &b.period_se);
	good &= record_opt_real(rec, "df", &b.df);
	good &= record_opt_real(rec, "visits", &b.visits);
	if (!good)
		return;
	p = point_at(a, point);
	p->baseline = xgrow(p->baseline, p->nbaselines, &p->cap_baselines, sizeof *p->baseline);
	p->baseline[p->nbaselines++] = b;
}

static void read_replicate(struct findings *a, struct record *rec)
{
	struct found_replicate r = { .context = a->ncontexts, .slope = NAN, .slope_se = NAN, .cost_ns = NAN, .cost_se = NAN,
		.df = NAN, .rise_slope = NAN, .rise_slope_se = NAN, .rise_cost_ns = NAN, .rise_cost_se = NAN, .info = NAN };
	const char *point, *region;
	struct finding *m;
	bool good = true;

	good &= record_need_str(rec, "point", &point);
	good &= record_need_str(rec, "region", &region);
	good &= record_need_real(rec, "run", &r.run);
	good &= record_opt_real(rec, "slope", &r.slope);
	good &= record_opt_real(rec, "slope_se", &r.slope_se);
	good &= record_opt_real(rec, "cost_ns", &r.cost_ns);
	good &= record_opt_real(rec, "cost_se", &r.cost_se);
	good &= record_opt_real(rec, "df", &r.df);
	good &= record_opt_real(rec, "rise_slope", &r.rise_slope);
	good &= record_opt_real(rec, "rise_slope_se", &r.rise_slope_se);
	good &= record_opt_real(rec, "rise_cost_ns", &r.rise_cost_ns);
	good &= record_opt_real(rec, "rise_cost_se", &r.rise_cost_se);
	good &= record_opt_real(rec, "info", &r.info);
	good &= record_opt_real(rec, "windows", &r.windows);
	good &= record_opt_real(rec, "baselines", &r.baselines);
	if (!good)
		return;
	m = finding_at(a, point, region);
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
	double pct = 0;

	if (record_opt_real(rec, "cpu_pct", &pct) && pct > a->untried_pct)
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
