/*
 * processes: the processes of a recording, as the recorder sees them.
 *
 * Each process that joins the arena has an entry there; here is what else the
 * recorder knows of it: what it has mapped, and whether it lives.
 */
#ifndef ANDWEORC_RECORDER_PROCESSES_H
#define ANDWEORC_RECORDER_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "recorder/mapping.h"
#include "runtime/arena.h"

struct member {
	pid_t pid;            /* 0: the entry is free */
	uint32_t incarnation; /* as its space was last read; 0: never */
	int pidfd;            /* readable once it has ended; -1: none */
	int64_t cpu_ns;       /* processor time, as last asked for */
	struct space space;
};

struct processes {
	struct arena *arena;
	struct mappings *modules;
	struct member member[ARENA_PROCESSES]; /* by index of the arena's entry */
	unsigned alive;       /* that have joined and not been seen to end */
	uint32_t changes;     /* joins and ends */
};

void processes_init(struct processes *p, struct arena *arena, struct mappings *modules);
void processes_release(struct processes *p);

/*
 * Meets who has joined, and tells each where its modules are; with `all`, looks
 * at all of them again (a module may have been loaded).  True when there are
 * modules that were not there before.
 */
bool processes_meet(struct processes *p, bool all);

/*
 * Buries who has ended: gives back slots and entry.  Counters stay in the slots,
 * so nothing is lost; the samples must have been fetched before.
 */
void processes_bury(struct processes *p);

/* Names the places of a sample that the process had no name for, as far as they are known by now. */
void processes_name(struct processes *p, uint32_t index, struct arena_sample *s);

/* Processor time of all that live.  Comparable between two calls if `changes` is the same. */
int64_t processes_cpu_ns(struct processes *p);

#endif
