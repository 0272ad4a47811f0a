/*
 * shared: how the recorder reads the arena.
 *
 * The program can overwrite the arena at any time, by a wild pointer or on purpose.  So
 * each index, count, kind and name is read by these functions: it is read once, and
 * checked to be in range.  A number that is only logged or summed needs no such care.
 */
#ifndef ANDWEORC_TARGET_SHARED_H
#define ANDWEORC_TARGET_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"

/*
 * The number of mapped slots: those of the arena that was made last, or all possible
 * ones.
 */
extern uint32_t shared_slots;

static inline uint32_t shared_count(const _Atomic uint32_t *from, uint32_t most)
{
	/* Pairs with the releases in the runtime: all counted entries are complete. */
	uint32_t n = atomic_load_explicit(from, memory_order_acquire);

	return n < most ? n : most;
}

static inline uint32_t shared_processes(const struct arena *a)
{
	return shared_count(&a->processes_used, ARENA_PROCESSES);
}

static inline uint32_t shared_threads(const struct arena *a)
{
	return shared_count(&a->threads_used, shared_slots);
}

/* i < shared_threads(a) */
static inline struct arena_thread *shared_thread(struct arena *a, uint32_t i)
{
	return &a->parts.threads[i / ARENA_THREADS_PIECE].slot[i % ARENA_THREADS_PIECE];
}

/* Places where spans are measured. */
static inline uint32_t shared_places(const struct arena *a)
{
	return shared_count(&a->spans_used, ARENA_SPANS);
}

/* i < shared_places(a) */
static inline struct arena_spans *shared_spans(struct arena *a, uint32_t i)
{
	return &a->parts.spans[i / ARENA_SPANS_PIECE].at[i % ARENA_SPANS_PIECE];
}

static inline uint32_t shared_breaks(const struct arena *a)
{
	return shared_count(&a->breaks_used, ARENA_BREAKS);
}

/* There are arena_points(a) points. */
static inline enum point_kind shared_kind(const struct arena *a, uint32_t point)
{
	uint32_t kind = *(const volatile uint32_t *)&a->point[point].kind;

	return kind <= POINT_AUTOMATIC ? (enum point_kind)kind : POINT_THROUGHPUT;
}

/* The result is valid until the next call for the same point. */
const char *shared_name(const struct arena *a, uint32_t point);

/* Visits that threads have counted; visits at counters are not among them. */
uint64_t shared_visits(const struct arena *a, uint32_t point);

/* Number of samples that found a full ring. */
uint64_t shared_lost(struct arena *a);

/* Logs of a burst. */
static inline uint32_t shared_logs(const struct arena *a)
{
	return shared_count(&a->logs_used, ARENA_LOGS);
}

/*
 * The events of a log, i < shared_logs(a): *n events, of the threads of the slot *slot.
 * NULL: the log is not in use.
 */
const struct arena_event *shared_log(const struct arena *a, uint32_t i, uint32_t *n, uint32_t *slot);

/* The number of samples in the ring of t; *tail is the number of the first. */
uint32_t shared_ring(const struct arena_thread *t, uint32_t *tail);

/* A sample of that ring. */
struct arena_sample shared_sample(const struct arena_thread *t, uint32_t at);

#endif
