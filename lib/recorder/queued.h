/*
 * queued: how long the threads of a process were runnable without a processor.
 *
 * Samples of the class `runqueue` show less: a thread that waits often does not read
 * the clock at the begin and end of each wait, so its time in the queue between them is
 * not seen.  The kernel counts all of it, for each live thread.
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
	struct queued_thread *thread; /* owned; threads that were alive at the last look, by tid */
	size_t n;
	bool all; /* these were all threads, so that any other one is new */
};

void queued_release(struct queued *q);

/*
 * How long the threads of the process have queued since the last call, in ns; 0 for the
 * first call, and where the kernel does not tell.  Looks at up to *room threads, and
 * subtracts their number from it.  When a thread ends, its time since the last call is
 * lost.
 */
int64_t queued_since(struct queued *q, pid_t pid, size_t *room);

#endif
