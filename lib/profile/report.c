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

struct report {
	const struct analysis *a;
	struct buf out;
	bool colour;
};

static void add_bold(struct report *r, const char *text)
{
	buf_addf(&r->out, r->colour ? "\033[1m%s\033[0m" : "%s", text);
}

/* One text for all runs, or how many there are. */
static const char *common(const struct profile *p, size_t offset, const char *several)
{
	const char *all = NULL;

	for (size_t i = 0; i < p->nruns; i++) {
		const char *text = *(char *const *)(const void *)((const char *)&p->run[i] + offset);

		if (text && all && strcmp(text, all))
			return several;
		all = text ? text : all;
	}
	return all;
}

static void add_header(struct report *r)
{
	const struct profile *p = r->a->profile;
	const char *command = common(p, offsetof(struct profile_run, command), "several commands");
	const char *commit = common(p, offsetof(struct profile_run, commit), "several");
	const char *host = common(p, offsetof(struct profile_run, host), "several machines");
	const char *sampler = common(p, offsetof(struct profile_run, sampler), "several");
	size_t windows = 0, disturbed = 0;

	for (size_t i = 0; i < p->nruns; i++) {
		windows += p->run[i].windows;
		disturbed += p->run[i].disturbed;
	}
	prose_wrap(&r->out, "program  ", "         ", "%s%s%s", command ? command : "unknown", commit ? ", commit " : "",
		    commit ? commit : "");
	prose_wrap(&r->out, "data     ", "         ", "%zu run%s%s%s, %zu windows used, %zu set aside as disturbed%s%s", p->nruns,
		    p->nruns == 1 ? "" : "s", host ? " on " : "", host ? host : "", windows - disturbed, disturbed,
		    sampler ? ", sampler " : "", sampler ? sampler : "");
}

static void add_point(struct report *r, const struct impact_point *p)
{
	char period[32], lo[32], hi[32], interval[96] = "";

	if (isfinite(p->period.lo) && isfinite(p->period.hi))
		snprintf(interval, sizeof interval, " (%s to %s)", prose_time(p->period.lo, lo), prose_time(p->period.hi, hi));
	if (isnan(p->period.value))
		prose_wrap(&r->out, "point    ", "         ", "'%s': no visit in a baseline window", p->name);
	else
		prose_wrap(&r->out, "point    ", "         ", "'%s': one visit every %s%s, %.0f visits in %zu windows", p->name,
			    prose_time(p->period.value, period), interval, p->visits, p->windows);
}

/* Height by the gain; the first column is the baseline, so a curve that falls starts high. */
static void add_curve(struct report *r, const struct causal_effect *e)
{
	static const char *const block[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	double most = 0.08, least = 0;

	for (size_t i = 0; i < e->nlevels; i++) {
		most = fmax(most, e->level[i].gain.value);
		least = fmin(least, e->level[i].gain.value);
	}
	if (least > -0.02)
		least = 0; /* noise about a flat start */
	buf_addf(&r->out, "    curve     %s", block[lround(7 * -least / (most - least))]);
	for (size_t i = 0; i < e->nlevels; i++) {
		long height = lround(7 * (e->level[i].gain.value - least) / (most - least));

		buf_adds(&r->out, block[height < 0 ? 0 : height > 7 ? 7 : height]);
	}
	buf_addf(&r->out, "  program gain at a region speedup of 0 to %.0f %%", 100 * e->level[e->nlevels - 1].s);
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
	prose_wrap(&r->out, "    program   ", "              ", "%s", b.s);
	buf_release(&b);
}

static const char *verdict_words(enum verdict v)
{
	static const char *const words[] = {
		[VERDICT_HIGH] = "high value",
		[VERDICT_MODERATE] = "moderate value",
		[VERDICT_LOW] = "low value",
		[VERDICT_HARMFUL] = "harmful (the program slows down)",
		[VERDICT_NOT_ENOUGH_DATA] = "not enough data",
		[VERDICT_NONE] = "not a bottleneck",
	};

	return words[v];
}

static void add_share(struct report *r, const struct impact *im)
{
	double share = impact_share(r->a->profile, im->region);

	if (!isnan(share))
		buf_addf(&r->out, "; %.1f %% of CPU samples", share);
}

static void add_title(struct report *r, size_t rank, const struct impact *im)
{
	const struct profile_region *region = im->region;
	char *label = prose_short(region->label, PROSE_COLUMNS - 4), *function = prose_clean(region->function ? region->function : "");
	bool is_line = region->scope && !strcmp(region->scope, "line");

	buf_addf(&r->out, "\n%3zu ", rank);
	add_bold(r, label);
	if (is_line && *function && prose_width(label) + prose_width(function) + 8 < PROSE_COLUMNS)
		buf_addf(&r->out, "  in %s", function);
	if (!is_line && region->file && prose_width(label) + strlen(region->file) + 16 < PROSE_COLUMNS) {
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

	add_title(r, rank, im);
	buf_addf(&r->out, "    impact    %s", verdict_words(im->verdict));
	if (im->estimated)
		buf_addf(&r->out, ": %.2f", e->fit.slope.value);
	if (im->bounded)
		buf_addf(&r->out, " (%.2f to %.2f)", e->fit.slope.lo, e->fit.slope.hi);
	add_share(r, im);
	buf_addc(&r->out, '\n');
	if (im->need)
		prose_wrap(&r->out, "    needs     ", "              ", "%s", im->need);
	if (e->nlevels) {
		add_predictions(r, e);
		add_curve(r, e);
	}
	if (!isnan(e->knee))
		buf_addf(&r->out, "    knee      useful up to about %.0f %%; faster than that gains nothing more\n", 100 * e->knee);
}

/* Those that are known not to matter get one line each. */
static void add_none(struct report *r, const struct impact *im)
{
	char *label = prose_short(im->region->label, 40);
	int pad = 40 - (int)prose_width(label);

	buf_addf(&r->out, "    %s%*s  %5.2f (%.2f to %.2f)", label, pad, "", im->effect.fit.slope.value, im->effect.fit.slope.lo,
		 im->effect.fit.slope.hi);
	add_share(r, im);
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

	if (!hot)
		return;
	if (hot->verdict == VERDICT_NONE || hot->verdict == VERDICT_HARMFUL)
		prose_wrap(&r->out, "\n", "", "The hottest region is not the bottleneck: %s has %.1f %% of the CPU samples, and making it "
			    "faster does not make the program faster.", hot->region->label, share);
	else if (hot != best && best->verdict <= VERDICT_LOW && hot->verdict <= VERDICT_LOW && reach(best) > reach(hot))
		prose_wrap(&r->out, "\n", "", "The hottest region is not the one to work on first: %s has %.1f %% of the CPU samples and an "
			    "impact of %.2f, %s has an impact of %.2f.", hot->region->label, share,
			    hot->effect.fit.slope.value, best->region->label, best->effect.fit.slope.value);
}

static void add_impacts(struct report *r, const struct impact_point *p, size_t top)
{
	size_t shown = p->nimpacts < top ? p->nimpacts : top, i;

	for (i = 0; i < shown && p->impact[i].verdict != VERDICT_NONE; i++)
		add_impact(r, i + 1, &p->impact[i]);
	if (i < shown) {
		buf_addc(&r->out, '\n');
		add_bold(r, "Not bottlenecks");
		buf_addc(&r->out, '\n');
	}
	for (; i < shown; i++)
		add_none(r, &p->impact[i]);
	if (shown < p->nimpacts)
		buf_addf(&r->out, "\n    and %zu more (--top %zu)\n", p->nimpacts - shown, p->nimpacts);
	add_contrast(r, p);
}

static const char *note_words(const char *name)
{
	static const struct {
		const char *name, *words;
	} all[] = {
		{ "nonlinear", "the curve is bent, but not at one place: read the curve, not the slope" },
		{ "autocorrelated", "neighbouring windows resemble each other (phases, drift): the interval may be too narrow; longer windows help" },
		{ "out-of-range", "a slope that one region cannot have: something disturbs the program; do not trust it" },
		{ "few-visits", "half of the windows hold fewer than 5 visits: choose a point that is passed more often" },
		{ "one-level", "one speedup only: that the curve is straight is an assumption" },
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!strcmp(all[i].name, name))
			return all[i].words;
	return name;
}

static void add_notes(struct report *r, const struct impact_point *p, size_t top)
{
	for (size_t i = 0; i < p->nimpacts && i < top; i++) {
		const char *names[5];
		size_t n = impact_note_names(p->impact[i].effect.notes, names);

		for (size_t j = 0; j < n; j++)
			prose_wrap(&r->out, "note: ", "      ", "%s: %s", p->impact[i].region->label, note_words(names[j]));
	}
}

static void add_legend(struct report *r)
{
	bool runs = false, within = false, short_runs = r->a->profile->nruns >= CAUSAL_MIN_RUNS;

	for (size_t i = 0; i < r->a->npoints; i++)
		for (size_t j = 0; j < r->a->point[i].nimpacts; j++) {
			runs = runs || r->a->point[i].impact[j].effect.fit.basis == CAUSAL_RUNS;
			within = within || r->a->point[i].impact[j].effect.fit.basis == CAUSAL_WITHIN_RUN;
		}
	if (!runs && !within)
		return;
	prose_wrap(&r->out, "\n", "", "Impact 0.50: 10 %% off the time of the region takes 5 %% off the time per visit. 25 %%: "
		    "+12.0: with the region 25 %% faster, the program needs 12 %% less time per visit. In brackets: 95 %% "
		    "interval, %s.", !within ? "over runs"
		    : !runs && short_runs ? "within runs, which hold too few windows for an interval over runs (longer runs, or a longer -d)"
		    : !runs ? "within the run; it says nothing about other runs (3 runs or more, -n 5, would)"
			    : "over runs or, where runs are too few, within them");
}

static void add_warnings(struct report *r, const struct profile_warning *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (w[i].times > 1)
			prose_wrap(&r->out, "warning: ", "         ", "%s (%zu times)", w[i].text, w[i].times);
		else
			prose_wrap(&r->out, "warning: ", "         ", "%s", w[i].text);
}

void impact_write_report(const struct analysis *a, size_t top, bool colour, FILE *out)
{
	struct report r = { .a = a, .colour = colour };

	add_header(&r);
	for (size_t i = 0; i < a->npoints; i++) {
		if (i)
			buf_addc(&r.out, '\n');
		add_point(&r, &a->point[i]);
		add_impacts(&r, &a->point[i], top);
	}
	add_legend(&r);
	for (size_t i = 0; i < a->npoints; i++)
		add_notes(&r, &a->point[i], top);
	add_warnings(&r, a->profile->warning, a->profile->nwarnings);
	add_warnings(&r, a->doubt, a->ndoubts);
	fwrite(r.out.s, 1, r.out.len, out);
	buf_release(&r.out);
}
