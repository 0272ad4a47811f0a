/*
 * report_lead: the first sentences of the report.  They state only what verdicts and
 * intervals support: a region without a verdict is at most a candidate.
 */
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/region_class.h"
#include "text/prose.h"

/* From this share of the samples on, a function is nearly all of the program. */
static const double NEARLY_ALL_PCT = 90;

static void add_name(struct buf *b, const struct profile_region *region)
{
	const char *words = region_is_class(region->scope) ? region_class_words(region->symbol) : NULL;
	struct buf name = BUF_INIT;
	char *text;

	report_name(&name, region);
	text = report_short(name.s, !region_is_line(region->scope), prose_page().columns / 2); /* longer words would not be broken */
	buf_addf(b, words ? "%s (%s)" : "%s", text, words);
	buf_release(&name);
	free(text);
}

static bool has_value(const struct report_row *row)
{
	return row->class == REPORT_JUDGED && row->im->verdict <= VERDICT_LOW;
}

/* Nearly the whole run is inside of the function, for example because main only calls it.  Its impact says nothing new. */
static bool is_nearly_all(const struct report_row *row)
{
	return row->im->region->scope && !strcmp(row->im->region->scope, "function") && row->cpu_pct >= NEARLY_ALL_PCT;
}

/*
 * The first row with a certain gain; NULL if there is none.  A function that is nearly all of the run is taken only if all
 * others are worth little.
 */
static const struct report_row *best_of(const struct report *r)
{
	const struct report_row *best = NULL;

	for (size_t i = 0; i < r->nrows; i++) {
		const struct report_row *row = &r->row[i];

		if (!has_value(row))
			continue;
		if (!is_nearly_all(row) && row->im->verdict < VERDICT_LOW)
			return row;
		if (!best)
			best = row;
	}
	return best;
}

static const struct report_row *hottest_of(const struct report *r)
{
	const struct report_row *hot = NULL;

	for (size_t i = 0; i < r->nrows; i++)
		if (r->row[i].cpu_pct > (hot ? hot->cpu_pct : 0))
			hot = &r->row[i];
	return hot;
}

/* The region with the greatest lower end of its interval, if that is not the best region itself. */
static const struct report_row *surest_of(const struct report *r, const struct report_row *best)
{
	const struct report_row *surest = best;

	for (size_t i = 0; i < r->nrows; i++)
		if (has_value(&r->row[i]) && !is_nearly_all(&r->row[i]) && r->row[i].im->effect.fit.slope.lo > surest->im->effect.fit.slope.lo)
			surest = &r->row[i];
	return surest == best ? NULL : surest;
}

static size_t count_verdicts(const struct report *r, enum verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nrows; i++)
		n += r->row[i].class == REPORT_JUDGED && r->row[i].im->verdict == verdict;
	return n;
}

static const struct report_row *worst_of(const struct report *r)
{
	const struct report_row *worst = NULL;

	for (size_t i = 0; i < r->nrows; i++)
		if (r->row[i].class == REPORT_JUDGED && r->row[i].im->verdict == VERDICT_HARMFUL)
			worst = &r->row[i];
	return worst;
}

static void add_impact(struct buf *b, const struct report_row *row)
{
	const struct estimate *slope = &row->im->effect.fit.slope;

	prose_add_interval(b, slope->value, slope->lo, slope->hi, 2);
}

/* Warnings that all results may be wrong, in a way that intervals do not show. */
static void add_doubt(const struct report *r, struct buf *b, const struct report_row *best)
{
	bool out_of_range = best && (best->im->effect.notes & CAUSAL_OUT_OF_RANGE);
	size_t n = r->a->nundermined;

	if (!n && !out_of_range)
		return;
	buf_adds(b, "In doubt (");
	for (size_t i = 0; i < n; i++)
		buf_addf(b, "%s%s", i ? ", " : "", r->a->undermined[i]);
	buf_addf(b, "%s%s): ", n && out_of_range ? ", " : "", out_of_range ? "out-of-range" : "");
}

/* The gain from 10 % less time in the region, because 100 % is not realistic. */
static void add_work(const struct report *r, struct buf *b, const struct report_row *best)
{
	const struct causal_effect *e = &best->im->effect;

	buf_adds(b, best->im->verdict == VERDICT_LOW ? "There is little to gain. The best is " : "Work on ");
	add_name(b, best->im->region);
	if (!profile_region_has_name(best->im->region))
		buf_adds(b, " (debug files would tell its name)");
	buf_adds(b, ": 10 % off its time takes ");
	prose_add_number(b, 10 * e->fit.slope.value, 1);
	buf_adds(b, " % off ");
	report_measure(b, r->point);
	buf_adds(b, " (");
	prose_add_number(b, 10 * e->fit.slope.lo, 1);
	buf_adds(b, " to ");
	prose_add_number(b, 10 * e->fit.slope.hi, 1);
	buf_adds(b, ", 95 % interval)");
	if (!isnan(e->knee))
		buf_addf(b, "; that holds up to about %.0f %%", 100 * e->knee);
	buf_addc(b, '.');
}

static void add_kind(struct buf *b, const struct profile_region *region)
{
	buf_adds(b, region_is_line(region->scope) ? "line" : "region");
}

/* The region with the most certain impact, which may be smaller than the greatest estimate. */
static void add_surest(struct buf *b, const struct report_row *surest, const struct report_row *hot)
{
	add_name(b, surest->im->region);
	if (surest == hot) {
		buf_adds(b, ", the hottest ");
		add_kind(b, hot->im->region);
		buf_addf(b, " with %.0f %% of the CPU samples,", hot->cpu_pct);
	}
	buf_adds(b, " is the surer bet: its impact is ");
	add_impact(b, surest);
	buf_adds(b, ". ");
}

/* The hottest region of an ordinary profile, and its verdict. */
static void add_hottest(struct buf *b, const struct report_row *hot)
{
	buf_adds(b, "The hottest ");
	add_kind(b, hot->im->region);
	buf_adds(b, ", ");
	add_name(b, hot->im->region);
	buf_addf(b, ", has %.0f %% of the CPU samples", hot->cpu_pct);
	if (hot->class == REPORT_UNKNOWN) {
		buf_adds(b, ", but its impact is not known.");
		return;
	}
	if (report_is_below_share(hot))
		buf_adds(b, ", but its impact is less: ");
	else if (hot->class == REPORT_UNSURE)
		buf_adds(b, ", but there is not enough data for a verdict: ");
	else if (hot->im->verdict == VERDICT_HARMFUL)
		buf_adds(b, ", but it is harmful: ");
	else if (hot->im->verdict == VERDICT_NONE)
		buf_adds(b, ", but is not a bottleneck: ");
	else
		buf_adds(b, " and an impact of ");
	add_impact(b, hot);
	buf_addc(b, '.');
}

/* Beside the best region: the surest, and the hottest.  "It" is the best one, so that sentence comes first. */
static void add_others(const struct report *r, struct buf *b, const struct report_row *best)
{
	const struct report_row *surest = surest_of(r, best), *hot = hottest_of(r);
	/* with doubts, the report does not say that a hot line has no effect */
	bool told = hot && !r->a->nundermined;

	if (told && hot == best) {
		buf_adds(b, "It is the hottest ");
		add_kind(b, hot->im->region);
		buf_addf(b, ", too, with %.0f %% of the CPU samples. ", hot->cpu_pct);
	}
	if (surest)
		add_surest(b, surest, hot);
	if (told && hot != best && hot != surest)
		add_hottest(b, hot);
}

static void add_harmful(const struct report *r, struct buf *b)
{
	const struct report_row *worst = worst_of(r);

	if (!worst)
		return;
	buf_addc(b, ' ');
	add_name(b, worst->im->region);
	buf_addf(b, " is harmful: the faster it runs, the longer %s takes. Its impact is ", r->point->latency ? "a span"
		 : r->point->whole ? "a run" : "a visit");
	add_impact(b, worst);
	buf_addc(b, '.');
}

/* All regions have verdicts, and none has a gain. */
static void add_nothing(const struct report *r, struct buf *b)
{
	if (r->nrows == 1)
		buf_adds(b, "The only region that was tried does not limit ");
	else
		buf_addf(b, "No region of the %zu that were tried limits ", r->nrows);
	report_measure(b, r->point);
	buf_addf(b, ": the 95 %% interval of %s impact lies below %.1f.", r->nrows == 1 ? "its" : "each", VERDICT_MODERATE_SLOPE);
	add_harmful(r, b);
	/* In a flat profile, no line is worth much. */
	if (!worst_of(r) && region_is_line(r->row[0].im->region->scope))
		buf_adds(b, " A function, with all that it calls, may be worth more: record with -m function.");
}

/* The first region without a verdict has the greatest estimated impact. */
static void add_candidate(const struct report *r, struct buf *b)
{
	size_t worthless = count_verdicts(r, VERDICT_NONE);
	const struct report_row *row = r->row + worthless + count_verdicts(r, VERDICT_HARMFUL);

	buf_adds(b, "Not enough data to say what limits ");
	report_measure(b, r->point);
	buf_adds(b, row->class != REPORT_UNSURE ? ". The impact is not known yet of "
		 : row->im->effect.fit.slope.value > 0 ? ". The likeliest region is " : ". No region looks likely. The first is ");
	add_name(b, row->im->region);
	if (row->class == REPORT_UNSURE) {
		buf_adds(b, ": ");
		add_impact(b, row);
	}
	if (row->im->need)
		buf_addf(b, "; it needs %s", row->im->need);
	buf_addc(b, '.');
	if (worthless)
		buf_addf(b, " %zu of the %zu regions that were tried %s no bottleneck.", worthless, r->nrows, worthless == 1 ? "is" : "are");
	add_harmful(r, b);
}

/* The first sentences; those of the best region where there is one. */
static void add_first(const struct report *r, struct buf *b, const struct report_row *best)
{
	add_doubt(r, b, best);
	if (best) {
		add_work(r, b, best);
	} else if (!r->nrows) {
		buf_adds(b, "No region was tried, so nothing is known of what limits ");
		report_measure(b, r->point);
		buf_addc(b, '.');
	} else if (r->row[r->nrows - 1].class == REPORT_JUDGED) {
		add_nothing(r, b);
	} else {
		add_candidate(r, b);
	}
}

void report_lead(struct report *r)
{
	const struct report_row *best = best_of(r);
	struct buf first = BUF_INIT, others = BUF_INIT;

	add_first(r, &first, best);
	if (best)
		add_others(r, &others, best);
	buf_adds(&r->out, r->colour ? "\033[1m" : "");
	prose_wrap(&r->out, "", "", "%s", first.s);
	if (r->colour) {
		r->out.s[--r->out.len] = '\0'; /* before the end of the line */
		buf_adds(&r->out, "\033[0m\n");
	}
	if (others.len)
		prose_wrap(&r->out, "", "", "%s", others.s);
	buf_release(&first);
	buf_release(&others);
}
