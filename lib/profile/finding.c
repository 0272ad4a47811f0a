#include "profile/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "format.h"
#include "format/record.h"

void findings_init(struct findings *a)
{
	*a = (struct findings){ .points = MAP_INIT };
}

static void finding_free(struct finding *m)
{
	free(m->region);
	free(m->scope);
	free(m->module);
	free(m->function);
	free(m->symbol);
	free(m->file);
	free(m->line_hash);
	free(m->context_hash);
	free(m->function_hash);
	free(m->basis);
	free(m->verdict);
	free(m->need);
	free(m->curve);
	free(m);
}

static void point_free(struct found_point *p)
{
	for (size_t i = 0; i < p->regions.n; i++)
		finding_free(p->regions.entry[i].value);
	map_release(&p->regions);
	free(p->name);
	free(p);
}

void findings_release(struct findings *a)
{
	for (size_t i = 0; i < a->points.n; i++)
		point_free(a->points.entry[i].value);
	map_release(&a->points);
	free(a->command);
	free(a->tool);
	free(a->warning);
	findings_init(a);
}

const struct found_point *findings_point(const struct findings *a, const char *name)
{
	return map_get(&a->points, name);
}

const struct finding *found_point_region(const struct found_point *p, const char *region)
{
	return map_get(&p->regions, region);
}

bool finding_is_known(const struct finding *m)
{
	return m->verdict && strcmp(m->verdict, "not-enough-data") && !isnan(m->slope);
}

/* Nothing known: what a record leaves out stays so. */
static const struct finding UNKNOWN = {
	.line = NAN,
	.function_line = NAN,
	.share_pct = NAN,
	.blocked_pct = NAN,
	.slope = NAN,
	.slope_lo = NAN,
	.slope_hi = NAN,
	.max_useful_pct = NAN,
	.runs = NAN,
};

/* The place that both record types fill, made when it is new. */
static struct finding *finding_at(struct findings *a, const char *point, const char *region)
{
	void **slot = map_at(&a->points, point);
	struct found_point *p = *slot;
	struct finding *m;

	if (!p) {
		*slot = p = xcalloc(1, sizeof *p);
		p->name = xstrdup(point);
	}
	slot = map_at(&p->regions, region);
	m = *slot;
	if (!m) {
		*slot = m = xcalloc(1, sizeof *m);
		*m = UNKNOWN;
		m->region = xstrdup(region);
	}
	return m;
}

static char *text(struct record *rec, const char *key)
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

	/* Every bad field of the line is worth its message. */
	good &= record_need_str(rec, "point", &point);
	good &= record_need_str(rec, "region", &region);
	good &= record_need_str(rec, "verdict", &verdict);
	good &= record_opt_real(rec, "line", &v.line);
	good &= record_opt_real(rec, "function_line", &v.function_line);
	good &= record_opt_real(rec, "share_pct", &v.share_pct);
	good &= record_opt_real(rec, "blocked_pct", &v.blocked_pct);
	good &= record_opt_real(rec, "slope", &v.slope);
	good &= record_opt_real(rec, "slope_lo", &v.slope_lo);
	good &= record_opt_real(rec, "slope_hi", &v.slope_hi);
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
	v.scope = text(rec, "scope");
	v.module = text(rec, "module");
	v.function = text(rec, "function");
	v.symbol = text(rec, "symbol");
	v.file = text(rec, "file");
	v.line_hash = text(rec, "line_hash");
	v.context_hash = text(rec, "context_hash");
	v.function_hash = text(rec, "function_hash");
	v.basis = text(rec, "basis");
	v.verdict = xstrdup(verdict);
	v.need = text(rec, "need");
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
	/* At 0 the gain is 0 by definition; without a gain it was measured, and not often enough for a number. */
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

bool findings_read(struct findings *a, const char *path)
{
	struct reader *r = reader_open(path);
	struct record rec;

	if (!r)
		return false;
	while (reader_next(r, &rec)) {
		if (!strcmp(rec.type, AW_IMPACT)) {
			read_impact(a, &rec);
		} else if (!strcmp(rec.type, AW_CURVE)) {
			read_curve(a, &rec);
		} else if (!strcmp(rec.type, AW_RUN) && !a->command) {
			a->command = text(&rec, "command");
		} else if (!strcmp(rec.type, AW_WARNING) && !a->warning) {
			a->warning = text(&rec, "text");
		} else if (!strcmp(rec.type, AW_HEADER)) {
			free(a->tool);
			a->tool = text(&rec, "tool");
		}
	}
	return reader_close(r);
}
