/*
 * burst: a stretch of a run of which every event is known.
 *
 * While a burst is on, the runtime notes what threads do to each other: what they
 * release and acquire, how long they wait, where they are sampled.  From that,
 * replay.h computes how long the same work would have taken with faster code.
 *
 * Between two events of its own a thread computes.  Times are nanoseconds since
 * the burst began; those of one thread do not go back.  What a thread did before
 * the burst is not known: neither which locks it has, nor how full a queue is.
 */
#ifndef ANDWEORC_REPLAY_BURST_H
#define ANDWEORC_REPLAY_BURST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "event.h"

struct burst_event {
	int64_t at_ns;     /* when the call returned; of RELEASE, UNLOCK and BIRTH, when it was entered */
	int64_t waited_ns; /* before at_ns */
	uint32_t object, other; /* as the recording numbers them, > 0 */
	uint32_t site;     /* the place in the program that the event came from, as the recording numbers it; 0: not known */
	enum burst_kind kind;
};

struct burst_thread {
	uint32_t id;        /* the same in each burst of a run */
	struct burst_event *event; /* in the order of time; owned */
	size_t n, cap;
};

struct burst {
	int64_t length_ns;  /* what came later is not in it */
	unsigned cpus;      /* that the program may use, > 0 */
	int64_t others_ns;  /* processor time that other programs and the hypervisor had, */
	bool others_known;  /* if that is known */
	bool whole;         /* it holds all of the run */
	uint32_t work;      /* the point that counts processor time; 0: none does */
	struct burst_thread *thread; /* owned */
	size_t n, cap;
};

void burst_release(struct burst *b);

/* The thread of that id, which is made when it is new. */
struct burst_thread *burst_thread(struct burst *b, uint32_t id);

/* Adds an event to the thread. */
void burst_add(struct burst_thread *t, const struct burst_event *e);

/*
 * Joins waits that a thread broke off in vain: the time was up, it looked, taking locks at
 * most, and waited at the same place again.  One wait becomes of them, which ends as the
 * last one did; those that last until the end of the burst are left out.
 */
void burst_join_timeouts(struct burst *b);

/*
 * Makes processor time a progress point: each sample is followed by a visit, of as many
 * microseconds as it stands for.
 */
void burst_count_work(struct burst *b, uint32_t point);

/*
 * The text of events in a log, andweorc(5): one after the other, each a letter for its
 * kind and then those of its numbers that the kind has, in this order: nanoseconds since
 * the event before (of the thread's first one: since the burst began), waited_ns, object,
 * other, site.  A number is its digits in base 32, the lowest first, each one character of
 *
 *     0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_
 *
 * of which the last 32 say that another digit follows.  So an event mostly takes 6 to 12 bytes.
 */

/* Appends the event to the text; `before_ns` is at_ns of the event before it. */
void burst_write(struct buf *b, const struct burst_event *e, int64_t before_ns);

/* Adds the events of such a text to the thread.  False where it is not well-formed; what came before that is kept. */
bool burst_read(struct burst_thread *t, const char *text);

#endif
