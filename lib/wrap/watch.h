/*
 * watch: waits for one of many things: descriptors, or operations of io_uring.
 *
 *     struct watch w;
 *     int ready;
 *
 *     watch_begin(&w, n, WAIT_UNKNOWN, SITE);
 *     ready = REAL(poll)(fds, n, timeout);
 *     while (watch_is_curious(&w) && ... there is another one ...)
 *             watch_ready(&w, fd, in, out);
 *     watch_end(&w, ready);
 *
 * After the call it is known what ended the wait: of the descriptors that are ready, the
 * one that a thread of the recording released last, if it did so during the wait.  If
 * none was released then, the outside ended it, perhaps by doing what it had been asked
 * for (wait_answered).  If nothing is ready, the wait was a
 * sleep.  A call that watches nothing is a sleep from its beginning.
 *
 * Context: any, for threads that are watched (wait_is_watched).
 */
#ifndef ANDWEORC_WRAP_WATCH_H
#define ANDWEORC_WRAP_WATCH_H

#include "fd_wait.h"

struct watch {
	struct wait wait;
	uint32_t habit;
	unsigned looked;
	struct latest latest;
	bool timer;     /* one is ready */
	uint64_t asked; /* for what the outside has done: the key by which it was asked; 0: not known */
};

enum { WATCH_MANY = 1000 }; /* nobody knows how many things, perhaps several */

/* n: so many things are watched; 0: none, the call sleeps.  ns: the time-out. */
void watch_begin(struct watch *w, size_t n, int64_t ns, const void *site);

/* Is it worth while to tell of one more that is ready? */
bool watch_is_curious(const struct watch *w);

/* The latest release that made fd ready: to be read from, or to be written to, if that was not before room_since. */
void latest_ready(struct latest *l, int fd, bool in, bool out, int64_t room_since);

/* fd is ready to be read from or written to. */
void watch_ready(struct watch *w, int fd, bool in, bool out);

/* The outside has done what a release of `asked` had asked for (0: not known); timer: time has passed. */
void watch_answer(struct watch *w, uint64_t asked, bool timer);

/* ready: how many are, or -1.  True: a thread has ended the wait, by a release of w->latest.key. */
bool watch_end(struct watch *w, int ready);

/*
 * The body of a wrapper that watches.  n, ns: as for watch_begin.  `end` ends the watch w_, after the call has returned got_.
 */
#define WATCH_THEN(end, n, ns, call)                                                                                         \
	do {                                                                                                                 \
		struct watch w_;                                                                                             \
		int got_;                                                                                                    \
		if (likely(!wait_is_watched()))                                                                              \
			return call;                                                                                         \
		watch_begin(&w_, n, ns, SITE);                                                                               \
		got_ = CALL(call);                                                                                           \
		end;                                                                                                         \
		return got_;                                                                                                 \
	} while (0)

/*
 * The kernel reports what is ready by a value that the program has chosen.  These note what
 * that value stands for.  tag: made of the value by key_of.  If values of one kind are the
 * same, the last one counts.  watch_noted: NO_FD when it has been forgotten.
 */
void watch_note(uint64_t tag, int32_t what);
int32_t watch_noted(uint64_t tag);

#endif
