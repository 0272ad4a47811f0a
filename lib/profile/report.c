/*
 * The report for people: plain words, 100 columns, and the sample share of a
 * classical profile beside the impact, because the difference is the point.
 */
#include "profile/impact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/prose.h"
#include "profile/region_class.h"
#include "profile/report_parts.h"

struct report {
	const struct analysis *a;
	const struct impact_point *point; /* that is being reported on */
	struct buf out;
	bool colour;
};

static void add_bold(struct report *r, const char *text)
{
	buf_addf(&r->out, r->colour ? "\033[1m%s\033[0m" : "%s", text);
}

/* The bar for a gain between least and most; of numbers that nothing sensible leads to, the lowest. */
static const char *bar(double gain, double least, double most)
{
	static const char *const block[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	double height = round(7 * (gain - least) / (most - least));

	return block[height >= 0 && height <= 7 ? (size_t)height : 0];
}

/* Height by the gain; the first column is the baseline, so a curve that falls starts high. */
static void add_curve(struct report *r, const struct causal_effect *e)
{
	double most = 0.08, least = 0;

	for (size_t i = 0; i < e->nlevels; i++) {
		most = fmax(most, e->level[i].gain.value);
		least = fmin(least, e->level[i].gain.value);
	}
	if (least > -0.02)
		least = 0; /* noise about a flat start */
	buf_addf(&r->out, "    curve     %s", bar(0, least, most));
	for (size_t i = 0; i < e->nlevels; i++)
		buf_adds(&r->out, bar(e->level[i].gain.value, least, most));
	buf_addf(&r->out, "  %s gain at a region speedup of 0 to %.0f %%", r->point->latency ? "latency" : "program",
		 100 * e->level[e->nlevels - 1].s);
	if (!isnan(e->r2))
		buf_addf(&r->out, ", R2 %.2f", e->r2);
	buf_addc(&r->out, '\n');
}

/* The measured levels nearest to a quarter, a half and all. */
static void add_predictions(struct report *r, const struct causal_effect *e)
{
	static const double wanted[] = { 0.25, 0.5, 1 };
	size_t last = e->nlevels;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		const struct causal_level *level;
		size_t best = 0;

		for (size_t l = 1; l < e->nlevels; l++)
			if (fabs(e->level[l].s - wanted[i]) < fabs(e->level[best].s - wanted[i]))
				best = l;
		if (b.len && best == last)
			continue;
		last = best;
		level = &e->level[best];
		buf_addf(&b, "%s%.0f %%: %+.1f", b.len ? ", " : "", 100 * level->s, 100 * level->gain.value);
		if (isfinite(level->gain.lo))
			buf_addf(&b, " (%.1f to %.1f)", 100 * level->gain.lo, 100 * level->gain.hi);
	}
	prose_wrap(&r->out, r->point->latency ? "    latency   " : "    program   ", "              ", "%s", b.s);
	buf_release(&b);
}

/* The same of percentiles, per unit of speedup. */
static void add_percentiles(struct report *r, const struct percentile_effect *e)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < PERCENTILES; i++) {
		const struct estimate *slope = &e->slope[i];

		if (!isfinite(slope->value))
			continue;
		buf_addf(&b, "%sp%d: %.2f", b.len ? ", " : "", percentile_pct[i], slope->value);
		if (isfinite(slope->lo))
			buf_addf(&b, " (%.2f to %.2f)", slope->lo, slope->hi);
	}
	if (b.len)
		prose_wrap(&r->out, "    quantiles ", "              ", "%s", b.s);
	buf_release(&b);
}

static const char *verdict_words(enum verdict v, bool latency)
{
	static const char *const words[] = {
		[VERDICT_HIGH] = "high value",
		[VERDICT_MODERATE] = "moderate value",
		[VERDICT_LOW] = "low value",
		[VERDICT_HARMFUL] = "harmful (contention: the program slows down)",
		[VERDICT_NOT_ENOUGH_DATA] = "not enough data",
		[VERDICT_NONE] = "not a bottleneck",
	};

	return latency && v == VERDICT_HARMFUL ? "harmful (spans get longer)" : words[v];
}

/* Beside the impact, because the difference is the point.  A class of waiting has no time on a processor. */
static void add_shares(const struct report *r, struct buf *out, const struct impact *im)
{
	double cpu = impact_share(r->a->profile, im->region), blocked = impact_blocked_share(r->a->profile, im->region);
	bool waits = region_is_class(im->region->scope) && cpu <= 0;

	if (!isnan(cpu) && !(waits && blocked >= 0))
		buf_addf(out, "; %.1f %% of CPU samples", cpu);
	if (!isnan(blocked))
		buf_addf(out, "%s%.1f %% of blocked time", waits || isnan(cpu) ? "; " : ", ", blocked);
}

/* The same where room is short. */
static void add_short_shares(const struct report *r, struct buf *out, const struct impact *im)
{
	double cpu = impact_share(r->a->profile, im->region), blocked = impact_blocked_share(r->a->profile, im->region);

	if (isnan(blocked))
		add_shares(r, out, im);
	else if (isnan(cpu))
		buf_addf(out, "; blocked %.1f %%", blocked);
	else
		buf_addf(out, "; CPU %.1f %%, blocked %.1f %%", cpu, blocked);
}

/* The codes of warnings that make every verdict doubtful, in brackets. */
static void add_undermined(const struct report *r, struct buf *out)
{
	for (size_t i = 0; i < r->a->nundermined; i++)
		buf_addf(out, "%s%s", i ? ", " : "in doubt (", r->a->undermined[i]);
	if (r->a->nundermined)
		buf_addc(out, ')');
}

static void add_title(struct report *r, size_t rank, const struct impact *im)
{
	const struct profile_region *region = im->region;
	char *label = prose_short(region->label, prose_page().columns - 4), *function = prose_clean(region->function ? region->function : "");
	bool is_line = region->scope && !strcmp(region->scope, "line");
	const char *words = region_is_class(region->scope) ? region_class_words(region->symbol) : NULL;

	buf_addf(&r->out, "\n%3zu ", rank);
	add_bold(r, label);
	if (words)
		buf_addf(&r->out, "  (%s)", words);
	if (is_line && *function && prose_width(label) + prose_width(function) + 8 < prose_page().columns)
		buf_addf(&r->out, "  in %s", function);
	if (!is_line && region->file && prose_width(label) + strlen(region->file) + 16 < prose_page().columns) {
		char *file = prose_clean(region->file);

		buf_addf(&r->out, "  %s", file);
		if (region->line)
			buf_addf(&r->out, ":%llu", (unsigned long long)region->line);
		free(file);
	}
	buf_addc(&r->out, '\n');
	free(label);
	free(function);
}

static void add_impact(struct report *r, size_t rank, const struct impact *im)
{
	const struct causal_effect *e = &im->effect;
	struct buf line = BUF_INIT;

	add_title(r, rank, im);
	buf_adds(&line, verdict_words(im->verdict, r->point->latency));
	if (im->verdict != VERDICT_NOT_ENOUGH_DATA && r->a->nundermined) {
		buf_adds(&line, ", ");
		add_undermined(r, &line);
	}
	if (im->estimated)
		buf_addf(&line, ": %.2f", e->fit.slope.value);
	if (im->bounded)
		buf_addf(&line, " (%.2f to %.2f)", e->fit.slope.lo, e->fit.slope.hi);
	add_shares(r, &line, im);
	prose_wrap(&r->out, "    impact    ", "              ", "%s", line.s);
	buf_release(&line);
	if (im->has_percentiles)
		add_percentiles(r, &im->percentile);
	if (im->need)
		prose_wrap(&r->out, "    needs     ", "              ", "%s", im->need);
	if (e->nlevels) {
		add_predictions(r, e);
		add_curve(r, e);
	}
	if (!isnan(e->knee))
		prose_wrap(&r->out, "    knee      ", "              ", "useful up to about %.0f %% (%.0f to %.0f); faster than that %s",
			   100 * e->knee, 100 * e->knee_lo, 100 * e->knee_hi,
			   e->notes & CAUSAL_CONTENTION ? "slows the program down again (contention)" : "gains nothing more");
}

/* Those that are known not to matter get one line each. */
static void add_none(struct report *r, const struct impact *im)
{
	char *label = prose_short(im->region->label, 40);
	int pad = 40 - (int)prose_width(label);

	buf_addf(&r->out, "    %s%*s  %5.2f (%.2f to %.2f)", label, pad, "", im->effect.fit.slope.value, im->effect.fit.slope.lo,
		 im->effect.fit.slope.hi);
	add_short_shares(r, &r->out, im);
	buf_addc(&r->out, '\n');
	free(label);
}

static const struct impact *hottest(const struct report *r, const struct impact_point *p)
{
	const struct impact *best = NULL;
	double most = 0;

	for (size_t i = 0; i < p->nimpacts; i++) {
		double share = impact_share(r->a->profile, p->impact[i].region);

		if (share > most) {
			most = share;
			best = &p->impact[i];
		}
	}
	return best;
}

/* The most that was seen to be gained. */
static double reach(const struct impact *im)
{
	double most = 0;

	for (size_t i = 0; i < im->effect.nlevels; i++)
		most = fmax(most, im->effect.level[i].gain.value);
	return most;
}

/* The sentence that a classical profile cannot say. */
static void add_contrast(struct report *r, const struct impact_point *p)
{
	const struct impact *hot = hottest(r, p), *best = p->nimpacts ? &p->impact[0] : NULL;
	double share = hot ? impact_share(r->a->profile, hot->region) : NAN;

	if (!hot || r->a->nundermined)
		return;
	if (hot->verdict == VERDICT_NONE || hot->verdict == VERDICT_HARMFUL)
		prose_wrap(&r->out, "\n", "", "The hottest region is not the bottleneck: %s has %.1f %% of the CPU samples, and making it "
			    "faster does not make %s.", hot->region->label, share, p->latency ? "spans shorter" : "the program faster");
	else if (hot != best && best->verdict <= VERDICT_LOW && hot->verdict <= VERDICT_LOW && reach(best) > reach(hot))
		prose_wrap(&r->out, "\n", "", "The hottest region is not the one to work on first: %s has %.1f %% of the CPU samples and an "
			    "impact of %.2f, %s has an impact of %.2f.", hot->region->label, share,
			    hot->effect.fit.slope.value, best->region->label, best->effect.fit.slope.value);
}

/* Lines of one function? */
static bool is_same_function(const struct profile_region *a, const struct profile_region *b)
{
	return a->scope && b->scope && !strcmp(a->scope, "line") && !strcmp(b->scope, "line") && a->function && b->function &&
	       !strcmp(a->function, b->function) && a->file && b->file && !strcmp(a->file, b->file);
}

static void add_heading(struct report *r, const struct impact *first, size_t lines, double share)
{
	char *function = prose_short(first->region->function, prose_page().columns - 40);

	buf_addf(&r->out, "\n    %s: %zu lines", function, lines);
	if (!isnan(share))
		buf_addf(&r->out, ", %.1f %% of CPU samples", share);
	buf_addc(&r->out, '\n');
	free(function);
}

/* Those of im[0..n) that are in the first one's function, which comes where the best of its lines would. */
static void add_function(struct report *r, const struct impact_point *p, size_t first, size_t n)
{
	double share = 0;
	size_t lines = 1;

	for (size_t i = 0; i < first; i++)
		if (is_same_function(p->impact[i].region, p->impact[first].region))
			return;
	share = impact_share(r->a->profile, p->impact[first].region);
	for (size_t i = first + 1; i < n; i++)
		if (is_same_function(p->impact[i].region, p->impact[first].region)) {
			share += impact_share(r->a->profile, p->impact[i].region);
			lines++;
		}
	if (lines > 1)
		add_heading(r, &p->impact[first], lines, share);
	for (size_t i = first; i < n; i++)
		if (i == first || is_same_function(p->impact[i].region, p->impact[first].region))
			add_impact(r, i + 1, &p->impact[i]);
}

static void add_impacts(struct report *r, const struct impact_point *p, size_t top)
{
	size_t shown = p->nimpacts < top ? p->nimpacts : top, some = 0;

	while (some < shown && p->impact[some].verdict != VERDICT_NONE)
		some++;
	for (size_t i = 0; i < some; i++)
		add_function(r, p, i, some);
	if (some < shown) {
		buf_addc(&r->out, '\n');
		add_bold(r, "Not bottlenecks");
		if (r->a->nundermined) {
			buf_adds(&r->out, ", ");
			add_undermined(r, &r->out);
		}
		buf_addc(&r->out, '\n');
	}
	for (size_t i = some; i < shown; i++)
		add_none(r, &p->impact[i]);
	if (shown < p->nimpacts)
		buf_addf(&r->out, "\n    and %zu more (--top %zu)\n", p->nimpacts - shown, p->nimpacts);
	add_contrast(r, p);
}

void impact_write_report(const struct analysis *a, size_t top, bool colour, FILE *out)
{
	struct report r = { .a = a, .colour = colour };

	report_head(&r.out, a->profile);
	for (size_t i = 0; i < a->npoints; i++) {
		if (i)
			buf_addc(&r.out, '\n');
		r.point = &a->point[i];
		report_point(&r.out, &a->point[i]);
		add_impacts(&r, &a->point[i], top);
	}
	report_end(&r.out, a, top);
	prose_print(&r.out, out);
	buf_release(&r.out);
}
