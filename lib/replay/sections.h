/*
 * sections: the sections of locks in which threads wait for conditions, or signal them.
 *
 * Used while a recording is learned: sections.c finds the sections, conditions.c the rules
 * by which their waits end.  Private to replay.
 */
#ifndef ANDWEORC_REPLAY_SECTIONS_H
#define ANDWEORC_REPLAY_SECTIONS_H

#include "replay/replay_parts.h"

/* From a thread's taking of a lock to its release.  Waits for a condition are inside. */
struct section {
	uint32_t script, lock, entry, exit, class; /* entry, exit: steps; NOBODY: not in the burst, or not known */
	uint32_t anchor;  /* step after which it tests the predicate; NOBODY: unknown */
	uint32_t awaits;  /* the condition whose predicate it tests; NOBODY: none */
	uint32_t went_on; /* step after which the predicate held: the last wait, else the anchor */
};

/* A wait or a signal, by its step, and the section that it belongs to. */
struct act {
	uint32_t section, step, condition, script; /* section: NOBODY: none */
};

/* Owned by the caller.  Waits and signals are in the order of scripts, threads, and steps. */
struct sections {
	struct replay *replay;
	struct section *section;
	size_t n, cap;
	struct act *wait, *signal;
	size_t nwaits, wait_cap, nsignals, signal_cap;
	bool *has; /* by lock: it goes with a condition */
};

void sections_find(struct sections *x, struct replay *r);
void sections_release(struct sections *x);

#endif
