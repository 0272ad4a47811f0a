/*
 * attach: the runtime in a process that was started without it, for a while.
 *
 * The runtime is loaded into the process, calls of libc's functions are led to it, and
 * every thread is told to take samples; at the end all of that is undone, but the library
 * stays loaded.  All is done by threads of the process itself, one after the other (see
 * inject.h and lib/runtime/attach.h); each is stopped for a moment, some milliseconds for
 * the one that loads the library, some hundred microseconds for each other.
 *
 * The thread that loads the library is one that is certain to be neither in the dynamic
 * linker nor in an allocator nor in a handler of a signal, by its stack.
 */
#ifndef ANDWEORC_RECORDER_ATTACH_H
#define ANDWEORC_RECORDER_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct attachment {
	pid_t pid;          /* 0: to none */
	uint64_t entry;     /* attach_call in the process, */
	uint64_t region;    /* and memory there for calls; 0: none */
	unsigned missed;    /* threads that could not be reached */
	int64_t longest_ns; /* for which a thread was stopped */
};

/*
 * Attaches to the process; `arena` is the name of the arena as launch_arena_name has it,
 * `runtime` the path of the library.  False, after a message: it cannot be, and the process
 * is as it was, but for a library that may have been loaded.
 */
bool attach_begin(struct attachment *a, pid_t pid, const char *runtime, const char *arena);

/* Detaches.  A process that has ended meanwhile is none to detach from.  A warning says what could not be undone. */
void attach_end(struct attachment *a);

#endif
