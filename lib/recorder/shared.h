/*
 * shared: how the recorder reads the arena.
 *
 * The program can write there, by a wild pointer or on purpose, at any time.  So
 * each index, count, kind and name is taken from here: it is read once, and is
 * what it may be.  A number that only is logged or summed up needs no such care.
 */
#ifndef ANDWEORC_RECORDER_SHARED_H
#define ANDWEORC_RECORDER_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"

/*
 * The slots of threads that are mapped: those of the arena that was made last, or as
 * many as there can be.
 */
extern uint32_t shared_slots;

static inline uint32_t shared_count(const _Atomic uint32_t *from, uint32_t most)
{
	/* Pairs with the releases in the runtime: what is counted is there. */
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

/* Of points there are arena_points(a). */
static inline enum point_kind shared_kind(const struct arena *a, uint32_t point)
{
	uint32_t kind = *(const volatile uint32_t *)&a->point[point].kind;

	return kind <= POINT_AUTOMATIC ? (enum point_kind)kind : POINT_THROUGHPUT;
}

/* Stays as it is until the name of the same point is asked for again. */
const char *shared_name(const struct arena *a, uint32_t point);

/* Visits that threads have counted, without those of counters. */
uint64_t shared_visits(const struct arena *a, uint32_t point);

/* Samples of threads that found no room. */
uint64_t shared_lost(struct arena *a);

/* Logs of a burst. */
static inline uint32_t shared_logs(const struct arena *a)
{
	return shared_count(&a->logs_used, ARENA_LOGS);
}

/* i < shared_logs(a); *n events of it, of the threads of the slot *slot.  NULL: it is none. */
const struct arena_event *shared_log(const struct arena *a, uint32_t i, uint32_t *n, uint32_t *slot);

/* The number of samples in the ring of t; *tail is the number of the first. */
uint32_t shared_ring(const struct arena_thread *t, uint32_t *tail);

/* A sample of that ring. */
struct arena_sample shared_sample(const struct arena_thread *t, uint32_t at);

#endif
