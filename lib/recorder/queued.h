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
	int64_t tid, ns;
};

struct queued {
	struct queued_thread *thread; /* owned; those that lived when we last looked, by tid */
	size_t n;
	bool all;   /* we looked at all there were, so that another one is new */
	int64_t ns; /* of all threads, since we first looked at them; what a thread queued for after the last look is lost */
};

void queued_release(struct queued *q);

/*
 * Looks at up to `room` threads of the process, adds to q->ns, and answers at how
 * many it has looked; 0 also where the kernel does not tell.
 */
size_t queued_look(struct queued *q, pid_t pid, size_t room);

#endif
