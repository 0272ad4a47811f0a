/*
 * moved: progress of a program that marks none.
 *
 * The bytes that a program reads and writes, the answers that it sends, and what
 * OpenMP, MPI and Kokkos have done for it, are counted at progress points that the recorder
 * makes when it wants them (arena->moved).
 *
 * An answer is the first that is written to a descriptor after something has been
 * read from it: a request came, and its answer goes.  Reads and writes at a place
 * in a file (pread, pwrite) are no conversation.
 *
 * Context: any.
 */
#include "fd_wait.h"

enum { LISTENED = 4096 }; /* descriptors that are watched for answers */

static _Atomic uint8_t heard[LISTENED]; /* 1: read from since the last write */

static void visit(enum arena_moved kind, uint64_t n)
{
	uint32_t point = atomic_load_explicit(&arena->moved[kind], memory_order_relaxed);

	if (point)
		point_add((int)point, n);
}

static void converse(int in, int out)
{
	if (in >= 0 && in < LISTENED)
		atomic_store_explicit(&heard[in], 1, memory_order_relaxed);
	if (out >= 0 && out < LISTENED && atomic_load_explicit(&heard[out], memory_order_relaxed)) {
		atomic_store_explicit(&heard[out], 0, memory_order_relaxed);
		visit(MOVED_REPLIES, 1);
	}
}

static bool is_wanted(void)
{
	for (int kind = 0; kind < MOVED_UNASKED; kind++)
		if (atomic_load_explicit(&arena->moved[kind], memory_order_relaxed))
			return true;
	return false;
}

void moved_visit(enum arena_moved kind)
{
	if (unlikely(arena != NULL))
		visit(kind, 1);
}

void moved_count(int in, int out, int64_t n, bool stream)
{
	if (n <= 0 || !is_wanted())
		return;
	if (in != NO_FD)
		visit(MOVED_INPUT, (uint64_t)n);
	if (out != NO_FD)
		visit(MOVED_OUTPUT, (uint64_t)n);
	if (stream)
		converse(in, out);
}
