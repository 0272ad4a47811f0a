/*
 * procstatus: facts about a process from /proc.
 */
#ifndef ANDWEORC_TARGET_PROCSTATUS_H
#define ANDWEORC_TARGET_PROCSTATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct procstatus {
	pid_t tracer;     /* pid of its tracer; 0: none */
	uint64_t caught;  /* signals that have a handler; bit n - 1 for signal n */
	uint64_t ignored; /* signals that it ignores, as a set */
	pid_t thread_of;  /* the process, as a thread's number may have been given */
	char state;       /* a letter, as proc(5) has it */
	uid_t uid;        /* the effective user, */
	gid_t gid;        /* and the effective group */
	bool nested;      /* it has another number in a pid namespace of its own */
	bool seccomp;     /* a filter, or strict mode, is on */
	long filters;     /* of seccomp; 0: none, or before Linux 5.9 */
};

/* The beginning of /proc/PID/FILE, as much as fits.  False when it cannot be opened. */
bool procstatus_text(pid_t pid, const char *file, char *text, size_t size);

/* False when there is no such process, or it may not be read. */
bool procstatus_read(pid_t pid, struct procstatus *s);

/*
 * How long the thread has been runnable without a processor since it began, in ns.
 * False when there is no such thread, or the kernel does not count that.
 */
bool procstatus_queued_ns(pid_t pid, pid_t tid, int64_t *ns);

#endif
