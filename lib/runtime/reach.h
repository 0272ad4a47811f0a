/* reach: the parts of the arena, mapped as they are needed. */
#ifndef ANDWEORC_RUNTIME_REACH_H
#define ANDWEORC_RUNTIME_REACH_H

#include "runtime.h"

/* In the order of the members of struct arena_parts. */
enum arena_part { PART_MODULES, PART_SPANS, PART_LOGS, PART_THREADS };

enum {
	PIECES_OF_MODULES = 0,
	PIECES_OF_SPANS = PIECES_OF_MODULES + ARENA_PROCESSES,
	PIECES_OF_LOGS = PIECES_OF_SPANS + ARENA_SPANS / ARENA_SPANS_PIECE,
	PIECES_OF_THREADS = PIECES_OF_LOGS + ARENA_LOGS,
	PIECES = PIECES_OF_THREADS + ARENA_THREADS / ARENA_THREADS_PIECE
};

extern _Atomic(void *) reach_at[PIECES]; /* pieces of all parts, where they are mapped; NULL: not yet */

void *reach_place(void);                   /* init: the address for the mapping; NULL: any */
void reach_begin(struct arena *a, int fd); /* init: `a` is mapped up to its parts; takes over fd */
void reach_settle(void);                   /* init: closes that fd */
void reach_end(void);                      /* init: unmaps all that was mapped since reach_begin */

/*
 * any: no thread is profiled any more.  Threads may still look into the arena: it stays mapped, but reads as 0, is
 * private to the process, and takes no memory.
 */
void reach_blank(void);

/* any: maps piece i of that part; NULL: refused (a resource limit, a seccomp filter). */
void *reach_map(enum arena_part part, uint32_t i);

/* any: rows [first, first + n) of the unwind tables; NULL: they cannot be mapped, or n is 0. */
const struct unwind_row *reach_rows(uint32_t first, uint32_t n);

/* any: the i-th piece of that part, whose pieces begin at reach_at[first]; NULL: it cannot be mapped. */
static inline void *reach_piece(enum arena_part part, uint32_t first, uint32_t i)
{
	void *p = atomic_load_explicit(&reach_at[first + i], memory_order_acquire);

	return likely(p != NULL) ? p : reach_map(part, i);
}

/* any: where the modules of the process with that index are; NULL: that cannot be mapped. */
static inline struct arena_modules_piece *reach_modules_of(uint32_t index)
{
	return reach_piece(PART_MODULES, PIECES_OF_MODULES, index);
}

/* any: the slot of that index (0..); NULL: it cannot be mapped. */
static inline struct arena_thread *reach_thread(uint32_t index)
{
	struct arena_threads_piece *p =
		reach_piece(PART_THREADS, PIECES_OF_THREADS, index / ARENA_THREADS_PIECE % (PIECES - PIECES_OF_THREADS));

	return p ? &p->slot[index % ARENA_THREADS_PIECE] : NULL;
}

/* any: the same, if it is mapped already. */
static inline struct arena_thread *reach_thread_at_hand(uint32_t index)
{
	uint32_t i = index / ARENA_THREADS_PIECE % (PIECES - PIECES_OF_THREADS);

	return atomic_load_explicit(&reach_at[PIECES_OF_THREADS + i], memory_order_acquire) ? reach_thread(index) : NULL;
}

/* any: the place for spans of that index (0..); NULL: it cannot be mapped. */
static inline struct arena_spans *reach_spans(uint32_t index)
{
	struct arena_spans_piece *p = reach_piece(PART_SPANS, PIECES_OF_SPANS, index / ARENA_SPANS_PIECE % (PIECES_OF_LOGS - PIECES_OF_SPANS));

	return p ? &p->at[index % ARENA_SPANS_PIECE] : NULL;
}

/* any: the log of a burst with that index; NULL: it cannot be mapped. */
static inline struct arena_log *reach_log(uint32_t index)
{
	struct arena_log_piece *p = reach_piece(PART_LOGS, PIECES_OF_LOGS, index % ARENA_LOGS);

	return p ? &p->log : NULL;
}

#endif
