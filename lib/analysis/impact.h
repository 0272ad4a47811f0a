/*
 * impact: the analysis.  From a profile to one impact for each progress point
 * and region, with a verdict, and to the reasons why there may be none.
 */
#ifndef ANDWEORC_ANALYSIS_IMPACT_H
#define ANDWEORC_ANALYSIS_IMPACT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/combine.h"
#include "analysis/percentile.h"
#include "estimate/causal.h"
#include "estimate/unit.h"
#include "profile/profile.h"
#include "profile/untried.h"

enum verdict { VERDICT_HIGH, VERDICT_MODERATE, VERDICT_LOW, VERDICT_HARMFUL, VERDICT_NOT_ENOUGH_DATA, VERDICT_NONE };

/* Slopes that part the verdicts, and the false discovery rate at which an effect counts as one. */
#define VERDICT_HIGH_SLOPE     0.5
#define VERDICT_MODERATE_SLOPE 0.1
#define VERDICT_Q              0.05

/*
 * What one run says by itself: andweorc-diff compares runs.  Of programs whose
 * windows are whole runs, it is all that were planned together.
 */
struct impact_replicate {
	size_t run;                  /* the first of them, in the profile */
	struct causal_unit sum;      /* slopes of several runs are the ratio of added sums */
	struct causal_slope all;     /* over all speedups; infinite intervals when there is too little */
	struct causal_slope rise;    /* up to the knee, where the effect has one */
};

struct impact {
	const struct profile_region *region;
	struct causal_effect effect;
	double slope_se, cost_se; /* of the fit, as windows or runs spread; its intervals are wider: see estimate/systematic.h */
	double cost_more_ns;      /* that it may cost beyond the spread, where the knee may lie below all speedups tried; else 0 */
	enum combined combined; /* whether replay is in slope, cost and levels, */
	struct estimate measured, replayed; /* and the slopes by each method alone; not with COMBINED_NOT */
	bool estimated;       /* effect.fit and effect.level are there */
	bool bounded;         /* effect.fit has finite intervals */
	bool small;           /* so little time is spent in it that it can be no bottleneck, whatever its windows say */
	double q;             /* Benjamini-Hochberg over all tests of the analysis; NAN = no test */
	enum verdict verdict;
	char *need;           /* what would be enough; NULL unless not-enough-data; owned */
	struct profile_set_aside aside; /* the region's windows, and baselines */
	size_t unvisited;     /* windows of the region and baselines that hold no usable visit */
	bool has_percentiles;
	struct percentile_effect percentile; /* of spans that were measured */
	struct impact_replicate *replicate; /* by run; none when windows were replaced by sums */
	size_t nreplicates;
};

/* The period of one run's baselines. */
struct impact_baseline {
	size_t run;
	struct estimate period; /* ns; infinite interval when it cannot be had */
	double visits;
	size_t windows;
};

/* All impacts on one progress point, the ones to act on first. */
struct impact_point {
	const char *name;     /* the profile's */
	unsigned kinds;       /* enum kind */
	unsigned measures;    /* enum profile_measure */
	bool latency;         /* its period is the length of a span */
	bool whole;           /* its windows are whole runs */
	double crossing;      /* part of the spans that had begun before the window's speedup was on */
	double percentile_ns[PERCENTILES]; /* of baselines; NAN: not known */
	struct impact *impact;
	size_t nimpacts;
	struct estimate period; /* of baselines, ns; NAN without baselines, infinite interval when it cannot be had */
	struct replay_check replay; /* of the recorded events */
	double drift;         /* of the period within runs, standard deviation, as part of it; 0 = none seen, NAN = not known */
	double visits;        /* in all undisturbed windows */
	struct profile_set_aside aside;
	size_t windows, baselines; /* that are used */
	size_t unvisited;     /* windows that hold no usable visit */
	struct impact_baseline *baseline; /* by run */
	size_t nbaselines;
};

enum { IMPACT_UNDERMINING = 5 };

/* Two automatic points that say different things of a region, by more than chance. */
struct impact_difference {
	const char *used, *other;            /* names of the points; NULL: there is no such thing */
	const struct profile_region *region; /* where they differ most */
	double slope, other_slope;
};

struct analysis {
	const struct profile *profile;
	struct impact_point *point;
	size_t npoints;
	struct profile_warning *doubt; /* what the analysis itself has to warn of; owned */
	size_t ndoubts, cap_doubts;
	struct impact_difference difference;
	const char *undermined[IMPACT_UNDERMINING]; /* codes of warnings because of which all verdicts are in doubt */
	size_t nundermined;
};

/*
 * Analyzes a finished profile, which must outlive the analysis.  `only` holds
 * names of points; with nonly 0, all points.
 */
void analysis_init(struct analysis *a, const struct profile *p, const char *const *only, size_t nonly);
void analysis_release(struct analysis *a);

/* Why the result is empty or doubtful, each with a remedy.  Part of analysis_init. */
void analysis_find_doubts(struct analysis *a);

/* Why recorded events do not count for the point, for people; NULL where they do, or where there are none.  The caller frees it. */
char *impact_replay_refused(const struct impact_point *p);

/* The verdict and what would be enough.  Part of analysis_init; effect and q are set, `whole` is of the point. */
void impact_judge(struct impact *im, const struct profile *p, bool whole);

/*
 * What would be enough for a verdict, for people: a command to run; where that
 * would take too long, what would help instead.  `whole`: each window is a run.
 * The caller frees it.
 */
char *impact_need(const struct impact *im, const struct profile *p, bool whole);

/* Part of it: with how many times as much data a verdict would mostly be found; 2 to 51, and 51 is more than anybody records. */
double impact_times_needed(const struct impact *im);

/* What single runs say.  Part of analysis_init; obs[0..n) are sorted by it; `rise` is that of the effect. */
size_t impact_replicates(struct causal_obs *obs, size_t n, double rise, struct impact_replicate **out);

/*
 * Takes what each run says by replay into im->replicate, and adds runs that no experiment
 * with the region was made in.  What replay gets wrong of a program is the same in all of its
 * runs, and in those of its next commit: andweorc-diff compares runs.
 */
void impact_replicates_replayed(const struct profile *p, size_t point, size_t region, struct impact *im, const struct impact_baseline *baseline,
				size_t nbaselines);
size_t impact_baselines(struct causal_obs *obs, size_t n, struct impact_baseline **out);

/* The period of baselines, its interval over runs, or within the one that there is. */
struct estimate impact_period(struct causal_obs *obs, size_t n);
struct estimate impact_period_pooled(const struct profile_point *p); /* when windows were replaced by sums */

const char *verdict_name(enum verdict v);                  /* as in the format */
size_t impact_note_names(unsigned notes, const char *names[CAUSAL_NOTES]); /* enum causal_note, as in the format */

const char *impact_measure_name(unsigned measures); /* as in the format; NULL where logs disagree, and where there is none */

/* Per cent of the CPU samples, and of the blocked ones, that were in the region; NAN = not known. */
double impact_share(const struct profile *p, const struct profile_region *r);
double impact_blocked_share(const struct profile *p, const struct profile_region *r);

/* What the regions that were tried hold of all CPU samples, and what is greatest in the rest. */
struct impact_coverage {
	double pct;                         /* NAN: not known */
	bool at_least;                      /* functions call each other: it may be more */
	struct untried_name untried[3];     /* by samples */
	double untried_pct[3];
	size_t nuntried;
};

struct impact_coverage impact_coverage(const struct profile *p);

/* What the threads of a run did, in ns; 0 where it is not known. */
struct profile_spent impact_spent(const struct profile_run *r);

#endif
