/*
 * profile: one or more logs in memory, ready to be analyzed.
 *
 * Memory is bounded by runs, regions, windows and points: samples are not kept.
 * After profile_finish the content depends on the records alone, not on their
 * order nor on the order of the files.
 */
#ifndef ANDWEORC_PROFILE_PROFILE_H
#define ANDWEORC_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_NONE SIZE_MAX

/* Strings are owned; NULL (and number 0) = not in the log. */
struct profile_run {
	char *command, *commit, *host, *kernel, *cpu_model, *sampler, *mode;
	uint64_t cpus, period_ns, started_ns, seed;
	char *status;         /* NULL: no `end` record, the log was cut short */
	uint64_t wall_ns;
	uint64_t share_total; /* CPU samples */
	uint64_t windows_ns;  /* real time in windows */
	size_t windows, disturbed;
	bool defined;         /* a `run` record was seen, not only references */
};

struct profile_region {
	char *scope, *function, *symbol, *file, *also, *ranges;
	char *module;      /* path */
	uint64_t line;
	char *label;       /* unique; set by profile_finish */
	uint64_t samples;  /* of `share` records; set by profile_finish */
	uint64_t window_samples, window_total; /* of its own windows */
	bool defined;
	uint64_t module_id; /* while loading */
	size_t header;      /* which header defined it, from 0 */
};

struct profile_window {
	uint64_t id;       /* as in the log */
	size_t run;
	size_t region;     /* PROFILE_NONE for a baseline */
	uint64_t block;
	double s;          /* 0 .. 1 */
	uint64_t start_ns; /* since the start of the run */
	bool disturbed, defined;
};

struct profile_visits {
	size_t window, point;
	uint64_t count;     /* > 0 */
	double virtual_ns;  /* <= 0 is impossible and never used */
};

/* CPU samples of one run in one region */
struct profile_share {
	size_t run, region;
	uint64_t samples;
};

struct profile_point {
	char *name;
};

struct profile_warning {
	char *what, *text;
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
	struct profile_share *share;
	size_t nshares, cap_shares;
	struct profile_point *point;   /* by name */
	size_t npoints, cap_points;
	struct profile_warning *warning; /* by what and text, each once */
	size_t nwarnings, cap_warnings;
	size_t nheaders;
	size_t samples;                /* `sample` records */
	size_t impossible;             /* visits that took no or negative time */
};

#define PROFILE_INIT { 0 }

void profile_release(struct profile *p);

/*
 * Adds a log; "-" is standard input.  Bad lines are reported and passed over.
 * False, after a message, when it cannot be read.
 */
bool profile_load(struct profile *p, const char *path);

/* After the last log: joins what is one, sorts, labels.  Reports runs that are there twice. */
void profile_finish(struct profile *p);

/* Sets every region's label: the shortest name that tells it from all others. */
void profile_label(struct profile *p);

#endif
