/*
 * profile: one or more logs in memory, ready to be analyzed.
 *
 * Each `andweorc` record begins a context, whose ids are its own.  When it ends, its
 * data is added here: runs, windows, regions by their names, sums over samples.  A window
 * takes about 150 bytes for one progress point.
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
#include "estimate/causal.h"
#include "format/kind.h"
#include "profile/lengths.h"
#include "profile/untried.h"
#include "replay/replay.h"

#define PROFILE_NONE SIZE_MAX

/* The time of a run's threads, in sampling periods; the classes are parts of `blocked`. */
struct profile_spent {
	uint64_t cpu, blocked, lock, io, sleep, runqueue;
};

/* Strings are the profile's; NULL (and number 0) = not in the log. */
struct profile_run {
	const char *command, *commit, *block, *side, *host, *kernel, *cpu_model, *sampler, *mode, *scope;
	uint64_t cpus, period_ns, started_ns, seed;
	const char *status;   /* NULL: no `end` record, the log was cut short */
	bool ended;           /* by itself: the recorder has not cut it short */
	uint64_t wall_ns;
	uint64_t threads_most; /* at a time, of all processes; 0: not known */
	uint64_t share_total; /* CPU samples */
	uint64_t share_blocked_total; /* blocked samples */
	struct profile_spent spent;   /* sums over `sample` records */
	uint64_t windows_ns;  /* real time in windows */
	uint64_t seen_ns;     /* from its start to the end of its last window */
	size_t windows, disturbed;
	size_t bursts, events; /* bursts that were replayed */
	double burst_ns;       /* the time of the bursts */
	bool named;           /* the user had named the regions */
	bool given;           /* a region was given in all its windows */
	size_t processes;
	size_t session;       /* the first run of those that were planned together */
	uint64_t hash;        /* hash of the fields that distinguish runs */
};

/* Strings are owned. */
struct profile_region {
	char *scope, *function, *symbol, *file, *also, *ranges;
	char *module;      /* path */
	char *line_hash, *context_hash, *function_hash; /* as resolve wrote them */
	uint64_t line, function_line;
	char *label;       /* unique; set by profile_finish */
	uint64_t samples, blocked; /* sums over `share` records */
	uint64_t plain_samples, plain_blocked; /* the part of these in runs without a given region */
	uint64_t window_samples, window_total; /* samples in its own windows */
	uint64_t plain_window_samples, plain_window_total; /* the part of these in runs in which nothing was given */
	size_t windows;    /* its own windows, including disturbed ones */
	bool tried;        /* it has windows, even if all were disturbed */
};

struct profile_window {
	size_t run;
	size_t region;     /* PROFILE_NONE for a baseline */
	uint64_t block;
	double s;          /* 0 .. 1 */
	uint64_t start_ns; /* since the start of the run */
	double wall_ns;    /* 0: not known */
	double queued_ns;  /* time of its threads, runnable without a processor: the sum, as far as it is known */
	double outside_ns; /* processor time of other programs, and of other guests of the hypervisor */
	uint32_t samples, region_samples; /* samples on CPU, and those in its region */
	double sampled_ns; /* time that the samples stand for; 0: not known */
	double own_ns;     /* the part of it that the runtime took */
	double done_us;    /* processor time of the run before its begin; 0: not known */
	bool disturbed;
};

struct profile_visits {
	size_t window, point;
	uint64_t count;     /* > 0 */
	double virtual_ns;  /* <= 0 is impossible and never used */
	double weight;      /* 0 .. 1: weight of the window */
	bool slow;          /* far slower than similar windows, whatever its weight */
};

/* Numbers of windows with visits that do not count, or count less, by reason. */
struct profile_set_aside {
	size_t disturbed;    /* set aside by the recorder; not in the numbers below */
	size_t slow;         /* far slower than similar windows */
	size_t downweighted; /* number of these that count less */
	size_t dropped;      /* the part of these with weight 0 */
	double weight;       /* sum of the weights of the downweighted ones */
};

/* Samples in the windows of a region. */
struct profile_activity {
	double windows, samples, hits; /* hits: in the region */
	double squares;                /* squares of hits, each divided by the samples of its window */
};

/* The meaning of the time of a latency point's visits; a mask, because logs may differ. */
enum profile_measure {
	MEASURE_ENDS = 1 << 0,      /* from one end to the next: throughput */
	MEASURE_SPANS = 1 << 1,     /* measured lengths of spans */
	MEASURE_IN_FLIGHT = 1 << 2, /* lengths by Little's law */
};

struct profile_point {
	char *name;
	unsigned kinds; /* enum kind */
	unsigned measures;     /* enum profile_measure */
	double clocked; /* if moments of the clock came sooner, this part of that would be gained, by replay; NAN: unknown, or none waits for them */
	double spans, crossing; /* measured spans, and those that began before the window's speedup was on */
	bool plain;     /* in some of its windows nothing was given */
	bool given;     /* in its windows a region was given */
	bool split;     /* other windows belong to a separate point (given_windows.h) */
};

/* A warning.  Texts that differ in numbers alone are one warning, with one of the texts. */
struct profile_warning {
	char *what, *text;
	size_t times;  /* runs with the warning; a record without a run counts as one */
	bool general;  /* a record without a run is about all runs */
	bool varies;   /* the numbers differ; `text` has those of one record */
	size_t last;   /* the last run with the warning */
};

enum { PROFILE_LEVELS = 20 }; /* replay is asked for at most so many speedups */

/* A result of replay for one run: the gain at a point, if a region were faster by s. */
struct profile_replayed {
	size_t run;    /* in the profile */
	size_t point;
	size_t region; /* PROFILE_NONE: the user's question */
	double s;
	enum replay_what what;
	double gain, chance, se, measured_ns; /* as in struct replay_effect; independent between runs */
	double trust;  /* as in struct replay_effect */
	double length_ns; /* of the bursts together */
	bool whole;    /* all of the run was observed */
	double unseen; /* time in waits whose end is not understood, as part of the length of the bursts */
	struct replay_modelled model[REPLAY_MODELS];
};

/* Is it about a mean, and not about a percentile? */
static inline bool profile_is_mean(const struct profile_replayed *r)
{
	return r->what <= REPLAY_MEAN;
}

/* A reason for the gain of a region: the longest waits of one run at one place, for an event at another place. */
struct profile_why {
	size_t region;
	bool own;          /* waits of the threads that run the region; else waits of other threads for these */
	double ns;         /* total time of these waits */
	double threads_ns; /* share of the time of the waiting threads */
	char *at, *until;  /* owned; "pzip.c:186 (queue_take)"; until NULL: not known, or outside of the program */
};

/* All windows. */
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
	struct what_if *what_if;       /* a question for replay, instead of one for each region; NULL: none; the caller's, set before loading */
	struct stacks *stacks;         /* gathers the chains of calls; NULL: none; the caller's, set before loading */
	struct profile_replayed *replayed;
	size_t nreplayed, cap_replayed;
	struct profile_why *why;
	size_t nwhys, cap_whys;
	struct lengths_table lengths;  /* of spans */
	struct profile_census census;
	char *first_given;             /* the given regions of the first window that was added: "", or as in the names of points; owned */
	bool mixed;                    /* another window has other given regions */
	uint64_t inside;               /* CPU samples whose innermost address is in a region */
	size_t impossible;             /* visits that took no or negative time */

	/* indices, used during loading */
	struct idmap run_at;           /* by hash of its identity */
	struct map region_at, warning_at;
	struct map text;               /* strings of runs: most runs share them */
	struct untried_names untried;  /* code in no region */
};

#define PROFILE_INIT { 0 }

void profile_release(struct profile *p);
void profile_release_region(struct profile_region *r); /* frees its strings and arrays */

/*
 * Adds a log; "-" is standard input.  Bad lines are reported and passed over.
 * False, after a message, when it cannot be read.
 */
bool profile_load(struct profile *p, const char *path);

/* Call after the last log: sorts, and sets labels. */
void profile_finish(struct profile *p);

/* Is the period of this point the length of a span?  By the masks of its kinds and measures. */
bool profile_is_latency(unsigned kinds, unsigned measures);

/* Are the windows of this point whole runs? */
bool profile_is_whole(const struct profile *p, size_t point);

/* Is the visit used?  If not, counts it by its reason. */
bool profile_use(const struct profile *p, const struct profile_visits *v, struct profile_set_aside *count);

/* Adds a window that is used; a baseline adds nothing. */
void profile_activity_add(struct profile_activity *a, const struct profile_window *w);

struct causal_obs profile_obs(const struct profile *p, const struct profile_visits *v);

/* Part of finishing, when runs are sorted: finds runs that were planned together. */
void profile_find_sessions(struct profile *p);

/*
 * Part of loading: adds a warning of `run` (PROFILE_NONE: none), from so many records.
 * varies: their numbers differ, and `text` has the greatest.  A run that repeats a
 * warning counts once; calls for one run must be consecutive.
 */
void profile_warn(struct profile *p, const char *what, const char *text, size_t run, size_t records, bool varies);

/* Is there such a warning about so many runs that it concerns the result? */
bool profile_is_warned(const struct profile *p, const char *what);

/*
 * Do visits, spans or runs wait for moments of the clock?  Experiments cannot slow it, and take a faster region for a faster
 * program.  Where the bursts have no such waits, the recorder's warning alone tells.
 */
bool profile_waits_for_clock(const struct profile *p, size_t point);

/* Drops the warning about the clock if no point waits for it.  Part of profile_finish. */
void profile_drop_clock_warning(struct profile *p);

/* The key of a warning: its text without numbers.  The caller frees it. */
char *profile_warning_key(const char *what, const char *text);

/* Compares runs by time, then by the other fields that distinguish them. */
int profile_compare_runs(const struct profile_run *a, const struct profile_run *b);

/* Sets every region's label: the shortest unique name. */
void profile_label(struct profile *p);

/* False: its code has no symbol, so its name is the place in the module, such as libz.so.1+0x1234. */
bool profile_region_has_name(const struct profile_region *r);

#endif
