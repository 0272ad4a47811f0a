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
#include "futexlock.h"
#include "workload.h"

REGION_FUNCTION(WORKLOAD_OPAQUE, parse, 0.005, (unsigned weight), WORKLOAD_LOOP(parse_region.iterations * weight));
REGION_FUNCTION(WORKLOAD_OPAQUE, merge, 0.006, (unsigned weight), WORKLOAD_LOOP(merge_region.iterations * weight));
REGION(persist, 0.3);
REGION(scan, 0.7);

enum { ROOM = 3 };

static _Atomic uint32_t index_lock;

/* ---- a queue of one writer and one reader -------------------------------------------------------- */

static unsigned weights[ROOM], written, taken;
static _Atomic uint32_t filled;
static _Atomic uint32_t reader_waits, writer_waits;

/* Waits while the queue is as full as that.  The other side looks whether somebody waits after it has changed the number. */
static void await(uint32_t full, _Atomic uint32_t *waits)
{
	while (atomic_load(&filled) == full) {
		atomic_store(waits, 1);
		if (atomic_load(&filled) == full)
			futex_wait(waits, 1);
		atomic_store(waits, 0);
	}
}

static void wake(_Atomic uint32_t *waits)
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
		futexlock_take(&index_lock);
		merge(weight);
		futexlock_leave(&index_lock);
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
		futexlock_take(&index_lock);
		scan();
		futexlock_leave(&index_lock);
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
