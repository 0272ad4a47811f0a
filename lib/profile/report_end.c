#include "profile/report_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/allowance.h"
#include "profile/prose.h"

static const char *note_words(const char *name, bool whole)
{
	static const struct {
		const char *name, *words;
	} all[] = {
		{ "nonlinear", "the curve is bent, but not at one place: read the curve, not the slope" },
		{ "autocorrelated", "neighbouring windows resemble each other (phases, drift): the interval may be too narrow; longer windows help" },
		{ "out-of-range", "a slope that one region cannot have: something disturbs the program; do not trust it" },
		{ "few-visits", "half of the windows hold fewer than 5 visits: choose a point that is passed more often" },
		{ "one-level", "one speedup only: that the curve is straight is an assumption" },
		{ "contention", "the faster the region, the slower the program: threads get in each other's way (locks, caches, memory); "
				"let fewer of them get there at once, rather than faster" },
		{ "phases", "it runs in some windows and not in others: the impact is that on the whole program, and is biased if the point is "
			    "passed more often in some phases than in others; longer windows help" },
		{ "low-knee", "it may help no further than to a speedup below the lowest that was tried; up to there, the impact may be higher "
			      "than this: try lower ones (-s 5,10,15)" },
	};

	if (whole && !strcmp(name, "autocorrelated"))
		return "neighbouring runs resemble each other (the machine drifts): the interval may be too narrow; more runs help";
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!strcmp(all[i].name, name))
			return all[i].words;
	return name;
}

static void add_notes(struct buf *out, const struct impact_point *p, size_t top)
{
	for (size_t i = 0; i < p->nimpacts && i < top; i++) {
		const char *names[CAUSAL_NOTES];
		size_t n = impact_note_names(p->impact[i].effect.notes, names);

		for (size_t j = 0; j < n; j++)
			prose_wrap(out, "note: ", "      ", "%s: %s", p->impact[i].region->label, note_words(names[j], p->whole));
	}
}

static void add_legend(struct buf *out, const struct analysis *a)
{
	bool runs = false, within = false, visits = false, spans = false, short_runs = a->profile->nruns >= CAUSAL_MIN_RUNS;

	for (size_t i = 0; i < a->npoints; i++) {
		visits = visits || (!a->point[i].whole && !a->point[i].latency);
		spans = spans || a->point[i].latency;
		for (size_t j = 0; j < a->point[i].nimpacts; j++) {
			runs = runs || a->point[i].impact[j].effect.fit.basis == CAUSAL_RUNS;
			within = within || a->point[i].impact[j].effect.fit.basis == CAUSAL_WITHIN_RUN;
		}
	}
	if (!runs && !within)
		return;
	prose_wrap(out, "\n", "", "Impact 0.50: 10 %% off the time of the region takes 5 %% off the %s. 25 %%: "
		    "+12.0: with the region 25 %% faster, the program needs 12 %% less time%s. In brackets: 95 %% "
		    "interval, %s, and %.0f %% of the value for what virtual speedups get wrong.",
		    visits && spans ? "time per visit, or off the length of a span" : spans ? "mean length of a span"
		    : visits ? "time per visit" : "run time", visits && spans ? " per visit, or per span" : spans ? " per span"
		    : visits ? " per visit" : "", !within ? "over runs"
		    : !runs && short_runs ? "within runs, which hold too few windows for an interval over runs (longer runs, or a longer -d)"
		    : !runs ? "within the run (it says nothing about other runs: 3 or more, -n 5, would)"
			    : "over runs or, where runs are too few, within them", 100 * STATS_NORMAL_95 * allowance_relative);
	if (spans)
		prose_wrap(out, "", "", "A span that waits for others can gain more than one for one.  Quantiles: the same of the length that so "
			    "many per cent of the spans do not exceed.");
}

static void add_warnings(struct buf *out, const struct profile_warning *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char runs[64] = "";

		if (w[i].times > 1)
			snprintf(runs, sizeof runs, " (in %zu runs%s)", w[i].times, w[i].varies ? ", the numbers are those of one" : "");
		prose_wrap(out, "warning: ", "         ", "%s%s", w[i].text, runs);
	}
}

/* What "in doubt" means, before the warnings that say why. */
static void add_doubt(struct buf *out, const struct analysis *a)
{
	if (a->nundermined)
		prose_wrap(out, "\n", "", "In doubt: what the warnings say makes predictions wrong, and no interval shows it.");
}

/* What a list of regions cannot show: what is not in it. */
static void add_coverage(struct buf *out, const struct profile *p)
{
	struct impact_coverage c = impact_coverage(p);
	struct buf rest = BUF_INIT;

	if (isnan(c.pct) || !p->census.treated)
		return;
	for (size_t i = 0; i < c.nuntried; i++)
		buf_addf(&rest, "%s%s (%.1f %%)", i ? ", " : "; greatest not looked at: ", c.untried[i].name, c.untried_pct[i]);
	prose_wrap(out, "\n", "", "The regions tried cover %s%.0f %% of the CPU samples%s.", c.at_least ? "at least " : "", c.pct,
		   rest.len ? rest.s : "");
	buf_release(&rest);
}

void report_end(struct buf *out, const struct analysis *a, size_t top)
{
	add_coverage(out, a->profile);
	add_legend(out, a);
	for (size_t i = 0; i < a->npoints; i++)
		add_notes(out, &a->point[i], top);
	add_doubt(out, a);
	add_warnings(out, a->profile->warning, a->profile->nwarnings);
	add_warnings(out, a->doubt, a->ndoubts);
}
