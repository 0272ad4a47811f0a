/*
 * queued: how long the threads of a process were ready to run and had no processor.
 *
 * Samples of the class `runqueue` tell less: a thread that often waits for something
 * reads no clock as each wait begins and ends, so what it queued for in between is
 * not seen there.  The kernel counts all of it, for each thread that lives.
 */
#ifndef ANDWEORC_RECORDER_QUEUED_H
#define ANDWEORC_RECORDER_QUEUED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct queued_thread {
	pid_t tid;
	int64_t ns;
};

struct queued {
	struct queued_thread *thread; /* owned; those that lived when we last looked, by tid */
	size_t n;
	bool all; /* these were all there were, so that another one is new */
};

void queued_release(struct queued *q);

/*
 * How long the threads of the process have queued since the last call, ns; 0 for the first
 * call, and where the kernel does not tell.  Looks at up to *room threads, and takes their
 * number from it.  What a thread queued for after the last call is lost when it ends.
 */
int64_t queued_since(struct queued *q, pid_t pid, size_t *room);

#endif
