/*
 * collect: takes samples out of the rings of the program's threads, before these are full.
 *
 * A ring has room for ARENA_RING samples, which a thread takes in 128 ms.  To find out what a sample is charged to may
 * take longer: the first look into debug information takes 0.1 to 0.9 s, and more when the machine is busy.  So samples
 * first go into a queue of the recorder's own, which costs little.  While they are worked off, and whenever else
 * the recorder is busy for long, an alarm (SIGALRM) moves those that have come since.
 *
 * There is one queue, as there is one run at a time.  All calls are the conductor's.
 */
#ifndef ANDWEORC_RECORDER_COLLECT_H
#define ANDWEORC_RECORDER_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"

struct collected {
	uint32_t slot;    /* of the thread */
	uint32_t at;      /* the sample's number in the thread's ring */
	uint32_t process; /* index of the thread's process */
	struct arena_sample sample;
};

/* The rings of this arena are read from now on.  The queue is empty. */
void collect_begin(struct arena *arena);

/* No ring is read any more.  Frees the queue. */
void collect_end(void);

/* Moves what is in the rings into the queue.  What finds no room there stays in its ring. */
void collect_samples(void);

/* Takes the oldest sample out of the queue.  False: there is none. */
bool collect_next(struct collected *c);

/* Something that may take long begins, or has ended.  It may be interrupted, so it must be able to go on after EINTR. */
void collect_while_busy(bool busy);

#endif
