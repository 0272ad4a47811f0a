/*
 * fd_wait: accounts for calls that read or write descriptors, or wait until that is
 * possible.
 *
 *     struct fd_wait t;
 *     ssize_t n;
 *
 *     fd_wait_begin(&t, fd, NO_FD, SITE);
 *     n = CALL(REAL(read)(fd, buf, size));
 *     fd_wait_end(&t, n >= 0);
 *
 * Before the call, the thread releases the keys that others may wait for: a reader
 * makes room, and a writer brings data.  After the call, the times at which keys were
 * released (see channel.h) tell whether a thread of the recording ended the wait:
 *
 *   since the wait began   that thread did
 *   not in this window     the outside did, or an error
 *   shortly before         what was wanted had been there, or was on its way
 *   long before            if the call took no time, what was wanted had been there;
 *                          else it came from the outside
 *
 * Context: any.  errno stays as the real call set it.  Without a speedup, no system
 * call is added.
 */
#ifndef ANDWEORC_WRAP_FD_WAIT_H
#define ANDWEORC_WRAP_FD_WAIT_H

#include "channel.h"
#include "runtime/moved.h"
#include "wrap.h"

/* Every real call that can block goes through this macro, so that all of them can be changed in one place. */
#ifndef CALL
#define CALL(expr) (expr)
#endif

/* Body of a wrapper.  Makes `call`, whose result is got_ (>= 0, or -1 for an error), runs `then`, and returns got_. */
#define TRANSFER_THEN(in, out, then, call)                                                                                   \
	do {                                                                                                                 \
		struct fd_wait t_;                                                                                           \
		__typeof__(call) got_;                                                                                       \
		if (likely(!wait_is_watched()))                                                                              \
			return call;                                                                                         \
		fd_wait_begin(&t_, in, out, SITE);                                                                           \
		got_ = CALL(call);                                                                                           \
		/* The other end may have closed the connection, or the terminal. */                                         \
		fd_wait_end(&t_, (ssize_t)got_ >= 0 || errno == ECONNRESET || errno == EIO);                                 \
		then;                                                                                                        \
		return got_;                                                                                                 \
	} while (0)

/* in: read from, out: written to. */
#define TRANSFER(in, out, call) TRANSFER_THEN(in, out, (void)0, call)

/*
 * The same for a call that returns the number of bytes that it has moved, either
 * sequentially (stream) or at an offset of a file.
 */
#define MOVE(in, out, stream, call) TRANSFER_THEN(in, out, moved_count(in, out, got_, stream), call)

/*
 * The same for a message queue: a receiver makes room, a sender brings a message.  `number` tells queues
 * apart; `data`: the key of what is in it, which is asked for while clocks matter.
 */
#define QUEUE(number, data, receives, call)                                                                                  \
	do {                                                                                                                 \
		struct fd_wait t_;                                                                                           \
		__typeof__(call) got_;                                                                                       \
		if (likely(!wait_is_watched()))                                                                              \
			return call;                                                                                         \
		fd_wait_begin_queue(&t_, number, wait_is_accounted() ? (data) : 0, receives, SITE);                          \
		got_ = CALL(call);                                                                                           \
		fd_wait_end(&t_, got_ >= 0);                                                                                 \
		return got_;                                                                                                 \
	} while (0)

struct fd_wait {
	struct wait wait;
	int in, out;          /* NO_FD: none */
	bool named;           /* the keys are known */
	uint64_t released;    /* key of what the call releases; 0: none */
	uint64_t from, into;  /* keys that the call waits for: of data, of space; 0: none */
	uint32_t habit;       /* see below */
};

/* For threads that are watched (wait_is_watched). */
void fd_wait_begin(struct fd_wait *t, int in, int out, const void *site);
void fd_wait_end(struct fd_wait *t, bool done);

/*
 * The same, with keys from the caller: releases `release`, then waits for data (`from`) or room (`into`); 0: none.
 */
void fd_wait_begin_with(struct fd_wait *t, int fd, uint64_t release, uint64_t from, uint64_t into, const void *site);
void fd_wait_begin_queue(struct fd_wait *t, int number, uint64_t data, bool receives, const void *site);

/* The descriptor is about to be shut down, or closed: a thread that waits at the other end finds the end of the data. */
void fd_wait_end_of_data(int fd, const void *site);

/* It is about to be closed: also gives a lock of its file back, if it has one. */
void fd_wait_closes(int fd, const void *site);
void file_lock_end(int fd, const void *site); /* file.c */

/*
 * Remembers whether waits of one kind were last ended by a peer.  At the beginning of a
 * wait one must guess whether it is for a peer, and while clocks do not matter this is
 * all that is known.  `what` is any number that identifies the kind of wait.
 */
uint32_t habit_of(uint64_t what);
bool habit_is_peer(uint32_t habit);
void habit_learn(uint32_t habit, bool by_peer);

/* Finds, of several keys, the one that was released last. */
struct latest {
	uint64_t key;
	int64_t at; /* 0: none was released in this window */
};
void latest_of(struct latest *l, uint64_t key, int64_t not_before);

/*
 * Did a thread of the recording end this wait, which was successful?  Corrects
 * w->began.since_ns where the wait began after the release.
 */
bool wait_was_for_peer(struct wait *w, const struct latest *l);

#endif
