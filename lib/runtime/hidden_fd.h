/*
 * hidden_fd: the runtime's own descriptors, hidden from the program.
 *
 * A program may rely on the numbers of descriptors: it may expect the lowest free
 * number for the next one, close all descriptors that it did not open, or choose any
 * number with dup2(2).  So ours have high numbers, and every call of the program with
 * one of those numbers behaves as if the number were free.
 *
 * All functions: context any.
 */
#ifndef ANDWEORC_RUNTIME_HIDDEN_FD_H
#define ANDWEORC_RUNTIME_HIDDEN_FD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

struct perf_event_attr;

enum { HIDDEN_FD_NUMBERS = 1 << 14 }; /* ours are below this; a larger table in the kernel makes fork(2) slow */

/*
 * Opens a perf event for the calling thread, at a high number.  -errno: the kernel refused
 * it, or no high number was free.
 */
int hidden_fd_open(struct perf_event_attr *attr, uint64_t *id);

/*
 * The present number of the calling thread's event that was opened as fd: it moves when the
 * program needs the number.  -1: it is closed.
 */
int hidden_fd_find(int fd, uint64_t id);

void hidden_fd_close(int fd, uint64_t id); /* fd < 0: nothing */

/* Is the descriptor one of ours?  Then the program's call is to fail with EBADF. */
bool hidden_fd_is_ours(int fd);

/*
 * any: the number of descriptors that select is to look at, where the program says n.  The kernel looks at no more than there is
 * room for, and there is more of that because of ours: programs with sets of the usual size that say "all that there may be" would
 * have what lies behind the sets read, and overwritten.
 */
int hidden_fd_limit(int n);

/* The first of ours in [fd, last]; HIDDEN_FD_NUMBERS: there is none. */
unsigned hidden_fd_next(unsigned fd, unsigned last);

/* Call before the program closes a descriptor, which must not be one that a thread is opening for us. */
void hidden_fd_wait_for_opening(void);

/* The first line of wrappers that take a descriptor: for the program, ours do not exist. */
#define GUARDED(fd)                                                                                                          \
	do {                                                                                                                 \
		if (__builtin_expect(hidden_fd_is_ours(fd), 0)) {                                                            \
			errno = EBADF;                                                                                       \
			return -1;                                                                                           \
		}                                                                                                            \
	} while (0)

/* Call before the program gives this number to a descriptor of its own.  Ours moves away. */
void hidden_fd_make_way(int fd);

/* For a forked child: closes the copies of its parent's descriptors. */
void hidden_fd_forget(void);

/* Stops (or starts again) the events of the calling thread, or of all of the process. */
void hidden_fd_stop(bool all, bool stop);

#endif
