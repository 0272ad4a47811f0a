/*
 * seccomp_filter: what a seccomp filter of the program's own leaves us.
 *
 * A filter allows what the program calls, and may kill for the rest.  So from the
 * moment that one is installed, each system call of ours (lib/runtime/sys.h) is
 * tried on a copy of it first; one that would not be allowed is not made, and
 * fails with ENOSYS: new threads are not sampled, pauses spin instead of sleeping.
 * A filter that does not even allow to return from a signal handler ends the
 * sampling of the threads that it holds for; strict mode ends everything for its
 * thread.
 */
#ifndef ANDWEORC_RUNTIME_SECCOMP_FILTER_H
#define ANDWEORC_RUNTIME_SECCOMP_FILTER_H

#include <stdbool.h>

struct seccomp_filter {
	int filter;      /* as it is kept here; -1: none */
	unsigned length; /* its steps */
	bool blind;      /* there was no room for it, or no way to read it */
	bool left;       /* the calling thread has stopped being profiled */
	bool stopped;    /* nobody is sampled any more */
};

/* any: before the call that installs a filter (prog as the kernel gets it), or strict mode. */
void seccomp_filter_prepare(struct seccomp_filter *s, bool strict, bool all_threads, const void *prog);

/* any: after it; done: it has succeeded. */
void seccomp_filter_settle(struct seccomp_filter *s, bool done);

#endif
