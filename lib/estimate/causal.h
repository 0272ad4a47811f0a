/*
 * causal: the estimator.  From windows to the effect of one region on one
 * progress point.  Its mathematics, and when it is biased, are in
 * share/doc/METHOD.md.
 *
 * It works on plain arrays, without records, so that the recorder can use it during a
 * recording.
 */
#ifndef ANDWEORC_ESTIMATE_CAUSAL_H
#define ANDWEORC_ESTIMATE_CAUSAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "estimate/stats.h"

/*
 * One undisturbed window: `count` visits took `time_ns` of virtual time while the region was faster by `s`.
 *
 * A program without progress points is run again and again, and each run is one
 * window.  Then intervals are over runs, and windows are compared across runs: `run` is
 * the recording, whose runs were planned together.
 */
struct causal_obs {
	size_t run;      /* runs near in time have neighbouring numbers */
	uint64_t block;  /* sweep within the run */
	double start_ns; /* time within the run; orders the windows */
	double position; /* place in the run: its processor time so far; 0: not known */
	bool whole;      /* the window is a whole run; the same for all windows that are compared */
	double s;        /* 0 .. 1; 0 is a baseline */
	double count;    /* > 0 */
	double time_ns;  /* > 0 */
	size_t stratum;  /* set by causal_stratify: windows compared with one another */
	size_t id;       /* the caller's */
};

enum causal_basis {
	CAUSAL_NONE,       /* nothing could be estimated */
	CAUSAL_WITHIN_RUN, /* the interval covers the noise between windows; it says nothing about other runs */
	CAUSAL_RUNS,       /* the interval covers the variation from run to run */
	CAUSAL_EVENTS,     /* computed from recorded events, without an experiment; the interval is that of replay */
};

/* Runs from which the interval comes from the variation between runs; with two, Student's factor is 12.7. */
enum { CAUSAL_MIN_RUNS = 3 };

/* A curve has a knee if its slope after that is at most this part of the slope before. */
#define CAUSAL_KNEE_AFTER 0.35

/* Program effect per unit of virtual speedup, over the windows given. */
struct causal_slope {
	struct estimate slope; /* 1: the program gains as much as the region */
	struct estimate cost;  /* slope in ns per visit */
	enum causal_basis basis;
	size_t runs;           /* runs that contributed */
};

/*
 * Sorts obs, joins neighbouring blocks (and, where a run is too short for
 * that, neighbouring runs) into strata of which each can be compared within
 * itself, and numbers them from 0.  Returns the number of strata.
 */
size_t causal_stratify(struct causal_obs *obs, size_t n);

/*
 * The same; but if it makes windows more alike, strata are of windows at the same place
 * of different runs, and obs is sorted by that place.  A program that is run again and
 * again with the same work has the same phases in each run.
 */
size_t causal_stratify_best(struct causal_obs *obs, size_t n);

/* False when there is nothing to compare: no baseline, or no other level. Sorts and stratifies obs. */
bool causal_fit(struct causal_obs *obs, size_t n, struct causal_slope *out);

/* The gain at one level: a point of the curve. */
struct causal_level {
	double s;
	struct estimate gain; /* 1 - period(s) / period(0) */
	size_t n;             /* windows at this level */
};

/* Reasons to doubt a result. */
enum causal_note {
	CAUSAL_NONLINEAR = 1 << 0,      /* bent, but not a rise that turns flat */
	CAUSAL_AUTOCORRELATED = 1 << 1, /* neighbouring windows resemble each other more than chance allows */
	CAUSAL_OUT_OF_RANGE = 1 << 2,   /* interval wholly outside what one region can do: below -1 or above 1.1 */
	CAUSAL_FEW_VISITS = 1 << 3,     /* half of the windows have fewer than 5 visits (and are not whole runs) */
	CAUSAL_ONE_LEVEL = 1 << 4,      /* one speedup beside the baseline: straightness is an assumption */
	CAUSAL_CONTENTION = 1 << 5,     /* the program gets slower as the region gets faster, from the start or beyond the knee */
	CAUSAL_PHASES = 1 << 6,         /* the region runs in some windows and not in others; set by the caller, from samples */
	CAUSAL_LOW_KNEE = 1 << 7,       /* the knee may lie below the lowest speedup that was tried: the true slope may be higher */
};

enum { CAUSAL_NOTES = 8 };

struct causal_effect {
	struct causal_slope fit;     /* up to the knee, if there is one */
	struct causal_level *level;  /* levels > 0, ascending; owned */
	size_t nlevels;
	double knee;                 /* 0..1: no gain beyond; NAN = none seen */
	double knee_lo, knee_hi;     /* its 95 % interval */
	double rise;                 /* speedups up to here are surely below the knee; fit uses only those; 1 = all */
	double lag1;                 /* correlation of residuals between neighbouring windows */
	double r2;                   /* how well a straight line fits the levels up to the knee; NAN below three levels */
	unsigned notes;              /* enum causal_note */
	size_t n;                    /* windows used, baselines included */
	size_t treated;              /* windows with the region sped up */
	double visits;               /* visits in the windows used */
	double period_ns;            /* period of the baselines: sum of time / sum of visits */
};

#define CAUSAL_NO_EFFECT ((struct causal_effect){ .knee = NAN, .knee_lo = NAN, .knee_hi = NAN, .rise = 1, .lag1 = NAN, .r2 = NAN })

/*
 * Computes the whole result for one region and point.  False when there is nothing to
 * compare; then only n, treated, visits and period_ns (NAN without baselines) are set.
 * Release it in both cases.
 */
bool causal_effect(struct causal_obs *obs, size_t n, struct causal_effect *out);
void causal_effect_release(struct causal_effect *e);

/* A level of a curve, on the scale of period(s) / period(0). */
struct causal_point {
	double s;
	double n; /* visits */
	double ratio;
};

/* The noise of windows about their levels, in units of square roots of visits. */
struct causal_noise {
	double rss;
	double products;        /* products of residuals of neighbouring windows */
	size_t windows, strata; /* degrees of freedom are about the difference */
};

/* The bend of a curve. */
struct causal_shape {
	double knee;   /* NAN = none */
	double knee_lo, knee_hi; /* its 95 % interval */
	bool falls;    /* beyond the knee, significantly */
	bool bent;     /* significantly not straight */
	double lag1;   /* correlation of residuals between neighbouring windows */
	double r2;     /* weighted, of the levels up to the knee */
	size_t levels; /* distinct speedups, the baseline included */
	struct causal_noise noise;
};

/* The noise alone, all 0 where there is nothing to compare; returns the number of levels. obs is stratified. */
size_t causal_noise(const struct causal_obs *obs, size_t n, size_t nstrata, struct causal_noise *out);

/* Finds the bend.  obs is stratified. */
void causal_shape(const struct causal_obs *obs, size_t n, size_t nstrata, struct causal_shape *out);

#endif
