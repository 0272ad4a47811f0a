/*
 * collect: takes samples out of the rings of the program's threads, before these are full.
 *
 * A ring has room for ARENA_RING samples, which a thread takes in 128 ms.  Charging a sample to its regions may take
 * longer: the first access to debug information takes 0.1 to 0.9 s, and more when the machine is busy.  So samples
 * first go into a queue of the recorder, which takes little time.  While the queue is processed, and in any other long
 * operation of the recorder, an alarm (SIGALRM) moves new samples into it.
 *
 * There is one queue, because there is one run at a time.  Only the conductor calls
 * these functions.
 */
#ifndef ANDWEORC_RECORDER_COLLECT_H
#define ANDWEORC_RECORDER_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"

struct collected {
	uint32_t slot;    /* slot of the thread */
	uint32_t at;      /* the sample's number in the thread's ring */
	uint32_t process; /* index of the thread's process */
	struct arena_sample sample;
};

/* Begins to read the rings of this arena, with an empty queue. */
void collect_begin(struct arena *arena);

/* Stops reading rings, and frees the queue. */
void collect_end(void);

/* Moves samples from the rings into the queue.  Samples that find no room there stay in their ring. */
void collect_samples(void);

/* Takes the oldest sample out of the queue.  False: there is none. */
bool collect_next(struct collected *c);

/* Call around an operation that may take long.  The alarm may interrupt its system calls, so it must handle EINTR. */
void collect_while_busy(bool busy);

#endif
