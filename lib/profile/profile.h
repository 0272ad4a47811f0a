/*
 * profile: one or more logs in memory, ready to be analyzed.
 *
 * Each `andweorc` record begins a context, whose ids are its own.  When it ends,
 * what it says is added here: runs, regions by their names, sums over samples.
 * Windows are kept one by one up to PROFILE_WINDOWS; when there are more, and
 * they are of more than one context, each context's are replaced by sums for
 * each point and region (estimate/pool.h).  Memory is then bounded by one context, by
 * distinct regions, points and speedups, and by a few hundred bytes for each
 * run, which are part of the output.
 *
 * After profile_finish the content depends on the records alone, not on their
 * order nor on the order of the files.
 */
#ifndef ANDWEORC_PROFILE_PROFILE_H
#define ANDWEORC_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/map.h"
#include "estimate/drift.h"
#include "estimate/pool.h"
#include "format/kind.h"
#include "profile/lengths.h"
#include "profile/untried.h"
#include "replay/replay.h"

#define PROFILE_NONE SIZE_MAX

/* Windows that are kept one by one. */
enum { PROFILE_WINDOWS = 200000 };

/* What the threads of a run did, in sampling periods; the classes are parts of blocked. */
struct profile_spent {
	uint64_t cpu, blocked, lock, io, sleep, runqueue;
};

/* Strings are the profile's; NULL (and number 0) = not in the log. */
struct profile_run {
	const char *command, *commit, *block, *side, *host, *kernel, *cpu_model, *sampler, *mode, *scope;
	uint64_t cpus, period_ns, started_ns, seed;
	const char *status;   /* NULL: no `end` record, the log was cut short */
	uint64_t wall_ns;
	uint64_t threads_most; /* at a time, of all processes; 0: not known */
	uint64_t share_total; /* CPU samples */
	uint64_t share_blocked_total; /* blocked samples */
	struct profile_spent spent;   /* by `sample` records */
	uint64_t windows_ns;  /* real time in windows */
	uint64_t seen_ns;     /* from its start to the end of its last window */
	size_t windows, disturbed;
	size_t bursts, events; /* that were replayed; */
	double burst_ns;       /* the time of the bursts */
	bool named;           /* the user had named the regions */
	bool given;           /* something was faster in all its windows */
	size_t processes;
	size_t context;       /* from 0 */
	size_t session;       /* the first run of those that were planned together */
	uint64_t hash;        /* of what tells runs apart */
};

/* Strings are owned. */
struct profile_region {
	char *scope, *function, *symbol, *file, *also, *ranges;
	char *module;      /* path */
	char *line_hash, *context_hash, *function_hash; /* as resolve wrote them */
	uint64_t line, function_line;
	char *label;       /* unique; set by profile_finish */
	uint64_t samples, blocked; /* of `share` records */
	uint64_t plain_samples, plain_blocked; /* of these, in runs in which nothing was given */
	uint64_t window_samples, window_total; /* of its own windows */
	size_t windows;    /* of its own, disturbed ones too */
	bool tried;        /* it has windows, if only disturbed ones */
};

struct profile_window {
	size_t run;
	size_t region;     /* PROFILE_NONE for a baseline */
	uint64_t block;
	double s;          /* 0 .. 1 */
	uint64_t start_ns; /* since the start of the run */
	double wall_ns;    /* 0: not known */
	double queued_ns;  /* its threads could run and had no processor: the sum, as far as it is known */
	double outside_ns; /* processor time of others, in the machine and outside it */
	uint32_t samples, region_samples; /* on CPU; of these, in its region */
	double sampled_ns; /* that the samples stand for; 0: not known */
	double done_us;    /* processor time that the run had used as it began; 0: not known */
	double credit_ns;  /* that threads were credited for work in the region; NAN: not known */
	bool disturbed;
};

struct profile_visits {
	size_t window, point;
	uint64_t count;     /* > 0 */
	double virtual_ns;  /* <= 0 is impossible and never used */
	double weight;      /* 0 .. 1: how much the window counts */
	bool slow;          /* far slower than its like, whatever came of it */
};

/* Windows with visits that do not count, or less than others, and why. */
struct profile_set_aside {
	size_t disturbed;    /* by the recorder; they are in none of the others */
	size_t slow;         /* far slower than their like */
	size_t downweighted; /* of these */
	size_t dropped;      /* of these: with no weight at all */
	double weight;       /* of the downweighted, added up */
};

static inline void profile_set_aside_add(struct profile_set_aside *into, const struct profile_set_aside *from)
{
	into->disturbed += from->disturbed;
	into->slow += from->slow;
	into->downweighted += from->downweighted;
	into->dropped += from->dropped;
	into->weight += from->weight;
}

/* Samples in the windows of a region. */
struct profile_activity {
	double windows, samples, hits; /* hits: in the region */
	double squares;                /* of hits, each by the samples of its window */
};

/* What the time of a latency point's visits is; a mask, as logs may differ in it. */
enum profile_measure {
	MEASURE_ENDS = 1 << 0,      /* from one end to the next: throughput */
	MEASURE_SPANS = 1 << 1,     /* lengths of spans, measured, */
	MEASURE_IN_FLIGHT = 1 << 2, /* or by Little's law */
};

/* The numbers: what windows that were replaced by sums say about it, whatever their region. */
struct profile_point {
	char *name;
	unsigned kinds; /* enum kind */
	unsigned measures;     /* enum profile_measure */
	double spans, crossing; /* measured; of these, begun before the window's speedup was on */
	struct profile_set_aside aside;
	size_t windows, baselines; /* that are used */
	bool plain;     /* some of its windows are what they seem; */
	bool given;     /* in its windows something was faster all the time */
	bool split;     /* those of others are of a point of their own (given_windows.h) */
	double visits;
	double time_ns, count; /* of baselines */
	double tt, tc, cc;     /* products of a run's time and count, summed over runs */
	size_t clusters;       /* runs with baselines */
	struct drift drift;
};

/* A point and region after windows were replaced by sums. */
struct profile_pool {
	size_t point, region;
	struct profile_set_aside aside;
	struct profile_activity activity;
	struct pool pool;
};

/* Texts that differ in numbers alone are one warning, and one of them is kept. */
struct profile_warning {
	char *what, *text;
	size_t times;  /* runs that say so; a record that names none is one */
	bool general;  /* one that names no run is about all of them */
	bool varies;   /* the numbers in text are those of one of them */
	size_t last;   /* that said so */
};

/* What replay says of one run: the gain at a point, were a region faster by s. */
struct profile_replayed {
	size_t run;    /* in the profile */
	size_t point;
	size_t region; /* PROFILE_NONE: of what the user asked */
	double s;
	enum replay_what what;
	double gain, chance, doubt, se, measured_ns; /* as in struct replay_effect; another run has another chance */
	double trust;  /* as in struct replay_effect */
	bool whole;    /* all of the run was observed */
	double unseen; /* time in waits of which the end is not understood, to the length of the bursts */
	struct replay_modelled model[REPLAY_MODELS];
};

/* Why a region gains what it gains: the longest waits of one run at one place, until something was done at another. */
struct profile_why {
	size_t region;
	bool own;          /* of the threads that run it; else of the other threads, for those */
	double ns;         /* of these waits together */
	double threads_ns; /* of all the time of the threads that had them */
	char *at, *until;  /* owned; "pzip.c:186 (queue_take)"; until NULL: not known, or outside of the program */
};

/* All windows, those replaced by sums included. */
struct profile_census {
	size_t windows, disturbed, baselines, treated; /* the last two without disturbed ones */
	size_t zero;        /* all baselines */
	double least, most; /* speedup above 0; 0 = none */
};

struct profile {
	struct profile_run *run;
	size_t nruns, cap_runs;
	struct profile_region *region;
	size_t nregions, cap_regions;
	struct profile_window *window;
	size_t nwindows, cap_windows;
	struct profile_visits *visits; /* by point, then window */
	size_t nvisits, cap_visits;
	struct profile_point *point;   /* by name */
	size_t npoints, cap_points;
	struct profile_warning *warning; /* by what and text */
	size_t nwarnings, cap_warnings;
	struct profile_pool *pool;
	size_t npools, cap_pools;
	struct what_if *what_if;       /* asked of bursts, instead of each region; NULL: nothing; the caller's, set before loading */
	struct stacks *stacks;         /* where chains of calls are gathered; NULL: nowhere; the caller's, set before loading */
	struct profile_replayed *replayed;
	size_t nreplayed, cap_replayed;
	struct profile_why *why;
	size_t nwhys, cap_whys;
	struct lengths_table lengths;  /* of spans */
	bool pooled;                   /* there are no windows and visits: they are in the pools */
	struct profile_census census;
	char *first_given;             /* what is given in the first window that was added: "", or as in the names of points; owned */
	bool mixed;                    /* in another one something else is */
	size_t ncontexts;
	uint64_t inside;               /* CPU samples whose innermost address is in a region */
	size_t impossible;             /* visits that took no or negative time */

	/* where things are, for those who add */
	struct idmap run_at;           /* by hash of its identity */
	struct idmap pool_at;          /* by point and region */
	struct map region_at, warning_at;
	struct map text;               /* of runs: most share theirs */
	struct untried_names untried;  /* code in no region */
};

#define PROFILE_INIT { 0 }

void profile_release(struct profile *p);
void profile_release_region(struct profile_region *r); /* what it owns */

/*
 * Adds a log; "-" is standard input.  Bad lines are reported and passed over.
 * False, after a message, when it cannot be read.
 */
bool profile_load(struct profile *p, const char *path);

/* After the last log: sorts and labels. */
void profile_finish(struct profile *p);

/* Part of loading, after each context: replaces windows by sums when there are too many. */
void profile_bound(struct profile *p);

/* Adds the windows of one context, visits[0..n) of the profile, to points and pools; sorts visits. */
void profile_reduce(struct profile *p, struct profile_visits *visits, size_t n);

/* Is the period of this point the length of a span?  By the masks of its kinds and measures. */
bool profile_is_latency(unsigned kinds, unsigned measures);

/* Are the windows of this point whole runs? */
bool profile_is_whole(const struct profile *p, size_t point);

/* Is it used?  Counts what is to be counted otherwise. */
bool profile_use(const struct profile *p, const struct profile_visits *v, struct profile_set_aside *count);

/* Adds a window that is used; a baseline adds nothing. */
void profile_activity_add(struct profile_activity *a, const struct profile_window *w);

struct causal_obs profile_obs(const struct profile *p, const struct profile_visits *v);

/* The pool of a point and region; NULL when there is none. */
const struct profile_pool *profile_pool_of(const struct profile *p, size_t point, size_t region);

/* Part of finishing, when runs are in order: finds those that were planned together. */
void profile_find_sessions(struct profile *p);

/*
 * Part of loading: adds a warning, of `run` (PROFILE_NONE: of none), which so many
 * records are; varies: in other numbers, of which text has the greatest.  A run that
 * says it again says it once; it comes directly after itself.
 */
void profile_warn(struct profile *p, const char *what, const char *text, size_t run, size_t records, bool varies);

/* What texts that are one warning have in common, for the caller to free. */
char *profile_warning_key(const char *what, const char *text);

/* By time, then by what tells runs apart. */
int profile_compare_runs(const struct profile_run *a, const struct profile_run *b);

/* Sets every region's label: the shortest name that tells it from all others. */
void profile_label(struct profile *p);

#endif
