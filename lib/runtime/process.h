/* process: the processes of a recording. */
#ifndef ANDWEORC_RUNTIME_PROCESS_H
#define ANDWEORC_RUNTIME_PROCESS_H

#include <sys/types.h>

#include "reach.h"

extern struct arena_process *process; /* our entry; not NULL when arena is not */
extern int32_t process_pid;           /* as getpid() has it */

/* init: takes an entry.  False when there is none.  argv NULL: the recorder has noted the command. */
bool process_join(struct arena *a, int argc, char *const *argv);

/* any: index of our entry, + 1: never 0. */
static inline uint32_t process_number(void)
{
	return (uint32_t)(process - arena->process) + 1;
}

/* any: is that a process of the recording? */
bool process_is_recorded(pid_t pid);

/* any: where our modules are.  Mapped as long as `process` is not NULL. */
static inline struct arena_modules_piece *reach_modules(void)
{
	return atomic_load_explicit(&reach_at[PIECES_OF_MODULES + process_number() - 1], memory_order_relaxed);
}

/*
 * any: notes the clock of the calling thread, which is about to fork.  The clock will have
 * moved on before the child runs.
 */
void process_forking(void);

/*
 * Run by pthread_atfork in a forked child, by its only thread: joins the recording as a
 * new process, with the clock of the thread that forked it.  A child that is made past
 * libc is not profiled until it execs.  A child of vfork(2) counts as its parent until
 * it execs.
 */
void process_forked(void);

/* init: the main thread is about to enter its program. */
void process_begin(void);

/* any: the calling thread has been adopted; it may be the first one of the program. */
void process_adopt(void);

/* any: wakes the conductor, which has something to look at. */
void process_news(void);

#endif
