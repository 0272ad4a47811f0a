/*
 * parked: a parser, an indexer and a scanner, whose queue and lock are made of atomics: a thread
 * calls the kernel only to wait, and to wake one that waits.  Most meetings leave no event.
 *
 * The indexer takes a document of the queue, merges it under the lock, persists it outside of it, and
 * visits.  The scanner sleeps for 2 ms, and scans under the lock.
 *
 * Measured, shrunk by half: parse 16, merge 23, persist 14, scan 9 %; each by 3.5 more or less, as the kernel places three
 * threads on two processors in ways that differ from run to run.
 */
#include "workload.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

REGION_FUNCTION(WORKLOAD_OPAQUE, parse, 0.005, (unsigned weight), WORKLOAD_LOOP(parse_region.iterations * weight));
REGION_FUNCTION(WORKLOAD_OPAQUE, merge, 0.006, (unsigned weight), WORKLOAD_LOOP(merge_region.iterations * weight));
REGION(persist, 0.3);
REGION(scan, 0.7);

enum { ROOM = 3 };

static void futex_wait(_Atomic unsigned *word, unsigned value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic unsigned *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* ---- a lock: 0 free, 1 taken, 2 taken, and others may wait --------------------------------------- */

static _Atomic unsigned index_lock;

static void take(_Atomic unsigned *lock)
{
	unsigned free = 0;

	if (atomic_compare_exchange_strong(lock, &free, 1))
		return;
	while (atomic_exchange(lock, 2))
		futex_wait(lock, 2);
}

static void leave(_Atomic unsigned *lock)
{
	if (atomic_exchange(lock, 0) == 2)
		futex_wake(lock);
}

/* ---- a queue of one writer and one reader -------------------------------------------------------- */

static unsigned weights[ROOM], written, taken;
static _Atomic unsigned filled;
static _Atomic unsigned reader_waits, writer_waits;

/* Waits while the queue is as full as that.  The other side looks whether somebody waits after it has changed the number. */
static void await(unsigned full, _Atomic unsigned *waits)
{
	while (atomic_load(&filled) == full) {
		atomic_store(waits, 1);
		if (atomic_load(&filled) == full)
			futex_wait(waits, 1);
		atomic_store(waits, 0);
	}
}

static void wake(_Atomic unsigned *waits)
{
	if (atomic_exchange(waits, 0))
		futex_wake(waits);
}

static void *parser(void *arg)
{
	uint64_t random = 1;

	for (;;) {
		unsigned weight;

		random = random * 6364136223846793005u + 1442695040888963407u;
		weight = 70 + (unsigned)(random >> 33) % 61;
		parse(weight);
		await(ROOM, &writer_waits);
		weights[written++ % ROOM] = weight;
		atomic_fetch_add(&filled, 1);
		wake(&reader_waits);
	}
	return arg;
}

static void *indexer(void *arg)
{
	for (;;) {
		unsigned weight;

		await(0, &reader_waits);
		weight = weights[taken++ % ROOM];
		atomic_fetch_sub(&filled, 1);
		wake(&writer_waits);
		take(&index_lock);
		merge(weight);
		leave(&index_lock);
		persist();
		workload_visit();
	}
	return arg;
}

static void *scanner(void *arg)
{
	const struct timespec pause = workload_timespec(2 * workload_scale);

	for (;;) {
		nanosleep(&pause, NULL);
		take(&index_lock);
		scan();
		leave(&index_lock);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&parse_region, &merge_region, &persist_region, &scan_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_thread(scanner, NULL);
	workload_run_two(parser, NULL, indexer, NULL);
}
