/* rows: makes the rows of a report from comparisons. */
#include "diff/comparisons.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/cli.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/text.h"
#include "diff/environment.h"

/* Differences are judged with all digits, and written with six. */
static void set_real(struct row *row, enum row_real key, double x)
{
	row->real[key] = isfinite(x) ? num_round(x) : NAN;
}

static void set_interval(struct row *row, enum row_real first, double value, double lo, double hi)
{
	set_real(row, first, value);
	set_real(row, (enum row_real)(first + 1), lo);
	set_real(row, (enum row_real)(first + 2), hi);
}

/* Converts from logarithms of times.  Without an interval, its ends are unknown, not 0 and infinite. */
static void set_times(struct row *row, enum row_real first, const struct estimate *e)
{
	bool bounded = isfinite(e->lo) && isfinite(e->hi);

	set_interval(row, first, exp(e->value), bounded ? exp(e->lo) : NAN, bounded ? exp(e->hi) : NAN);
}

/* Converts to a change of the rate, as readers expect: faster is more. */
static void set_rate(struct row *row, const struct estimate *d)
{
	bool bounded = isfinite(d->lo) && isfinite(d->hi);

	set_interval(row, REAL_PCT, 100 * expm1(-d->value), bounded ? 100 * expm1(-d->hi) : NAN, bounded ? 100 * expm1(-d->lo) : NAN);
}

static void set_estimate(struct row *row, enum row_real first, const struct estimate *e, double scale)
{
	set_interval(row, first, scale * e->value, scale * e->lo, scale * e->hi);
}

/* If there are enough runs, and they tell too little, more runs are not the remedy. */
static void set_needed(struct row *row, const struct point_pair *p, size_t needed)
{
	if (needed && (row->change != CHANGE_INSUFFICIENT || p->recorded < COMPARE_MIN_RUNS))
		set_real(row, REAL_NEEDED, (double)needed);
}

static void set_test(struct row *row, const struct point_pair *p, const struct comparison *c, double q,
		     const struct change_rule *rule, double margin_pct)
{
	row_set(row, TEXT_DESIGN, design_name(c->design));
	set_needed(row, p, change_needs(c, q, rule));
	if (c->design == DESIGN_NONE)
		return;
	set_real(row, REAL_P, isfinite(c->difference.se) ? c->difference.p : NAN);
	set_real(row, REAL_Q, q);
	set_real(row, REAL_MARGIN_PCT, margin_pct);
	set_real(row, REAL_BASE_RUNS, (double)c->base_runs);
	set_real(row, REAL_HEAD_RUNS, (double)c->head_runs);
	set_real(row, REAL_UNITS, (double)c->units);
}

/* Only a change has a direction. */
static void set_direction(struct row *row, bool slower)
{
	if (row->change <= CHANGE_MINOR)
		row_set(row, TEXT_DIRECTION, slower ? "slower" : "faster");
}

static void note_noise(struct row *row, const struct comparison *c)
{
	if (c->design == DESIGN_WITHIN && !c->over_runs)
		row_set(row, TEXT_NOTE, "noise inside runs alone: says nothing about other runs");
}

static void add_point(struct report *r, const struct point_pair *p, const struct comparisons_options *o)
{
	const struct comparison *c = &p->period;
	struct change_rule rule = comparisons_point_rule(o);
	struct row *row = report_add(r, ROW_POINT);

	row_set(row, TEXT_POINT, p->base->found->name);
	row_judge(row, p->change);
	set_direction(row, c->difference.value > 0);
	set_test(row, p, c, p->q, &rule, o->margin_pct);
	set_times(row, REAL_BASE_NS, &c->base);
	set_times(row, REAL_HEAD_NS, &c->head);
	set_rate(row, &c->difference);
	set_real(row, REAL_MDE_PCT, 100 * expm1(c->mde));
	note_noise(row, c);
}

static char *curve_text(const struct finding *f)
{
	struct buf b = BUF_INIT;

	if (!f->n)
		return NULL;
	for (size_t i = 0; i < f->n; i++)
		buf_addf(&b, "%s%g:%.4g", i ? " " : "", f->curve[i].speedup_pct, f->curve[i].program_pct);
	return buf_detach(&b);
}

static void set_curve(struct row *row, enum row_text key, const struct finding *f)
{
	char *text = curve_text(f);

	row_set(row, key, text);
	free(text);
}

/* The columns for a region in the analysis of one side; ns and slope with their intervals. */
static const struct columns {
	enum row_text file, impact, curve;
	enum row_real line, share, ns, slope;
} BASE = { TEXT_BASE_FILE, TEXT_BASE_IMPACT, TEXT_BASE_CURVE, REAL_BASE_LINE, REAL_BASE_SHARE_PCT, REAL_BASE_NS, REAL_BASE_SLOPE },
  HEAD = { TEXT_FILE, TEXT_HEAD_IMPACT, TEXT_HEAD_CURVE, REAL_LINE, REAL_HEAD_SHARE_PCT, REAL_HEAD_NS, REAL_HEAD_SLOPE };

static void set_side(struct row *row, const struct columns *at, const struct finding *f)
{
	row_set(row, at->file, f->file);
	row_set(row, at->impact, f->verdict);
	set_real(row, at->line, f->line);
	set_real(row, at->share, f->share_pct);
	set_interval(row, at->ns, f->cost_ns, f->cost_lo, f->cost_hi);
	set_interval(row, at->slope, f->slope, f->slope_lo, f->slope_hi);
	set_curve(row, at->curve, f);
}

/* The row of a region.  One of them is NULL if only the other side has it.  Names are head's, if head has it. */
static struct row *add_region(struct report *r, const struct point_pair *p, const struct finding *base, const struct finding *head)
{
	const struct finding *named = head ? head : base;
	struct row *row = report_add(r, ROW_REGION);

	row_set(row, TEXT_POINT, p->base->found->name);
	row_set(row, TEXT_REGION, named->region);
	row_set(row, TEXT_SCOPE, named->scope);
	row_set(row, TEXT_FUNCTION, named->function);
	if (base) {
		row_set(row, TEXT_BASE_REGION, base->region);
		set_side(row, &BASE, base);
	}
	if (head)
		set_side(row, &HEAD, head);
	return row;
}

static void set_shift(struct row *row, size_t shift)
{
	if (shift)
		row->real[REAL_SHIFT] = (double)shift;
}

/* For a change of a region: it is no regression if the whole program is known to be as fast as before, or faster. */
static void set_point_not_slower(struct row *row, const struct point_pair *p, const struct comparisons_options *o)
{
	struct change_rule rule = comparisons_point_rule(o);

	if (row->change <= CHANGE_LIKELY && change_is_below(&p->period, &rule))
		row->real[REAL_POINT_NOT_SLOWER] = 1;
}

static void add_pair(struct report *r, const struct point_pair *p, const struct pair *pair, const struct comparisons_options *o)
{
	const struct comparison *c = &pair->cost;
	struct change_rule rule = comparisons_region_rule(p, o);
	struct row *row = add_region(r, p, pair->base->found, pair->head->found);
	double pct = 100 / p->base_ns;

	row_judge(row, pair->change);
	set_point_not_slower(row, p, o);
	set_direction(row, c->difference.value > 0);
	row_set(row, TEXT_MATCH, match_kind_name(pair->kind));
	set_real(row, REAL_CONFIDENCE, pair->confidence);
	set_test(row, p, c, pair->q, &rule, comparisons_region_margin_pct(o));
	if (c->design != DESIGN_NONE) {
		set_estimate(row, REAL_BASE_NS, &c->base, 1);
		set_estimate(row, REAL_HEAD_NS, &c->head, 1);
		set_estimate(row, REAL_BASE_SLOPE, &pair->slope.base, 1);
		set_estimate(row, REAL_HEAD_SLOPE, &pair->slope.head, 1);
		set_estimate(row, REAL_DELTA_NS, &c->difference, 1);
		set_estimate(row, REAL_PCT, &c->difference, pct);
		set_estimate(row, REAL_SLOPE_DELTA, &pair->slope.difference, 1);
		set_real(row, REAL_SLOPE_P, isfinite(pair->slope.difference.se) ? pair->slope.difference.p : NAN);
		set_real(row, REAL_MDE_PCT, c->mde * pct);
	}
	set_shift(row, pair->shift);
	if (pair->confidence < MATCH_SURE)
		row_set(row, TEXT_NOTE, "it is not certain that the two are the same code");
	else
		note_noise(row, c);
}

static void add_lone(struct report *r, const struct point_pair *p, const struct lone *lone, bool head)
{
	const struct finding *f = lone->region->found;
	struct row *row = add_region(r, p, head ? NULL : f, head ? f : NULL);

	row_judge(row, !lone->matters ? CHANGE_UNMATCHED : head ? CHANGE_NEW : CHANGE_VANISHED);
	set_real(row, REAL_Q, f->q);
	set_interval(row, REAL_PCT, 100 * f->cost_ns / p->base_ns, 100 * f->cost_lo / p->base_ns, 100 * f->cost_hi / p->base_ns);
	set_shift(row, lone->shift);
	if (lone->shift)
		row_set(row, TEXT_DIRECTION, head ? "slower" : "faster");
}

/* ---- order of rows ---------------------------------------------------------- */

static int class_of(const struct row *row)
{
	static const int class[] = {
		[CHANGE_CHANGED] = 0, [CHANGE_LIKELY] = 2,       [CHANGE_NEW] = 4,          [CHANGE_VANISHED] = 5,  [CHANGE_MINOR] = 6,
		[CHANGE_INCONCLUSIVE] = 8, [CHANGE_UNCHANGED] = 9, [CHANGE_INSUFFICIENT] = 10, [CHANGE_UNMATCHED] = 11,
	};

	return class[row->change] + (row->change <= CHANGE_MINOR && !row_is_worse(row));
}

static int by_weight(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;
	double x = fabs(a->real[REAL_PCT]), y = fabs(b->real[REAL_PCT]);
	int by;

	if (a->kind != b->kind)
		return a->kind == ROW_POINT ? -1 : 1;
	if ((by = class_of(a) - class_of(b)))
		return by;
	x = isnan(x) ? -1 : x;
	y = isnan(y) ? -1 : y;
	if (x < y || x > y)
		return x > y ? -1 : 1;
	if ((by = text_order(a->text[TEXT_REGION], b->text[TEXT_REGION])))
		return by;
	return text_order(a->text[TEXT_BASE_REGION], b->text[TEXT_BASE_REGION]);
}

static void add_comparison(struct report *r, const struct point_pair *p, const struct comparisons_options *o)
{
	size_t first = r->n;

	add_point(r, p, o);
	for (size_t i = 0; i < p->npairs; i++)
		add_pair(r, p, &p->pair[i], o);
	for (int head = 0; head < 2; head++)
		for (size_t i = 0; i < p->nlone[head]; i++)
			add_lone(r, p, &p->lone[head][i], head);
	qsort(r->row + first, r->n - first, sizeof *r->row, by_weight);
}

/* ---- properties of the comparison ------------------------------------------------------------ */

static void add_number(struct report *r, const char *name, double x)
{
	char *text = xasprintf("%g", x);

	report_meta(r, name, text);
	free(text);
}

static bool is_paired(const struct comparisons *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->point[i].period.design == DESIGN_PAIRED)
			return true;
	return false;
}

/* Is each run of one side in the other, too? */
static bool same_runs(const struct side *base, const struct side *head)
{
	size_t same = 0;

	for (size_t i = 0; i < base->found.nruns; i++)
		for (size_t k = 0; k < head->found.nruns; k++)
			same += base->found.run[i].started_ns == head->found.run[k].started_ns &&
				!text_order(base->found.run[i].host, head->found.run[k].host);
	return same && same >= base->found.nruns;
}

static void note_doubt(struct report *r, const struct side *s, const char *which)
{
	for (size_t i = 0; i < s->npoints; i++)
		for (size_t k = 0; k < s->point[i].nregions; k++)
			if (s->point[i].region[k].found->doubt) {
				report_note(r, "doubt", "warnings of the recording of %s undermine its impacts: %s", which,
					    s->point[i].region[k].found->doubt);
				return;
			}
}

static void note_points(struct report *r, const struct side *a, const struct side *b, const char *which)
{
	for (size_t i = 0; i < a->npoints; i++)
		if (!side_point(b, a->point[i].found->name))
			report_note(r, "point", "the progress point '%s' is in %s alone", a->point[i].found->name, which);
}

/* From this share of lost windows on, the loss is the reason for too little data. */
static const double MUCH_DISTURBED = 0.25;

static void note_disturbed(struct report *r, const struct side *s, const char *which)
{
	double windows = 0, disturbed = 0;

	for (size_t i = 0; i < s->found.nruns; i++) {
		windows += s->found.run[i].windows;
		disturbed += s->found.run[i].disturbed;
	}
	if (disturbed > 0 && disturbed >= MUCH_DISTURBED * windows)
		report_note(r, "disturbed", "%.0f of %.0f windows of %s were set aside, as other programs or the hypervisor took the "
			    "processors: a quieter machine, or longer recordings", disturbed, windows, which);
}

static void count_scopes(const struct side_point *p, size_t *lines, size_t *functions)
{
	*lines = *functions = 0;
	for (size_t i = 0; i < p->nregions; i++) {
		*lines += text_same(p->region[i].found->scope, "line");
		*functions += text_same(p->region[i].found->scope, "function");
	}
}

/* Without debug information, regions are functions or addresses, and the same code may not be found again. */
static void note_no_lines(struct report *r, const struct point_pair *p)
{
	size_t lines[2], functions[2];

	count_scopes(p->base, &lines[0], &functions[0]);
	count_scopes(p->head, &lines[1], &functions[1]);
	for (int s = 0; s < 2; s++)
		if (lines[1 - s] && !lines[s] && functions[s]) {
			report_note(r, "no-lines", "regions of %s are functions, those of %s are lines: was %s built without -g?", s ? "head" : "base",
				    s ? "base" : "head", s ? "head" : "base");
			return;
		}
	if (!p->npairs && functions[0] && functions[1] && !lines[0] && !lines[1])
		report_note(r, "no-lines", "no region of base is found in head, and neither has lines: build both with -g");
}

static void add_circumstances(struct report *r, const struct side *base, const struct side *head, const struct comparisons *c,
			      const struct comparisons_options *o)
{
	report_meta(r, REPORT_NAME, REPORT_VERSION);
	report_meta(r, "version", ANDWEORC_VERSION);
	report_meta(r, "base_commit", side_commit(base));
	report_meta(r, "head_commit", side_commit(head));
	add_number(r, "base_runs", (double)base->found.nruns);
	add_number(r, "head_runs", (double)head->found.nruns);
	add_number(r, "margin_pct", o->margin_pct);
	if (o->region_margin_pct > 0)
		add_number(r, "region_margin_pct", o->region_margin_pct);
	add_number(r, "q", CHANGE_Q);
	if (o->within_run)
		report_meta(r, "within_run", "1");
	environment_compare(r, base, head, is_paired(c));
	if (same_runs(base, head))
		report_note(r, "same-runs", "base and head are the same runs");
	note_disturbed(r, base, "base");
	note_disturbed(r, head, "head");
	for (size_t i = 0; i < c->n; i++)
		note_no_lines(r, &c->point[i]);
	note_doubt(r, base, "base");
	note_doubt(r, head, "head");
	note_points(r, base, head, "base");
	note_points(r, head, base, "head");
}

bool comparisons_report(struct report *r, const struct side *base, const struct side *head, const struct comparisons_options *o)
{
	struct comparisons c;

	comparisons_init(&c, base, head, o);
	if (!c.n && o->point)
		msg_error("the progress point '%s' is not in both analyses", o->point);
	else if (!c.n)
		msg_error("the analyses have no progress point in common");
	if (c.n) {
		add_circumstances(r, base, head, &c, o);
		for (size_t i = 0; i < c.n; i++)
			add_comparison(r, &c.point[i], o);
	}
	comparisons_release(&c);
	return r->n > 0;
}
