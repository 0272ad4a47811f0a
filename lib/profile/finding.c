#include "profile/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "format.h"
#include "format/record.h"

void analysis_init(struct analysis *a)
{
	*a = (struct analysis){ .points = MAP_INIT };
}

static void impact_free(struct impact *m)
{
	free(m->region);
	free(m->function);
	free(m->file);
	free(m->basis);
	free(m->verdict);
	free(m->need);
	free(m->curve);
	free(m);
}

static void point_free(struct point *p)
{
	for (size_t i = 0; i < p->impacts.n; i++)
		impact_free(p->impacts.entry[i].value);
	map_release(&p->impacts);
	free(p->name);
	free(p);
}

void analysis_release(struct analysis *a)
{
	for (size_t i = 0; i < a->points.n; i++)
		point_free(a->points.entry[i].value);
	map_release(&a->points);
	free(a->command);
	free(a->tool);
	analysis_init(a);
}

const struct point *analysis_point(const struct analysis *a, const char *name)
{
	return map_get(&a->points, name);
}

const struct impact *point_impact(const struct point *p, const char *region)
{
	return map_get(&p->impacts, region);
}

/* The place that both record types fill, made when it is new. */
static struct impact *impact_at(struct analysis *a, const char *point, const char *region)
{
	struct point **p = (struct point **)map_at(&a->points, point);
	struct impact **m;

	if (!*p) {
		*p = xcalloc(1, sizeof **p);
		(*p)->name = xstrdup(point);
	}
	m = (struct impact **)map_at(&(*p)->impacts, region);
	if (!*m) {
		*m = xcalloc(1, sizeof **m);
		**m = (struct impact){ .region = xstrdup(region), .line = NAN, .share_pct = NAN, .slope = NAN, .slope_lo = NAN,
				       .slope_hi = NAN, .max_useful_pct = NAN, .runs = NAN };
	}
	return *m;
}

static char *text(struct record *rec, const char *key)
{
	const char *s = record_get(rec, key);

	return s ? xstrdup(s) : NULL;
}

static void read_impact(struct analysis *a, struct record *rec)
{
	struct impact v = { .line = NAN, .share_pct = NAN, .slope = NAN, .slope_lo = NAN, .slope_hi = NAN,
			    .max_useful_pct = NAN, .runs = NAN };
	const char *point, *region, *verdict;
	struct impact *m;

	/* Not short-circuited: every bad field of the line is worth its message. */
	if (!record_need_str(rec, "point", &point) | !record_need_str(rec, "region", &region) |
	    !record_need_str(rec, "verdict", &verdict) | !record_opt_real(rec, "line", &v.line) |
	    !record_opt_real(rec, "share_pct", &v.share_pct) | !record_opt_real(rec, "slope", &v.slope) |
	    !record_opt_real(rec, "slope_lo", &v.slope_lo) | !record_opt_real(rec, "slope_hi", &v.slope_hi) |
	    !record_opt_real(rec, "max_useful_pct", &v.max_useful_pct) | !record_opt_real(rec, "runs", &v.runs))
		return;
	m = impact_at(a, point, region);
	if (m->verdict) {
		msg_error_at(rec->path, rec->line, "second impact of region '%s' on point '%s'", region, point);
		return;
	}
	v.region = m->region;
	v.curve = m->curve;
	v.n = m->n;
	v.cap = m->cap;
	v.function = text(rec, "function");
	v.file = text(rec, "file");
	v.basis = text(rec, "basis");
	v.verdict = xstrdup(verdict);
	v.need = text(rec, "need");
	*m = v;
}

static void read_curve(struct analysis *a, struct record *rec)
{
	struct curve_point v = { .lo = NAN, .hi = NAN };
	const char *point, *region;
	struct impact *m;
	size_t i;

	if (!record_need_str(rec, "point", &point) | !record_need_str(rec, "region", &region) |
	    !record_need_real(rec, "speedup_pct", &v.speedup_pct) | !record_need_real(rec, "program_pct", &v.program_pct) |
	    !record_opt_real(rec, "lo", &v.lo) | !record_opt_real(rec, "hi", &v.hi))
		return;
	if (v.speedup_pct < 0 || v.speedup_pct > 100) {
		msg_error_at(rec->path, rec->line, "'speedup_pct' is %g, not within 0 and 100", v.speedup_pct);
		return;
	}
	m = impact_at(a, point, region);
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

bool analysis_read(struct analysis *a, const char *path)
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
		} else if (!strcmp(rec.type, AW_HEADER)) {
			free(a->tool);
			a->tool = text(&rec, "tool");
		}
	}
	return reader_close(r);
}
