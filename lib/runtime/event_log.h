/* event_log: notes the events of a burst. */
#ifndef ANDWEORC_RUNTIME_EVENT_LOG_H
#define ANDWEORC_RUNTIME_EVENT_LOG_H

#include "moment.h"

/* any: is a burst on, so that every event must be noted? */
static inline bool event_on(void)
{
	return unlikely(window_phase(atomic_load_explicit(&arena->clock.window_word, memory_order_relaxed)) == PHASE_BURST);
}

/* any: notes an event of the calling thread.  kind: enum burst_kind, perhaps with BURST_ANY.  Of a key, only the low half is noted. */
void event_note(struct arena_thread *t, unsigned kind, int64_t at_ns, int64_t waited_ns, uint64_t object, uint64_t other,
		const void *site);

/*
 * any: takes the release of `key` back that the thread noted at that time.  False: that is not its last event, and stays.  A sample has
 * come after it.
 */
bool event_withdraw_release(struct arena_thread *t, int64_t at_ns, uint64_t key);

/* any: notes that the thread took `room` before it released `key` at that time.  Nothing is noted if that is not its last event. */
void event_release_took(struct arena_thread *t, int64_t at_ns, uint64_t key, uint64_t room, const void *site);

/* any: notes a yield.  If it follows another one within YIELD_AGAIN_NS, both are one event. */
void event_poll(struct arena_thread *t, int64_t now, int64_t waited_ns, const void *site);

/* any: has the thread noted an event in this burst? */
static inline bool event_has_log(const struct arena_thread *t)
{
	return t->log && t->log_window == current_window();
}

/*
 * any: notes how long the thread has been without a processor since event_ran.  Call it
 * before the event of a wait or of a sample.
 */
void event_queued(struct arena_thread *t, int64_t now);
void event_ran(int64_t now); /* any: begins to count that anew */

/*
 * any: notes the end of a wait of this kind, which is OUTSIDE or SLEEP, and how much of it was processor time.  Call
 * event_queued when the wait begins.
 */
void event_outside(struct arena_thread *t, unsigned kind, int64_t now, int64_t waited_ns, const void *site);

#endif
