/*
 * seccomp_filter: obeys seccomp filters that the program installs.
 *
 * A filter allows the system calls of the program, and may kill the process for any
 * other.  So once a filter is installed, each system call of the runtime
 * (lib/runtime/sys.h) is first tried on a copy of the filter.  A call that the filter
 * would not allow is not made, and fails with ENOSYS. Then new threads are not sampled,
 * and pauses spin instead of sleeping.  If a filter does not allow the return from a
 * signal handler, its threads are not sampled any more.  In strict mode the thread is
 * not profiled at all.
 */
#ifndef ANDWEORC_RUNTIME_SECCOMP_FILTER_H
#define ANDWEORC_RUNTIME_SECCOMP_FILTER_H

#include <stdbool.h>

struct seccomp_filter {
	int filter;      /* index of the copy; -1: none */
	unsigned length; /* its steps */
	bool blind;      /* there was no room for the filter, or it could not be read */
	bool left;       /* the calling thread has stopped being profiled */
	bool stopped;    /* no thread is sampled any more */
};

/* any: call before a filter (prog as the kernel gets it) or strict mode is set. */
void seccomp_filter_prepare(struct seccomp_filter *s, bool strict, bool all_threads, const void *prog);

/* any: call after that; done: it has succeeded. */
void seccomp_filter_settle(struct seccomp_filter *s, bool done);

#endif
