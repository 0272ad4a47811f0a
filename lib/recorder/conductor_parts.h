/*
 * conductor_parts: what conducting windows and conducting whole runs share.
 * Private to conductor.c, speedup.c, trials.c and whole.c.
 */
#ifndef ANDWEORC_RECORDER_CONDUCTOR_PARTS_H
#define ANDWEORC_RECORDER_CONDUCTOR_PARTS_H

#include "recorder/conductor.h"

struct tally {
	uint64_t samples, hits, sampled_ns, credit_ns; /* as struct arena_thread has them */
	int64_t delay_ns; /* G */
	int64_t at_ns;
};

struct window {
	struct region *region; /* NULL: a baseline */
	unsigned pct;
	int64_t length_ns;
	struct tally before, after;
	struct machine_use others; /* between before and after */
	bool opened[ARENA_POINTS], closed[ARENA_POINTS];
	bool spoilt; /* we were held up, and the runtime took us for dead; or the run was not like others */
};

/* Counters of all threads, now. */
struct tally conductor_tally(const struct conductor *c);

/* If nothing is heard of us for so long, we are no more, and nothing is sped up. */
#define ALIVE_NS 3000000000ll

/* From now on, this region (NULL: none) is sped up by so much, beside what is given. */
void conductor_switch(struct conductor *c, struct region *region, unsigned pct);

/* The log knows of the regions that are given; and an experiment's record says which they are. */
void conductor_know_given(struct conductor *c);
void conductor_log_given(const struct conductor *c, struct buf *b);

/* Sleeps until `at`, fetching samples meanwhile.  False when the target ended or the time is up. */
bool conductor_rest(struct conductor *c, int64_t at);

/* What is to be tried next: of the block that is on, or of a new one. */
const struct trial *conductor_trial(struct conductor *c, struct region **region);

/*
 * The trial has been made.  What was disturbed is to be done once more.  At the
 * end of a block c->enough is set when the recording has come to its end.
 */
void conductor_tried(struct conductor *c, bool disturbed);

/* An undisturbed window of this point has been logged. */
void conductor_learn(struct conductor *c, const char *point, const struct region *region, const struct causal_obs *obs);

/* Writes the record of an experiment, without visits.  Returns whether it was disturbed. */
bool conductor_log(struct conductor *c, const struct window *w);

#endif
