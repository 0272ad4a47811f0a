/* wait: calls that can block. */
#ifndef ANDWEORC_RUNTIME_WAIT_H
#define ANDWEORC_RUNTIME_WAIT_H

#include <time.h>

#include "moment.h"
#include "switched.h"
#include "thread.h"

/*
 * A call that can block stands between wait_begin and one of the ends below.
 *
 *     struct wait w;
 *     wait_begin(&w, CLASS_IO, SITE, outside, WAIT_UNKNOWN);
 *     n = REAL(read)(fd, buf, size);
 *     n > 0 && key ? wait_by_peer(&w, key) : wait_outside(&w);
 *
 * errno stays as the real call set it.  Without a speedup, begin and end cost two
 * readings of the clock.
 */
struct wait {
	struct arena_thread *t; /* NULL: nothing to account for */
	const void *site;
	struct vclock_wait began;
	uint32_t class;         /* enum arena_class */
	bool outside;
	bool worked;            /* it is over, and the call has not waited; see was_work in wait.c */
	bool brief;             /* see wait_begin_brief */
	bool any;               /* any of several things can end it */
	bool told;              /* whether it gives up its processor; see switched.h */
	bool asked, blocked;    /* after a switch: the kernel was asked whether it had waited, and it had */
	bool by_clock;          /* it ends at a moment of the clock, whenever it began */
	bool hit;               /* in the region, and published so: the conductor credits as time passes */
	int64_t looked_ns;      /* when offcpu.c last looked before it; 0: never */
	int64_t extended_ns;    /* how much longer the wait has been made */
	int64_t again_ns;       /* when the last extension of the wait began */
	uintptr_t before;       /* the previous self.waiting, because waits nest (pthread_join inside a wrapped call) */
};

enum { WAIT_UNKNOWN = -1 };

/*
 * any.  site: the program's call.  outside: as far as is known, only the outside can
 * end the wait (a device, time, a process without the runtime); such a wait is credited
 * when it is in the region.  ns: how long it will be (sleeps), or WAIT_UNKNOWN.
 */
void wait_begin(struct wait *w, enum arena_class class, const void *site, bool outside, int64_t ns);

/*
 * any: sync_release of `key` (0: none) and wait_begin in one, for a call that lets another
 * thread go on and may then wait.
 */
void wait_begin_releasing(struct wait *w, enum arena_class class, const void *site, bool outside, int64_t ns, uint64_t key);

/*
 * any: corrects the event of the release by wait_begin_releasing, of the same key (0: none).  Call it when the call is over, before
 * one of the ends below.  The call has failed, and has released nothing; or it has found `room` that there had not been before.
 */
void wait_released_nothing(const struct wait *w, uint64_t key);
void wait_released_into(const struct wait *w, uint64_t key, uint64_t room);

/*
 * any: begins a call that the outside alone can end, and that most probably does not wait: a read of a file that is in memory.
 * False: calls at that site do wait, or nothing is known of them yet; then use wait_begin.  After the call, ask wait_was_brief.
 * True: there is nothing to account for.  False: it has waited since it began; one of the ends below follows.
 *
 * Both together cost two readings of the clock, also during experiments; one where the kernel tells of switches.
 */
bool wait_begin_brief(struct wait *w, enum arena_class class, const void *site);
bool wait_was_brief(struct wait *w);

/* any: after the call, is it certain that it has not waited?  The thread may have been preempted. */
static inline bool wait_has_not_blocked(struct wait *w)
{
	if (!w->told)
		return false;
	if (!switched())
		return true;
	if (!w->asked)
		w->blocked = switched_by_itself();
	w->asked = true;
	return !w->blocked;
}

/* any: ends a wait that another thread of the recording has ended, by a release of key. */
void wait_by_peer(struct wait *w, uint64_t key);
void wait_to_share(struct wait *w, uint64_t key);        /* the same for a lock that it shares from now on, as a reader does */
void wait_by_peer2(struct wait *w, uint64_t a, uint64_t b); /* by the key of two that was released later */

/* any: ends a yield.  The thread was perhaps waiting for another one, of which nothing is known. */
void wait_yielded(struct wait *w);

/* any: the thread, whose wait at that site has just ended, has yielded again since then, and so has waited on. */
void wait_yielded_again(int64_t since_ns, const void *site);

/* any: ends a wait that the outside has ended: a device, a time-out, an error, a signal. */
void wait_outside(struct wait *w);

/*
 * any: the same, where it is known when the outside began to do what the wait was for: at the last release of
 * `asked`, before the wait or in it.  A timer was set, or a read of a file was submitted.
 */
void wait_answered(struct wait *w, uint64_t asked);

/*
 * any: call after a wait has timed out.  In virtual time the thread would still be
 * waiting for as long as its debt; a pause after the wait would miss signals that
 * arrive in that time.  True: wait again, until *until on CLOCK_MONOTONIC (or for *ns).
 * Then call wait_extended, and if the wait has timed out again, this function again.
 */
bool wait_once_more(struct wait *w, struct timespec *until, int64_t *ns);
void wait_extended(struct wait *w);

/* any: ends a wait that was none: the call has found what it needs, and goes on with work of the program. */
void wait_none(struct wait *w);

/* any: as wait_outside, at a channel whose other end belongs to a process outside of the recording. */
void wait_stranger(struct wait *w);

/* any: is the calling thread profiled, and not inside the runtime? */
static inline bool wait_is_watched(void)
{
	return unlikely(arena != NULL) && self_slot() != NULL;
}

/* any: the same, and is a speedup on, so that clocks matter? */
static inline bool wait_is_accounted(void)
{
	return wait_is_watched() && window_speedup() != 0;
}

#endif
