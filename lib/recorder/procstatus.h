/*
 * procstatus: what /proc says of a process that its own memory does not.
 */
#ifndef ANDWEORC_RECORDER_PROCSTATUS_H
#define ANDWEORC_RECORDER_PROCSTATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct procstatus {
	pid_t tracer;    /* who traces it; 0: nobody */
	uint64_t caught; /* signals that have a handler; bit n - 1 for signal n */
	pid_t thread_of; /* the process, as a thread's number may have been given */
	char state;      /* a letter, as proc(5) has it */
	uid_t uid;       /* effective, */
	gid_t gid;       /* and so is this */
	bool nested;     /* it has another number in a pid namespace of its own */
	bool seccomp;    /* a filter, or strict mode, is on */
};

/* False when there is no such process, or nothing can be learned of it. */
bool procstatus_read(pid_t pid, struct procstatus *s);

/*
 * How long the thread has been ready to run without a processor, ns, in all its life.
 * False when there is no such thread, or the kernel does not count that.
 */
bool procstatus_queued_ns(pid_t pid, pid_t tid, int64_t *ns);

#endif
