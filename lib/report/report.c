/*
 * The report for people.  For each progress point: a sentence that says what to
 * work on (report_lead.c), a row for each region (report_table.c), what there is to
 * say of single rows (report_below.c), and how often the point was passed
 * (report_point.c).  At the end: what was recorded (report_setup.c), and what holds
 * for all points (report_end.c).
 *
 * The rows are in this order, which is not that of the records, whose first regions
 * are the best bets.  First come regions with a verdict, then those with not enough
 * data for one, both by impact, the greatest first.  Last come regions of which no
 * interval could be printed, by their share of the CPU samples, then by that of
 * blocked time.  What is equal is in the order of names.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/prose.h"
#include "report/report_parts.h"

/* Half of the widest interval that is printed. */
static const double WIDEST = 1;

bool report_knows_slope(const struct impact *im)
{
	const struct estimate *slope = &im->effect.fit.slope;

	return im->bounded && (slope->hi - slope->lo) / 2 <= WIDEST;
}

bool report_knows_gain(const struct estimate *gain)
{
	bool open = gain->lo <= 0 && gain->hi >= 0;

	if (!isfinite(gain->lo) || !isfinite(gain->hi) || (gain->hi - gain->lo) / 2 > WIDEST)
		return false;
	return !open || (gain->lo >= -WIDEST && gain->hi <= WIDEST);
}

void report_name(struct buf *b, const struct profile_region *r)
{
	bool is_line = r->scope && !strcmp(r->scope, "line");

	buf_adds(b, r->label);
	if (is_line && r->function && *r->function)
		buf_addf(b, " (%s)", r->function);
}

const char *report_visit(const struct impact_point *p)
{
	static const struct {
		const char *name, *visit;
	} automatic[] = {
		{ ":output", "byte written" },
		{ ":input", "byte read" },
		{ ":replies", "answer" },
		{ ":work", "microsecond of processor time" },
	};

	for (size_t i = 0; i < sizeof automatic / sizeof automatic[0]; i++)
		if (!strcmp(p->name, automatic[i].name))
			return automatic[i].visit;
	return NULL;
}

void report_measure(struct buf *b, const struct impact_point *p)
{
	const char *visit = report_visit(p);
	char *name = prose_short(p->name, prose_page().columns / 2);

	if (p->whole)
		buf_adds(b, "the run time");
	else if (!strcmp(p->name, ":work"))
		buf_adds(b, "the time that the same work takes");
	else if (visit)
		buf_addf(b, "the time per %s", visit);
	else if (p->latency)
		buf_addf(b, "the mean length of '%s'", name);
	else
		buf_addf(b, "the time per '%s'", name);
	free(name);
}

static enum report_class class_of(const struct impact *im)
{
	if (!report_knows_slope(im))
		return REPORT_UNKNOWN;
	return im->verdict == VERDICT_NOT_ENOUGH_DATA ? REPORT_UNSURE : REPORT_JUDGED;
}

/* Descending; what is not known is last. */
static int compare_down(double x, double y)
{
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x < y) - (x > y);
}

static int compare_rows(const void *va, const void *vb)
{
	const struct report_row *a = va, *b = vb;
	int by = (int)a->class - (int)b->class;

	if (!by && a->class != REPORT_UNKNOWN)
		by = compare_down(a->im->effect.fit.slope.value, b->im->effect.fit.slope.value);
	if (!by)
		by = compare_down(a->cpu_pct, b->cpu_pct);
	if (!by)
		by = compare_down(a->blocked_pct, b->blocked_pct);
	return by ? by : strcmp(a->im->region->label, b->im->region->label);
}

static void take_rows(struct report *r, size_t top)
{
	const struct impact_point *p = r->point;

	r->row = xcalloc(p->nimpacts + 1, sizeof *r->row);
	r->nrows = p->nimpacts;
	r->nshown = r->nrows < top ? r->nrows : top;
	for (size_t i = 0; i < p->nimpacts; i++) {
		const struct profile_region *region = p->impact[i].region;

		r->row[i] = (struct report_row){ &p->impact[i], class_of(&p->impact[i]), impact_share(r->a->profile, region),
						 impact_blocked_share(r->a->profile, region) };
	}
	qsort(r->row, r->nrows, sizeof *r->row, compare_rows);
}

static void add_point(struct report *r, size_t top)
{
	take_rows(r, top);
	report_lead(r);
	report_table(r);
	report_below(r);
	report_point(&r->out, r->point);
	buf_addc(&r->out, '\n');
	free(r->row);
}

void impact_write_report(const struct analysis *a, size_t top, bool colour, FILE *out)
{
	struct report r = { .a = a, .colour = colour };

	for (size_t i = 0; i < a->npoints; i++) {
		r.point = &a->point[i];
		add_point(&r, top);
	}
	if (!a->npoints)
		buf_adds(&r.out, "There is no result. The warnings below say why.\n\n");
	report_setup(&r.out, a->profile);
	report_end(&r.out, a);
	prose_print(&r.out, out);
	buf_release(&r.out);
}
