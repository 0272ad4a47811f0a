#include "report/report_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/prose.h"

/* The kind of the intervals, and the further errors that they include. */
static void add_intervals(struct buf *out, const struct analysis *a)
{
	bool runs = false, within = false, events = false, short_runs = a->profile->nruns >= CAUSAL_MIN_RUNS;

	for (size_t i = 0; i < a->npoints; i++)
		for (size_t j = 0; j < a->point[i].nimpacts; j++) {
			runs = runs || a->point[i].impact[j].effect.fit.basis == CAUSAL_RUNS;
			within = within || a->point[i].impact[j].effect.fit.basis == CAUSAL_WITHIN_RUN;
			events = events || a->point[i].impact[j].effect.fit.basis == CAUSAL_EVENTS;
		}
	if (!runs && !within && events)
		prose_wrap(out, "interval ", REPORT_INDENT, "95 %%, of the time in which events were recorded: by chance, by what the models of replay "
			   "disagree about, and by what they got wrong of programs that could be made faster");
	if (!runs && !within)
		return;
	prose_wrap(out, "interval ", REPORT_INDENT, "95 %%, %s; part of it, %.0f %% of the value, is for what virtual speedups get wrong",
		   !within ? "over runs"
		   : !runs && short_runs ? "within runs, which hold too few windows for an interval over runs (longer runs, or a longer -d)"
		   : !runs ? "within the run (it says nothing about other runs: 3 or more, -n 5, would)"
			   : "over runs or, where runs are too few, within them", 100 * STATS_NORMAL_95 * impact_systematic(a->profile));
}

static void add_warnings(struct buf *out, const struct profile_warning *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char runs[64] = "";

		if (w[i].times > 1)
			snprintf(runs, sizeof runs, " (in %zu runs%s)", w[i].times, w[i].varies ? ", the numbers are those of one" : "");
		prose_wrap(out, "warning: ", REPORT_INDENT, "%s%s", w[i].text, runs);
	}
}

/* The meaning of question marks of verdicts, before the warnings with the reasons. */
static void add_doubt(struct buf *out, const struct analysis *a)
{
	if (a->nundermined)
		prose_wrap(out, "in doubt ", REPORT_INDENT, "what the warnings say makes predictions wrong, and no interval shows it");
}

/* Code that is not in the list of regions. */
static void add_coverage(struct buf *out, const struct profile *p)
{
	struct impact_coverage c = impact_coverage(p);
	struct buf rest = BUF_INIT;

	if (isnan(c.pct) || !p->census.treated)
		return;
	for (size_t i = 0; i < c.nuntried; i++)
		buf_addf(&rest, "%s%s (%.1f %%)", i ? ", " : "; greatest not looked at: ", c.untried[i].name, c.untried_pct[i]);
	prose_wrap(out, "regions  ", REPORT_INDENT, "those tried cover %s%.0f %% of the CPU samples%s", c.at_least ? "at least " : "", c.pct,
		   rest.len ? rest.s : "");
	buf_release(&rest);
}

void report_end(struct buf *out, const struct analysis *a)
{
	add_coverage(out, a->profile);
	add_intervals(out, a);
	add_doubt(out, a);
	add_warnings(out, a->profile->warning, a->profile->nwarnings);
	add_warnings(out, a->doubt, a->ndoubts);
	prose_wrap(out, "terms    ", REPORT_INDENT, "andweorc-analyze --explain");
}
