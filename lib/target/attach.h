/*
 * attach: brings the runtime into a process that was started without it, for a while.
 *
 * Threads of the process load the runtime, redirect calls of libc's functions to it, and
 * start to take samples.  At the end all of that is undone, but the library stays loaded.
 * Threads do this one after the other (see inject.h and lib/runtime/attach.h).  The one that
 * loads the library is stopped for some milliseconds, each other for some hundred
 * microseconds.
 *
 * The thread that loads the library must not be in the dynamic linker, in an allocator or in
 * a signal handler.  Its stack shows that.
 */
#ifndef ANDWEORC_TARGET_ATTACH_H
#define ANDWEORC_TARGET_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct attachment {
	pid_t pid;          /* 0: not attached */
	uint64_t entry;     /* address of attach_call in the process */
	uint64_t region;    /* address of memory for calls there; 0: none */
	unsigned missed;    /* threads that could not be reached */
	int64_t longest_ns; /* the longest time for which a thread was stopped */
};

/*
 * Attaches to the process.  `arena` is the name of the arena from launch_arena_name,
 * `runtime` the path of the library.  If it cannot, it prints why and returns false; then
 * nothing has changed in the process, except that the library may have been loaded.
 */
bool attach_begin(struct attachment *a, pid_t pid, const char *runtime, const char *arena);

/* Detaches, unless the process has ended.  A warning says what could not be undone. */
void attach_end(struct attachment *a);

#endif
