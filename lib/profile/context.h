/*
 * context: the records under one `andweorc` record, with ids of their own.
 * Within a context, records may come in any order.  So their data is gathered here, and
 * added to the profile when the context ends.
 */
#ifndef ANDWEORC_PROFILE_CONTEXT_H
#define ANDWEORC_PROFILE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "profile/observed.h"
#include "profile/profile.h"
#include "profile/untried.h"

struct context_run {
	struct profile_run run;
	bool defined; /* its record was read, not only a reference */
	size_t place; /* in the profile, when closing; PROFILE_NONE: the run is there already */
	size_t regions_then; /* regions that had been read when its shares were: those of later ones are not known */
};

#define CONTEXT_NOWHERE UINT64_MAX

struct context_region {
	struct profile_region region;
	bool defined;
	uint64_t module_id; /* CONTEXT_NOWHERE: of no module */
	size_t place; /* PROFILE_NONE: not defined */
};

struct context_window {
	struct profile_window window; /* its run and region are places in the context */
	bool defined;
	const char *given; /* ids of the given regions, a string of the profile; NULL: none */
	double given_pct;
	size_t place; /* PROFILE_NONE: not defined, or of a run that does not count */
};

/* Samples of one run in one region */
struct context_share {
	size_t run, region;
	uint64_t samples, blocked;
};

/* Warnings of one run whose texts differ in numbers alone. */
struct context_warning {
	char *what, *text; /* the text with the greatest numbers */
	uint64_t run; /* its id */
	bool of_run;
	size_t records;
	bool varies;
};

struct context_module {
	uint64_t id;
	char *path;
};

struct stacks_loading; /* stacks_load.c */

struct context {
	struct profile *p;
	struct idmap run_at, region_at, window_at; /* by id */
	struct idmap process_at;                   /* by run and id: processes that were counted */
	struct context_run *run;
	size_t nruns, cap_runs;
	struct context_region *region;
	size_t nregions, cap_regions;
	struct context_window *window;
	size_t nwindows, cap_windows;
	struct profile_visits *visits; /* visits in windows of the context, at points of the profile */
	size_t nvisits, cap_visits;
	struct context_ends *ends; /* latency.h: ends at latency points */
	size_t nends, cap_ends;
	struct context_spans *spans; /* spans of latency points */
	size_t nspans, cap_spans;
	struct lengths_bucket *bucket;
	size_t nbuckets, cap_buckets;
	struct context_share *share;
	size_t nshares, cap_shares;
	struct context_warning *warning;
	size_t nwarnings, cap_warnings;
	struct map warning_at; /* by run and what texts have in common */
	struct context_module *module;
	size_t nmodules, cap_modules;
	struct untried untried;
	struct stacks_loading *stacks; /* owned; NULL: stacks are not wanted */
	struct observed *observed;
	size_t nobserved, cap_observed;
	size_t first_window, first_visit; /* in the profile: of this context, from here on */
};

/* The place of an id; makes one when it is new. May move the array. */
size_t context_run(struct context *c, uint64_t id);
size_t context_region(struct context *c, uint64_t id);
size_t context_window(struct context *c, uint64_t id);

/*
 * Adds the context to its profile and empties it.  Reports, for `path`, references to
 * undefined records, and runs that the profile has already.
 */
void context_close(struct context *c, const char *path);

/* Part of closing: gives each region its place in the profile, and its strings to the profile. */
void context_add_regions(struct context *c);

void context_release(struct context *c);

#endif
