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
 * The result of one run alone, for andweorc-diff, which compares runs.  If windows are
 * whole runs, it is the result of all runs that were planned together.
 */
struct impact_replicate {
	size_t run;                  /* the first run, by its place in the profile */
	struct causal_unit sum;      /* sums; the slope of several runs is the ratio of their sums */
	struct causal_slope all;     /* over all speedups; infinite intervals when there is too little */
	struct causal_slope rise;    /* up to the knee, where the effect has one */
};

struct impact {
	const struct profile_region *region;
	struct causal_effect effect;
	double slope_se, cost_se; /* the slope of the fit, with an interval from the spread of windows or runs only; see estimate/systematic.h */
	double cost_more_ns;      /* possible cost beyond the interval, if the knee may lie below all speedups tried; else 0 */
	enum combined combined; /* how replay was combined into slope, cost and levels */
	struct estimate measured, replayed; /* the slopes by each method alone; unset with COMBINED_NOT */
	bool estimated;       /* effect.fit and effect.level are set */
	bool bounded;         /* effect.fit has finite intervals */
	bool small;           /* so little time is spent in the region that it cannot be a bottleneck, whatever its windows say */
	double q;             /* Benjamini-Hochberg over all tests of the analysis; NAN = no test */
	enum verdict verdict;
	char *need;           /* advice for a verdict; NULL unless the verdict is not-enough-data; owned */
	struct profile_set_aside aside; /* number of windows of the region, and of baselines */
	size_t unvisited;     /* windows of the region and baselines without a usable visit */
	bool has_percentiles;
	struct percentile_effect percentile; /* percentiles of measured spans */
	struct impact_replicate *replicate; /* results by run; none when windows were replaced by sums */
	size_t nreplicates;
};

/* The period of one run's baselines. */
struct impact_baseline {
	size_t run;
	struct estimate period; /* ns; with an infinite interval when that is unknown */
	double visits;
	size_t windows;
};

/* All impacts on one progress point, in the order in which to act on them. */
struct impact_point {
	const char *name;     /* the profile's */
	unsigned kinds;       /* enum kind */
	unsigned measures;    /* enum profile_measure */
	bool latency;         /* its period is the length of a span */
	bool whole;           /* its windows are whole runs */
	double crossing;      /* share of spans that began before the window's speedup was on */
	double percentile_ns[PERCENTILES]; /* mean spans in flight in baselines; NAN: not known */
	struct impact *impact;
	size_t nimpacts;
	struct estimate period; /* period of baselines, ns; NAN without baselines, infinite interval when that is unknown */
	struct replay_check replay; /* the point's numbers in recorded events */
	double drift;         /* standard deviation of the period within runs, as part of it; 0 = none seen, NAN = not known */
	double visits;        /* visits in all undisturbed windows */
	struct profile_set_aside aside;
	size_t windows, baselines; /* windows that are used */
	size_t unvisited;     /* windows without a usable visit */
	struct impact_baseline *baseline; /* by run */
	size_t nbaselines;
};

enum { IMPACT_UNDERMINING = 7 };

/* Two automatic points with different results for a region, by more than chance. */
struct impact_difference {
	const char *used, *other;            /* names of the points; NULL: no such difference */
	const struct profile_region *region; /* region with the largest difference */
	double slope, other_slope;
};

struct analysis {
	const struct profile *profile;
	struct impact_point *point;
	size_t npoints;
	struct profile_warning *doubt; /* warnings of the analysis itself; owned */
	size_t ndoubts, cap_doubts;
	struct impact_difference difference;
	const char *undermined[IMPACT_UNDERMINING]; /* codes of warnings that put all verdicts in doubt */
	size_t nundermined;
};

/*
 * Analyzes a finished profile, which must outlive the analysis.  `only` holds
 * names of points; with nonly 0, all points.
 */
void analysis_init(struct analysis *a, const struct profile *p, const char *const *only, size_t nonly);
void analysis_release(struct analysis *a);

/* Adds the reasons why the result is empty or doubtful, each with a remedy.  Part of analysis_init. */
void analysis_find_doubts(struct analysis *a);

/*
 * Why recorded events do not count for the point, as text; NULL if they do, or if there are
 * none.  The caller frees it.
 */
char *impact_replay_refused(const struct impact_point *p);

/*
 * Sets the verdict, and the advice for one.  Part of analysis_init; effect and q must be
 * set.  `whole`: as in the point.
 */
void impact_judge(struct impact *im, const struct profile *p, bool whole);

/*
 * Advice for a verdict, as text: a command to run, or, if that would take too long,
 * another remedy.  `whole`: each window is a run.  The caller frees it.
 */
char *impact_need(const struct impact *im, const struct profile *p, bool whole);

/*
 * Part of it: the factor by which the data must grow for a verdict in most cases; 2 to 51,
 * where 51 means more than is practical.
 */
double impact_times_needed(const struct impact *im);

/* Sets the results of single runs.  Part of analysis_init.  Sorts obs[0..n).  `rise`: as in the effect. */
size_t impact_replicates(struct causal_obs *obs, size_t n, double rise, struct impact_replicate **out);

/*
 * Adds each run's estimate by replay to im->replicate, also for runs without an experiment
 * with the region.  The errors of replay are the same in all runs of a program, and in those
 * of its next commit: andweorc-diff compares runs.
 */
void impact_replicates_replayed(const struct profile *p, size_t point, size_t region, struct impact *im, const struct impact_baseline *baseline,
				size_t nbaselines);
size_t impact_baselines(struct causal_obs *obs, size_t n, struct impact_baseline **out);

/* The period of baselines, with an interval over runs, or within a single run. */
struct estimate impact_period(struct causal_obs *obs, size_t n);

const char *verdict_name(enum verdict v);                  /* as in the format */
size_t impact_note_names(unsigned notes, const char *names[CAUSAL_NOTES]); /* enum causal_note, as in the format */

const char *impact_measure_name(unsigned measures); /* as in the format; NULL where logs disagree, and where there is none */

/* Shares of the CPU samples, and of the blocked samples, in the region, in per cent; NAN = not known. */
double impact_share(const struct profile *p, const struct profile_region *r);
double impact_blocked_share(const struct profile *p, const struct profile_region *r);

/* The share of all CPU samples in regions that were tried, and the greatest untried code. */
struct impact_coverage {
	double pct;                         /* NAN: not known */
	bool at_least;                      /* a lower bound, because functions call each other */
	struct untried_name untried[3];     /* by samples */
	double untried_pct[3];
	size_t nuntried;
};

struct impact_coverage impact_coverage(const struct profile *p);

/* The time of a run's threads by kind, in ns; 0: unknown. */
struct profile_spent impact_spent(const struct profile_run *r);
struct profile_spent impact_spent_in_all(const struct profile *p); /* the sum over runs */

/* The relative systematic error of experiments with the program, as a standard deviation; see systematic.h. */
double impact_systematic(const struct profile *p);

#endif
