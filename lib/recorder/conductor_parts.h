/*
 * conductor_parts: declarations that the parts of the conductor share.  conductor.c
 * performs a run, window.c experiments in it, observe.c bursts between them, and
 * whole_runs.c runs that are one experiment each.  experiment.c writes the records of
 * experiments.  speedup.c sets the speedup, trials.c plans trials, control.c starts and
 * stops experiments, and watch.c waits for events.  Private to these files.
 */
#ifndef ANDWEORC_RECORDER_CONDUCTOR_PARTS_H
#define ANDWEORC_RECORDER_CONDUCTOR_PARTS_H

#include "recorder/conductor.h"

struct tally {
	uint64_t samples, hits, sampled_ns, own_ns, worked_ns, credit_ns; /* sums over struct arena_thread */
	int64_t delay_ns; /* G */
	int64_t at_ns;
};

struct window {
	struct region *region; /* NULL: a baseline */
	unsigned pct;
	struct tally before, after;
	struct machine_use others; /* between before and after */
	bool opened[ARENA_POINTS], closed[ARENA_POINTS];
	enum machine_verdict verdict;
	size_t mark; /* position of the verdict in the journal's text */
	bool spoilt; /* the recorder was held up, so that the runtime took it for dead; or the run was not like others */
};

/*
 * Neither the program nor the user has marked a progress point, as far as is known by now,
 * and windows are wanted, not whole runs.
 */
static inline bool conductor_is_unmarked(const struct conductor *c)
{
	return c->points.nwanted == 0 && !c->plan->whole_runs && points_most_visits(&c->points) == 0;
}

/* ---- experiment.c ---- */

/* Reads the counters of all threads. */
struct tally conductor_tally(const struct conductor *c);

/*
 * Puts the record of an experiment into the journal's line, and its verdict into w.
 * Returns whether it was disturbed, as far as that is known.
 */
bool conductor_log(struct conductor *c, struct window *w);

/*
 * Writes that record, and those that belong to it.  A window that cannot be judged yet is
 * kept back until it can, or until the run ends.
 */
void conductor_put(struct conductor *c, const struct window *w);

/* Writes the windows that were kept back. */
void conductor_let_go(struct conductor *c);

/* ---- window.c ---- */

/* Performs trials until the run is over or the time is up. */
void conductor_experiment(struct conductor *c);

/* ---- observe.c ---- */

/* Before a run, or at its begin: is the run short, and is the whole run to be a burst? */
bool conductor_run_is_due(const struct conductor *c);

/* Performs such a run, and nothing else in it. */
void conductor_observe_run(struct conductor *c);

/* Performs a burst, if it is time for one. */
void conductor_observe(struct conductor *c);

/* Performs bursts until the run is over or the time is up. */
void conductor_observe_only(struct conductor *c);

/* ---- control.c ---- */

/* Call when a run begins, and when it has ended. */
void conductor_control_begin(struct conductor *c);
void conductor_control_end(void);

/*
 * Have experiments been stopped since the last look, so that the current window must be
 * dropped?  Not for whole runs.
 */
bool conductor_is_interrupted(const struct conductor *c);

/* Are samples to be dropped, because experiments are stopped? */
bool conductor_drops_samples(const struct conductor *c);

/* The end of the time for experiments, on CLOCK_MONOTONIC; 0: no limit. */
int64_t conductor_until(const struct conductor *c);

/* ---- watch.c ---- */

enum {
	TICK_MS = 1,         /* how often a visit is looked for */
	LOOK_AGAIN_MS = 200, /* time between looks at mappings, when there is unknown code */
};

/* From now on, ends of children wake up this conductor; NULL: none. */
void conductor_watch(struct conductor *c);

/* Looks at processes that have joined, and at their mappings (`all`: at the mappings of all processes). */
void conductor_read_modules(struct conductor *c, bool all);

/* Sleeps until `at`, or until a process has joined or ended, or a thread begins to wait in the region. */
void conductor_sleep(struct conductor *c, int64_t at);

/* Reaps our children: the command, and processes that became our children when their parents ended. */
void conductor_reap(struct conductor *c);

/* Fetches samples of all threads; and how often to do so. */
void conductor_drain(struct conductor *c);
int64_t conductor_drain_ns(const struct conductor *c);

/* Has the target ended, with its remaining processes? */
bool conductor_over(struct conductor *c);

/* Is the time of the recording up, or are all intervals narrow enough? */
bool conductor_time_is_up(const struct conductor *c);

/*
 * Sleeps until `at`, and fetches samples in that time.  False when the target ended, the
 * time is up, or experiments are stopped.
 */
bool conductor_rest(struct conductor *c, int64_t at);

/* ---- speedup.c ---- */

/* Sets the speedup of this region (NULL: none), in addition to that of the given region. */
void conductor_switch(struct conductor *c, struct region *region, unsigned pct);

/* Sets the period of the sampler, from the next window on: that of the samples which are kept, or a part of it where that is of use. */
void conductor_set_period(struct conductor *c);

/* Sets the phase of the current window. */
void conductor_phase(struct conductor *c, uint32_t phase);

/* Ends all speedups, also that of the given region. */
void conductor_to_normal(struct conductor *c);

/* Writes the given regions into the log; and adds their ids to an experiment's record. */
void conductor_know_given(struct conductor *c);
void conductor_log_given(const struct conductor *c, struct buf *b);

/* ---- trials.c ---- */

/* The next trial, from the current block or from a new one. */
const struct trial *conductor_trial(struct conductor *c, struct region **region);

/*
 * Call when the trial has been made.  A disturbed trial is repeated once.  At the end
 * of a block, sets c->enough when the recording may end.
 */
void conductor_tried(struct conductor *c, bool disturbed);

/* Call when an undisturbed window of this point has been logged. */
void conductor_learn(struct conductor *c, const char *point, const struct region *region, const struct causal_obs *obs);

#endif
