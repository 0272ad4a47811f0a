/*
 * processes: the processes of a recording, as the recorder sees them.
 *
 * Each process that joins the arena has an entry there.  Here the recorder keeps its
 * mappings, and whether it is alive.  A process of a pid namespace that the recorder
 * cannot see takes part, too, but the recorder cannot read its state or send it
 * signals.
 */
#ifndef ANDWEORC_RECORDER_PROCESSES_H
#define ANDWEORC_RECORDER_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "recorder/journal.h"
#include "recorder/queued.h"
#include "regions/mapping.h"
#include "runtime/arena.h"

/* The file that a process runs. */
struct program {
	dev_t dev;
	ino_t ino;
};

struct member {
	pid_t pid;        /* as in the arena; 0: the entry is free */
	uint32_t id;      /* as in the arena; 0: the entry has just been taken */
	int pidfd;        /* readable once the process has ended; -1: none */
	bool ended;       /* this program has ended: the entry is to be freed */
	bool exec;        /* it has ended by an exec */
	struct program program; /* when its mappings were last read */
	struct queued queued;
	int64_t met_ns;   /* when it joined, as far as is known */
	unsigned astray;  /* consecutive looks at which a sampling signal had no handler */
	struct space space;
};

/* How a child of ours ended, kept until its entry is freed. */
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
	unsigned alive;       /* live processes that have joined, without those of unseen namespaces */
	unsigned lost;        /* processes that became programs without the runtime */
	pid_t missing[REAPED]; /* the last of them, in a ring; 0: it has joined after all */
	unsigned nmissing;
	uint32_t looked_at;   /* the look at which its program was last checked */
	int64_t same_ns;      /* when the first process was last seen with the program that joined */
	uint32_t cared_for;   /* the entry that was last checked for harm by samples */
	int64_t forked_ns;    /* when a forked child was last met */
	uint32_t unaccounted; /* number of processes that ended, and for whose time no other process accounts, or not yet */
	struct reaped reaped[REAPED]; /* the last ended children, in a ring */
	unsigned nreaped;
	int64_t queued_ns;    /* waiting time for processors of all processes, also of ended ones */
};

void processes_init(struct processes *p, struct arena *arena, struct mappings *modules, struct journal *journal, unsigned run);
void processes_release(struct processes *p);

/*
 * Reads the mappings of processes that have joined, and publishes them for their
 * runtime.  With `all`, reads those of all processes again (a module may have been
 * loaded).  True when there are new modules.
 */
bool processes_meet(struct processes *p, bool all);

/* Lets processes go on that wait until their modules have been searched. */
void processes_attended(struct processes *p);

/*
 * Finds the processes that have ended.  Then the caller fetches their last samples, and
 * frees their slots and entries by the second function.  Counters stay in the slots, so
 * nothing is lost.
 */
void processes_look(struct processes *p);
void processes_bury(struct processes *p);

/*
 * Call with the result of waitpid(2).  True: the child has stopped, because it has
 * asked its parent to trace it.  The recorder does not trace, and lets it go on.
 */
bool processes_stopped(pid_t pid, int status);

/* Notes how a child of ours has ended. */
void processes_reaped(struct processes *p, pid_t pid, int status);

/* Visits of all points by each process that lives, by index. */
void processes_visits(const struct processes *p, uint64_t visits[ARENA_PROCESSES]);

/* Logs the processes that are alive when the run ends. */
void processes_take_leave(struct processes *p);

/* The module that has the run-time address pc in the process with that index; NULL: unknown. */
const struct mapped *processes_find(const struct processes *p, uint32_t index, uint64_t pc);

/* The number of the process with that index; 0: there is none. */
uint32_t processes_id(const struct processes *p, uint32_t index);

/* Fills in the places of a sample whose module was unknown to the process, if it is known by now. */
void processes_name(struct processes *p, uint32_t index, struct arena_sample *s);

/*
 * Processor time of all live processes, and of their children that have ended and been waited for.  Those that the recorder
 * has waited for are in usage.h.
 */
int64_t processes_cpu_ns(const struct processes *p);

/*
 * How long threads of the target have been runnable without a processor, since the
 * first call.  This is a lower bound: only some of many threads are looked at, and see
 * queued_since.
 */
int64_t processes_queued_ns(struct processes *p);

#endif
