/*
 * The report for people.  For each progress point it has a sentence on what to optimise
 * (report_lead.c), a row for each region (report_table.c), notes on single rows
 * (report_below.c), and the number of visits (report_point.c).  At the end it has a
 * description of the recording (report_setup.c), and notes on all points
 * (report_end.c).
 *
 * The rows are in this order, which is not that of the records, whose first regions
 * are the best bets.  First come regions with a verdict, then those with not enough
 * data for one, both by impact, the greatest first.  Last come regions without an
 * interval that could be printed, by their share of the CPU samples, then by that of
 * blocked time.  Equal rows are in the order of names.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/report.h"
#include "report/report_parts.h"
#include "text/prose.h"

/* Waiting with a smaller part of the threads' time is not shown. */
#define LEAST_WAITING 0.01

/* Rows that are shown whatever they say, if they have so much of the samples. */
enum { USUAL_ROWS = 20 };
static const double LEAST_SHARE_PCT = 0.5; /* less is printed as <1 % */

static enum report_class class_of(const struct impact *im)
{
	if (!report_knows_slope(im))
		return REPORT_UNKNOWN;
	return im->verdict == VERDICT_NOT_ENOUGH_DATA ? REPORT_UNSURE : REPORT_JUDGED;
}

/* Compares in descending order, with unknown values last. */
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

/* NAN also where threads hardly waited: 84 % of a few milliseconds, beside 100 % of the CPU, would look like much. */
static double waiting_share(const struct profile *p, const struct profile_region *region)
{
	struct profile_spent all = impact_spent_in_all(p);

	return all.blocked < LEAST_WAITING * (all.cpu + all.blocked) ? NAN : impact_blocked_share(p, region);
}

static bool has_no_effect(const struct report_row *row)
{
	return row->im->verdict == VERDICT_NONE || row->im->verdict == VERDICT_NOT_ENOUGH_DATA;
}

/* Has hardly a sample hit the region?  Then nobody looks for it, unless there was an experiment with it. */
static bool is_trifle(const struct report_row *row)
{
	return has_no_effect(row) && row->im->combined == COMBINED_ALONE && row->cpu_pct < LEAST_SHARE_PCT &&
	       !(row->blocked_pct >= LEAST_SHARE_PCT);
}

/*
 * All that have an effect, and others while there are few: a profile of jq has 59 regions, of which nine have one.  Of the others,
 * those at the end are left out that hardly a sample hit: in a profile of grep, seven of 21.
 */
static size_t rows_that_matter(const struct report *r)
{
	size_t n = r->nrows;

	while (n > USUAL_ROWS && has_no_effect(&r->row[n - 1]))
		n--;
	while (n > 1 && is_trifle(&r->row[n - 1]))
		n--;
	return n;
}

void report_take_rows(struct report *r, size_t top)
{
	const struct impact_point *p = r->point;

	r->row = xcalloc(p->nimpacts + 1, sizeof *r->row);
	r->nrows = p->nimpacts;
	for (size_t i = 0; i < p->nimpacts; i++) {
		const struct profile_region *region = p->impact[i].region;

		r->row[i] = (struct report_row){ &p->impact[i], class_of(&p->impact[i]), impact_share(r->a->profile, region),
						 waiting_share(r->a->profile, region) };
	}
	qsort(r->row, r->nrows, sizeof *r->row, compare_rows);
	r->nshown = top == REPORT_ALL ? rows_that_matter(r) : r->nrows < top ? r->nrows : top;
}

static void add_point(struct report *r, size_t top)
{
	report_take_rows(r, top);
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
