/*
 * hidden_fd: descriptors of ours, in the midst of the program's.
 *
 * The number of a descriptor is the program's business: it may count on the next
 * one being the lowest that is free, close all that it does not know, or put its
 * own in any place.  So ours lie high, and what the program does to their numbers
 * turns out as if they were free.
 *
 * All functions: context any.
 */
#ifndef ANDWEORC_RUNTIME_HIDDEN_FD_H
#define ANDWEORC_RUNTIME_HIDDEN_FD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

struct perf_event_attr;

/* An event of perf for the calling thread, out of the program's way; -errno: refused, or no number was free for it. */
int hidden_fd_open(struct perf_event_attr *attr, uint64_t *id);

/* Where the calling thread's event is, that was at fd: the program may have wanted the number.  -1: nowhere. */
int hidden_fd_find(int fd, uint64_t id);

void hidden_fd_close(int fd, uint64_t id); /* fd < 0: nothing */

/* Is it ours, so that the program is to be told that there is none (EBADF)? */
bool hidden_fd_is_ours(int fd);

/* The first line of wrappers that get a descriptor: what the program cannot know of is not there. */
#define GUARDED(fd)                                                                                                          \
	do {                                                                                                                 \
		if (__builtin_expect(hidden_fd_is_ours(fd), 0)) {                                                            \
			errno = EBADF;                                                                                       \
			return -1;                                                                                           \
		}                                                                                                            \
	} while (0)

/* The program is about to give the number to a descriptor of its own. */
void hidden_fd_make_way(int fd);

/* In a forked child: the copies of its parent's are closed. */
void hidden_fd_forget(void);

/* Stops (or starts again) the events of the calling thread, or of all of the process. */
void hidden_fd_stop(bool all, bool stop);

#endif
