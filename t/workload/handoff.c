/*
 * handoff: two threads that strictly alternate over futexes of their own making
 * (no wrapper but that of syscall(2) sees them), and a third one beside them.
 * The turn is handed over under a lock, so that the woken thread waits a second time,
 * for the lock.
 *
 * Round: give 0.45, give 0.45 under the lock, take 0.6.  Shrunk by half: give
 * 30 %, take 20 %, aside 0.
 */
#include "futexlock.h"
#include "workload.h"

REGION(give, 0.45);
REGION(take, 0.6);
REGION(aside, 1.0);

static _Atomic uint32_t lock;
static _Atomic uint32_t turn;

static void wait_for(uint32_t mine)
{
	uint32_t now;

	while ((now = atomic_load(&turn)) != mine)
		futex_wait(&turn, now);
}

static void pass_to(uint32_t other)
{
	atomic_store(&turn, other);
	futex_wake(&turn);
}

static void *giver(void *arg)
{
	for (;;) {
		wait_for(0);
		futexlock_take(&lock);
		give();
		pass_to(1);
		give();
		futexlock_leave(&lock);
	}
	return arg;
}

static void *taker(void *arg)
{
	for (;;) {
		wait_for(1);
		futexlock_take(&lock);
		take();
		workload_visit();
		pass_to(0);
		futexlock_leave(&lock);
	}
	return arg;
}

static void *run_aside(void *arg)
{
	for (;;)
		aside();
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&give_region, &take_region, &aside_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_thread(run_aside, NULL);
	workload_run_two(giver, NULL, taker, NULL);
}
