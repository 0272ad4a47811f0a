/*
 * moved: see moved.h.
 *
 * They count the bytes that a program reads and writes, the answers that it sends, and
 * parallel regions of OpenMP, calls of MPI and kernels of Kokkos. The recorder creates the
 * points that it wants (arena->moved).
 *
 * An answer is the first write to a descriptor after a read from it: the read was the
 * request.  Reads and writes at an offset of a file (pread, pwrite) do not count.
 *
 * Context: any.
 */
#include "moved.h"
#include "progress.h"

enum { LISTENED = 4096 }; /* descriptors that are watched for answers */

static _Atomic uint8_t heard[LISTENED]; /* 1: read from since the last write */

static void count_moved(enum arena_moved kind, uint64_t n)
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
		count_moved(MOVED_REPLIES, 1);
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
		count_moved(kind, 1);
}

void moved_count(int in, int out, int64_t n, bool stream)
{
	if (n <= 0 || !is_wanted())
		return;
	if (in != NO_FD)
		count_moved(MOVED_INPUT, (uint64_t)n);
	if (out != NO_FD)
		count_moved(MOVED_OUTPUT, (uint64_t)n);
	if (stream)
		converse(in, out);
}
