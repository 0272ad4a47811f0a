/*
 * burst: a part of a run in which every event is known.
 *
 * During a burst, the runtime notes the events of threads: releases and acquires, the
 * length of waits, samples.  From that, replay.h computes how long the same work would
 * have taken with faster code.
 *
 * Between two events of its own a thread computes.  Times are nanoseconds since
 * the burst began; those of one thread do not go back.  The state before the burst is
 * unknown: neither the locks that a thread holds, nor the contents of queues.
 */
#ifndef ANDWEORC_REPLAY_BURST_H
#define ANDWEORC_REPLAY_BURST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "event.h"

struct burst_event {
	int64_t at_ns;     /* when the call returned; for RELEASE, UNLOCK and BIRTH, when it was entered */
	int64_t waited_ns; /* before at_ns */
	uint32_t object, other; /* numbers of the recording, > 0 */
	uint32_t site;     /* number of the place in the program that the event came from; 0: unknown */
	enum burst_kind kind;
	bool any;          /* a wait that any of several things could have ended */
};

struct burst_thread {
	uint32_t id;        /* the same in each burst of a run */
	struct burst_event *event; /* in the order of time; owned */
	size_t n, cap;
};

struct burst {
	int64_t length_ns;  /* length; later events are not in it */
	unsigned cpus;      /* processors that the program may use, > 0 */
	int64_t others_ns;  /* processor time used by other programs and the hypervisor */
	bool others_known;  /* others_ns is known */
	bool whole;         /* it contains the whole run */
	uint32_t work;      /* the point that counts processor time; 0: none */
	struct burst_thread *thread; /* owned */
	size_t n, cap;
};

/* The thread does or sees something.  The other kinds tell how it spent its time. */
static inline bool burst_is_deed(enum burst_kind kind)
{
	return kind != BURST_SAMPLE && kind != BURST_WAITING && kind != BURST_QUEUED && kind != BURST_KERNEL && kind != BURST_MOVED;
}

/* `object` is one at which threads meet. */
static inline bool burst_is_about_object(enum burst_kind kind)
{
	return kind == BURST_RELEASE || kind == BURST_ACQUIRE || kind == BURST_UNLOCK || kind == BURST_LOCK || kind == BURST_WAIT;
}

/* `object` is that, or stands for what the outside was asked to do. */
static inline bool burst_has_object(enum burst_kind kind)
{
	return burst_is_about_object(kind) || kind == BURST_ANSWERED;
}

void burst_release(struct burst *b);

/* The thread of that id; created if there is none. */
struct burst_thread *burst_thread(struct burst *b, uint32_t id);

/* Adds an event to the thread. */
void burst_add(struct burst_thread *t, const struct burst_event *e);

/* The index of the first event by which the thread does or sees something; t->n: none. */
size_t burst_first_deed(const struct burst_thread *t);

/* The same after i. */
size_t burst_next_deed(const struct burst_thread *t, size_t i);

/* Is its first deed a wait of no length, at no place?  Then it begins there. */
bool burst_begins(const struct burst_thread *t);

/* Adds events of another list, in any order; each after what it would be in the middle of: a wait.  Sorts the list. */
void burst_insert(struct burst_thread *t, struct burst_thread *added);

/*
 * Makes processor time a progress point: each sample is followed by a visit, of as many
 * microseconds as it stands for.
 */
void burst_count_work(struct burst *b, uint32_t point);

/*
 * The text of events in a log, andweorc(5): one after the other, each a letter for its
 * kind (in upper case: `any`) and then those of its numbers that the kind has, in this order: nanoseconds since
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
