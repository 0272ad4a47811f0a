/*
 * progress: visits of progress points, and the windows that they open and close.
 *
 * A visit is counted in the slot of its thread, so that no shared cache line is
 * written.  While the conductor waits for a window to open or close, the first visiting
 * thread notes the visits of all threads and its own virtual time.  A window that runs
 * from visit to visit holds whole units of work; by Wald's identity its expected length
 * is the expected number of visits times the mean period, without the error of up to
 * one visit at each end that fixed windows have.
 */
#include "callpoint.h"
#include "event_log.h"
#include "moment.h"
#include "progress.h"
#include "reach.h"
#include "sync.h"
#include "thread.h"

/* any: the number of the point called `name`, made when it is new; -1 when there is no room. */
int point_number(const char *name)
{
	return arena ? arena_add_point(arena, name, POINT_THROUGHPUT) : -1;
}

static uint64_t visits_of_all(uint32_t point)
{
	uint32_t n = atomic_load_explicit(&arena->threads_used, memory_order_acquire);
	uint64_t sum = atomic_load_explicit(&arena->point[point].ends.count, memory_order_relaxed);

	for (uint32_t i = 0; i < n && i < ARENA_THREADS; i++)
		sum += atomic_load_explicit(&arena->visits[i][point], memory_order_relaxed);
	return sum;
}

/* At each point, one thread opens a window, and one closes it: the first to set this number. */
static bool take_window(_Atomic uint32_t *taken, uint32_t window)
{
	uint32_t seen = atomic_load_explicit(taken, memory_order_relaxed);

	return seen != window && atomic_compare_exchange_strong_explicit(taken, &seen, window, memory_order_relaxed,
									  memory_order_relaxed);
}

void point_open_or_close(uint32_t number)
{
	struct arena_point *p = &arena->point[number];
	/* Pairs with the release of the conductor: a thread that sees the phase sees the switch before it. */
	uint32_t word = atomic_load_explicit(&arena->clock.window_word, memory_order_acquire), window = window_number(word);

	if (likely(window_phase(word) == PHASE_IDLE || window_phase(word) == PHASE_BURST))
		return;
	if (window_phase(word) == PHASE_OPEN) {
		if (!take_window(&p->open_taken, window))
			return;
		p->open_ns = now_ns() - vclock_delay(&self.clock);
		p->open_count = visits_of_all(number);
		/* Pairs with the conductor's acquire, as below: the numbers are there before the mark is. */
		atomic_store_explicit(&p->opened, window, memory_order_release);
		return;
	}
	/* A window is closed only where it was opened. */
	if (atomic_load_explicit(&p->opened, memory_order_acquire) != window || !take_window(&p->close_taken, window))
		return;
	p->close_ns = now_ns() - vclock_delay(&self.clock);
	p->close_count = visits_of_all(number);
	atomic_store_explicit(&p->closed, window, memory_order_release);
}

void point_add(int point, uint64_t n)
{
	struct arena_thread *t = self.slot;
	uint32_t number = (uint32_t)point - 1;

	if (!t || number >= ARENA_POINTS)
		return;
	counter_add(&self.visits[number], n);
	runtime_enter();
	point_open_or_close(number);
	if (event_on())
		event_note(t, BURST_VISIT, now_ns(), 0, (uint64_t)point, n, NULL);
	runtime_leave();
}

/* Not inlined, so that a visit that only counts need not save registers. */
__attribute__((noinline)) void point_attend(struct arena_thread *t, uint32_t number)
{
	runtime_enter();
	account_up_to_here(&arena->point[number]);
	point_open_or_close(number);
	if (event_on())
		event_note(t, BURST_VISIT, now_ns(), 0, number + 1, 1, NULL);
	runtime_leave();
}

__attribute__((aligned(64))) void point_visit(int point)
{
	struct arena_thread *t = self.slot;
	uint32_t number = (uint32_t)point - 1;

	if (unlikely(!t || !arena || number >= ARENA_POINTS))
		return;
	/* Busy: in a signal handler that has interrupted the runtime. */
	if (point_count(number) && !self.busy)
		point_attend(t, number);
}

void callpoint_slow(uint32_t point)
{
	int saved = errno;

	point_attend(self.slot, point - 1);
	errno = saved;
}
