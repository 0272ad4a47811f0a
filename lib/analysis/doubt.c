/* An empty or doubtful result is never silent: each reason is one line with its remedy. */
#include "analysis/impact.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "format/kind.h"

__attribute__((format(printf, 3, 4))) static void doubt(struct analysis *a, const char *what, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = xstrdup(what);
	va_end(ap);
	a->doubt = xgrow(a->doubt, a->ndoubts, &a->cap_doubts, sizeof *a->doubt);
	a->doubt[a->ndoubts++] = (struct profile_warning){ .what = xstrdup(what), .text = text, .times = 1 };
}

static void doubt_runs(struct analysis *a)
{
	const struct profile *p = a->profile;
	size_t cut = 0;

	for (size_t i = 0; i < p->nruns; i++)
		cut += !p->run[i].status;
	if (cut)
		doubt(a, "no-end", "%zu of %zu run(s) have no end record: the log was cut short; what is there is used", cut,
		      p->nruns);
	if (p->impossible)
		doubt(a, "impossible-time",
		      "%zu visits record(s) have a virtual time of zero or less and are not used: a fault of the recorder",
		      p->impossible);
}

/* Is there an impact without an experiment? */
static bool has_replayed(const struct analysis *a)
{
	for (size_t i = 0; i < a->npoints; i++)
		if (a->point[i].replay.use == REPLAY_USED && a->point[i].nimpacts > 0)
			return true;
	return false;
}

char *impact_replay_refused(const struct impact_point *p)
{
	switch (p->replay.use) {
	case REPLAY_ABSENT:
	case REPLAY_USED:
		return NULL;
	case REPLAY_SPINS:
		return xstrdup("threads wait by spinning, so what they wait for was not recorded");
	case REPLAY_UNTRUSTED:
		break;
	}
	return xasprintf("replayed without a change, they take %.2f times as long as was measured; the reason may be other "
			 "programs on the processors, or events that cannot be recorded",
			 p->replay.ratio);
}

/* Without windows: replay may have given results, or a reason why not. */
static void doubt_events(struct analysis *a)
{
	size_t before = a->ndoubts;

	for (size_t i = 0; i < a->npoints; i++) {
		char *why = impact_replay_refused(&a->point[i]);

		if (why)
			doubt(a, "replay-refused", "recorded events say nothing about '%s': %s", a->point[i].name, why);
		free(why);
	}
	if (a->ndoubts == before)
		doubt(a, "no-experiment",
		      "no experiments in the input: the program ended before the first window; give it more work, or record longer (-d)");
}

/* The first that applies explains the others. */
static bool doubt_windows(struct analysis *a)
{
	const struct profile *p = a->profile;
	struct profile_census c = p->census;

	if (!p->nruns)
		doubt(a, "no-run", "no run in the input: nothing was recorded, or this is not a log of andweorc-record");
	else if (!c.windows && has_replayed(a))
		return false;
	else if (!c.windows)
		doubt_events(a);
	else if (c.disturbed == c.windows)
		doubt(a, "all-disturbed",
		      "all %zu windows were disturbed by other load on the machine: record again on a quieter one, or longer (-d)",
		      c.windows);
	else if (!p->npoints)
		doubt(a, "no-progress-point",
		      "no progress point was visited: put ANDWEORC_PROGRESS(\"name\") where a unit of work is done, "
		      "or name such a place with -P");
	else if (!p->nvisits)
		doubt(a, "no-visits", "no progress point was visited in any window: record longer (-d), or choose a point that "
		      "is passed more often");
	else if (!c.treated && has_replayed(a))
		return false;
	else if (!c.treated)
		doubt(a, "only-baselines",
		      "only baselines: no region was sped up; record longer (-d), or name a region with -r");
	else if (!c.baselines && c.zero)
		doubt(a, "no-baseline",
		      "no undisturbed baseline: nothing to compare with; record again on a quieter machine, or longer (-d)");
	else if (!c.baselines)
		doubt(a, "no-baseline", "no baseline: nothing to compare with; record longer (-d)");
	else
		return false;
	return true;
}

static void doubt_regions(struct analysis *a)
{
	const struct profile *p = a->profile;
	size_t nameless = 0;

	for (size_t i = 0; i < p->nregions; i++)
		nameless += !p->region[i].function && !p->region[i].symbol && !p->region[i].file;
	if (nameless)
		doubt(a, "no-names", "%zu region(s) have no name: pass the log through andweorc-resolve, and build with -g",
		      nameless);
}

static void doubt_levels(struct analysis *a)
{
	const struct profile_census *c = &a->profile->census;

	if (c->most > 0 && c->least == c->most)
		doubt(a, "one-level",
		      "only one speedup, %g %%: that the curve is straight is an assumption; record several (-s)", 100 * c->most);
}

static void doubt_kinds(struct analysis *a)
{
	for (size_t i = 0; i < a->npoints; i++)
		if (!kind_name(a->point[i].kinds))
			doubt(a, "kinds", "the logs disagree on what a visit of the point '%s' is; they are taken for one",
			      a->point[i].name);
		else if (a->point[i].measures != MEASURE_ENDS && (a->point[i].measures & MEASURE_ENDS))
			doubt(a, "kinds",
			      "some logs say how long the spans of '%s' are, and some do not; they are taken for one: leave out one kind",
			      a->point[i].name);
}

static void doubt_points(struct analysis *a)
{
	const struct impact_difference *d = &a->difference;

	if (d->used)
		doubt(a, "points-differ",
		      "of '%s', the point '%s' says %.2f and '%s' %.2f: a unit of work does not take the same processor time, or bytes, in "
		      "all windows; mark a progress point, or name one with -P",
		      d->region->label, d->used, d->slope, d->other, d->other_slope);
}

/* From this share of spans that began before the switch, they matter. */
static const double PART_THAT_CROSSES = 0.1;

static void doubt_spans(struct analysis *a)
{
	for (size_t i = 0; i < a->npoints; i++) {
		const struct impact_point *point = &a->point[i];

		if (point->crossing > PART_THAT_CROSSES)
			doubt(a, "long-spans",
			      "%.0f %% of the spans of '%s' had begun before the speedup that they ended under: effects on them seem "
			      "smaller than they are; record with longer windows (--window)",
			      100 * point->crossing, point->name);
	}
}

/* Is it a reason why experiments are wrong, and does no impact rest on them? */
static bool is_replaced(const struct analysis *a, const char *code)
{
	if (strcmp(code, "absolute-timer") != 0 && strcmp(code, "oversubscribed") != 0)
		return false;
	for (size_t i = 0; i < a->npoints; i++)
		for (size_t k = 0; k < a->point[i].nimpacts; k++) {
			const struct impact *im = &a->point[i].impact[k];

			if (im->estimated && im->combined != COMBINED_REPLACED && im->combined != COMBINED_ALONE)
				return false;
		}
	return true;
}

/* Warnings of conditions that windows do not show, but that make predictions wrong. */
static void find_undermining(struct analysis *a)
{
	static const char *const codes[IMPACT_UNDERMINING] = { "absolute-timer", "brief-locks", "kernel-time", "outside", "oversubscribed", "quota", "spin" };
	const struct profile *p = a->profile;

	for (size_t i = 0; i < IMPACT_UNDERMINING; i++)
		if (profile_is_warned(p, codes[i]) && !is_replaced(a, codes[i]))
			a->undermined[a->nundermined++] = codes[i];
}

void analysis_find_doubts(struct analysis *a)
{
	find_undermining(a);
	doubt_runs(a);
	doubt_kinds(a);
	if (doubt_windows(a))
		return;
	doubt_regions(a);
	doubt_levels(a);
	doubt_points(a);
	doubt_spans(a);
}
