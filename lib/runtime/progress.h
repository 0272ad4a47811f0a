/* progress: visits of progress points. */
#ifndef ANDWEORC_RUNTIME_PROGRESS_H
#define ANDWEORC_RUNTIME_PROGRESS_H

#include "thread.h"

int point_number(const char *name);
void point_visit(int point);
void point_add(int point, uint64_t n); /* any: counts n units at once at an automatic point */

/*
 * any: counts a visit of a point (0..).  True: call point_attend, because a window is
 * to be opened or closed, or an experiment is on.
 */
static inline bool point_count(uint32_t number)
{
	const struct arena *a = arena; /* loaded once: the compiler assumes that the store to the counter could change it */

	counter_add(&self.visits[number], 1);
	return unlikely(window_phase(atomic_load_explicit(&a->clock.window_word, memory_order_relaxed)) != PHASE_IDLE ||
			atomic_load_explicit(&a->clock.speedup, memory_order_relaxed) != 0);
}

void point_attend(struct arena_thread *t, uint32_t number);

/*
 * any: a part of a visit, for span.c: opens or closes a window where the conductor
 * wants that.  The visit must be counted before.  Call it between runtime_enter and
 * runtime_leave.
 */
void point_open_or_close(uint32_t number);

#endif
