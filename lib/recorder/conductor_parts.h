/*
 * conductor_parts: what the parts of the conductor share.  conductor.c has a run,
 * window.c one experiment after the other, observe.c bursts between them, whole_runs.c runs
 * that are one experiment each, and experiment.c the records of experiments; speedup.c
 * tells the runtime what is sped up, trials.c what is to be, control.c when there are to
 * be experiments at all, and watch.c waits for all of them.  Private to these.
 */
#ifndef ANDWEORC_RECORDER_CONDUCTOR_PARTS_H
#define ANDWEORC_RECORDER_CONDUCTOR_PARTS_H

#include "recorder/conductor.h"

struct tally {
	uint64_t samples, hits, sampled_ns, worked_ns, credit_ns; /* as struct arena_thread has them */
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
	size_t mark; /* where in the journal's text it belongs */
	bool spoilt; /* we were held up, and the runtime took us for dead; or the run was not like others */
};

/* No progress point is marked, by the program or by the user, as far as is known by now; and windows are wanted, not whole runs. */
static inline bool conductor_is_unmarked(const struct conductor *c)
{
	return c->points.nwanted == 0 && !c->plan->whole_runs && points_most_visits(&c->points) == 0;
}

/* ---- experiment.c ---- */

/* Counters of all threads, now. */
struct tally conductor_tally(const struct conductor *c);

/*
 * Puts the record of an experiment into the journal's line, and the verdict on it into
 * w.  Returns whether it was disturbed, as far as that is known.
 */
bool conductor_log(struct conductor *c, struct window *w);

/* Writes that, with what follows it; one that cannot be judged yet is kept back until it can, or the run ends. */
void conductor_put(struct conductor *c, const struct window *w);

/* Writes the windows that were kept back. */
void conductor_let_go(struct conductor *c);

/* ---- window.c ---- */

/* Performs trials until the run is over or the time is up. */
void conductor_experiment(struct conductor *c);

/* ---- observe.c ---- */

/* Before a run, or as it begins: is it short, and is it time to note one? */
bool conductor_run_is_due(const struct conductor *c);

/* Before anything else of such a run: notes all events of it. */
void conductor_observe_run(struct conductor *c);

/* Notes all events for a while, if it is time for that. */
void conductor_observe(struct conductor *c);

/* Notes events again and again, until the run is over or the time is up. */
void conductor_observe_only(struct conductor *c);

/* ---- control.c ---- */

/* A run begins, and has ended. */
void conductor_control_begin(struct conductor *c);
void conductor_control_end(void);

/* Have experiments been stopped since, so that what is being measured is to be dropped?  Runs that are compared as wholes are not. */
bool conductor_is_interrupted(const struct conductor *c);

/* Are samples of no use, as experiments are stopped? */
bool conductor_drops_samples(const struct conductor *c);

/* When the time for experiments is used up, on CLOCK_MONOTONIC; 0: never. */
int64_t conductor_until(const struct conductor *c);

/* ---- watch.c ---- */

enum {
	TICK_MS = 1,         /* how often a visit is looked for */
	LOOK_AGAIN_MS = 200, /* between looks at what is mapped, when there is unknown code */
};

/* Ends of children are news from now on; NULL: of nobody. */
void conductor_watch(struct conductor *c);

/* Looks at what has joined, and at what is mapped (`all`: by everybody, else by those alone). */
void conductor_read_modules(struct conductor *c, bool all);

/* Sleeps until `at`, or until there is news: a process has joined or ended, a thread waits in the region. */
void conductor_sleep(struct conductor *c, int64_t at);

/* Reaps our children: the command, and what has lost its parent and so become our child. */
void conductor_reap(struct conductor *c);

/* Fetches samples, of all threads; and how often that is to be done. */
void conductor_drain(struct conductor *c);
int64_t conductor_drain_ns(const struct conductor *c);

/* Has the target ended, with what it has left behind? */
bool conductor_over(struct conductor *c);

/* Of the recording, or there is nothing more to find out. */
bool conductor_time_is_up(const struct conductor *c);

/* Sleeps until `at`, fetching samples meanwhile.  False when the target ended, the time is up, or experiments are stopped. */
bool conductor_rest(struct conductor *c, int64_t at);

/* ---- speedup.c ---- */

/* From now on, this region (NULL: none) is sped up by so much, beside what is given. */
void conductor_switch(struct conductor *c, struct region *region, unsigned pct);

/* The phase of the window that is on. */
void conductor_phase(struct conductor *c, uint32_t phase);

/* Nothing is sped up any more, what is given neither. */
void conductor_to_normal(struct conductor *c);

/* The log knows of the regions that are given; and an experiment's record says which they are. */
void conductor_know_given(struct conductor *c);
void conductor_log_given(const struct conductor *c, struct buf *b);

/* ---- trials.c ---- */

/* The next trial, of the block that is on or of a new one. */
const struct trial *conductor_trial(struct conductor *c, struct region **region);

/*
 * The trial has been made.  What was disturbed is to be done once more.  At the
 * end of a block c->enough is set when the recording has come to its end.
 */
void conductor_tried(struct conductor *c, bool disturbed);

/* An undisturbed window of this point has been logged. */
void conductor_learn(struct conductor *c, const char *point, const struct region *region, const struct causal_obs *obs);

#endif
