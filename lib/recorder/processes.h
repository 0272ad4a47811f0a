/*
 * processes: the processes of a recording, as the recorder sees them.
 *
 * Each process that joins the arena has an entry there; here is what else the
 * recorder knows of it: what it has mapped, and whether it lives.  A process of
 * another pid namespace whose number here it cannot know takes part all the same;
 * nothing is asked of it, and nothing done to it.
 */
#ifndef ANDWEORC_RECORDER_PROCESSES_H
#define ANDWEORC_RECORDER_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "recorder/journal.h"
#include "recorder/mapping.h"
#include "recorder/queued.h"
#include "runtime/arena.h"

/* The file that a process runs. */
struct program {
	dev_t dev;
	ino_t ino;
};

struct member {
	pid_t pid;        /* as in the arena; 0: the entry is free */
	uint32_t id;      /* the same; 0: it has just been taken */
	int pidfd;        /* readable once the process has ended; -1: none */
	bool ended;       /* as this program: to be buried */
	bool exec;        /* by becoming another one */
	struct program program; /* as its space was last read */
	int64_t cpu_ns;   /* processor time of the process, as last asked for */
	struct queued queued;
	int64_t met_ns;   /* when it joined, as far as we know */
	unsigned astray;  /* how often in a row a signal of the runtime's was seen to have no handler */
	struct space space;
};

/* How a child of ours ended, until it is buried. */
struct reaped {
	pid_t pid;
	int status; /* as wait(2) has it */
};

enum { REAPED = 64 };

struct processes {
	struct arena *arena;
	struct mappings *modules;
	struct journal *journal;
	unsigned run;
	struct member member[ARENA_PROCESSES]; /* by index of the arena's entry */
	unsigned alive;       /* that have joined and not been seen to end, among those that can be seen */
	unsigned lost;        /* that became programs without the runtime */
	pid_t missing[REAPED]; /* the last of them, in a ring; 0: it has come to joining */
	unsigned nmissing;
	uint32_t looked_at;   /* whose program was looked at last, by number of looks, */
	int64_t same_ns;      /* when the first process was last seen to be the program that joined */
	uint32_t cared_for;   /* and which of them was asked whether samples do it harm */
	uint32_t changes;     /* joins and ends */
	struct reaped reaped[REAPED]; /* the last ones, in a ring */
	unsigned nreaped;
	int64_t queued_ns;    /* of all processes, also of those that have ended */
};

void processes_init(struct processes *p, struct arena *arena, struct mappings *modules, struct journal *journal, unsigned run);
void processes_release(struct processes *p);

/*
 * Meets those that have joined, and tells each where its modules are; with `all`, looks
 * at all of them again (a module may have been loaded).  True when there are
 * modules that were not there before.
 */
bool processes_meet(struct processes *p, bool all);

/* Those that have been met go on, if they waited for it: what they have mapped has been searched. */
void processes_attended(struct processes *p);

/*
 * Looks which processes have ended.  Then the caller fetches the samples that are left,
 * and buries them: slots and entries are given back.  Counters stay in the slots, so
 * nothing is lost.
 */
void processes_look(struct processes *p);
void processes_bury(struct processes *p);

/*
 * waitpid(2) has told this of a child of ours.  True: that it stopped, because it has
 * asked its parent to trace it.  We do not: it is told to go on.
 */
bool processes_stopped(pid_t pid, int status);

/* A child of ours has ended so. */
void processes_reaped(struct processes *p, pid_t pid, int status);

/* Visits of all points by each process that lives, by index. */
void processes_visits(const struct processes *p, uint64_t visits[ARENA_PROCESSES]);

/* Logs those that live on as the run ends. */
void processes_take_leave(struct processes *p);

/* The module that has the run-time address pc in the process with that index; NULL: none that is known. */
const struct mapped *processes_find(const struct processes *p, uint32_t index, uint64_t pc);

/* Names the places of a sample that the process had no name for, as far as they are known by now. */
void processes_name(struct processes *p, uint32_t index, struct arena_sample *s);

/* Processor time of all that live.  Comparable between two calls if `changes` is the same. */
int64_t processes_cpu_ns(struct processes *p);

/*
 * How long threads of the target have been ready to run and without a processor, since
 * the first call.  It is at least so much: of many threads only some are looked at, and
 * see queued_since.
 */
int64_t processes_queued_ns(struct processes *p);

#endif
