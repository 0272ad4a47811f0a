/*
 * handoff: two threads that strictly alternate over futexes of their own making
 * (no wrapper but that of syscall(2) sees them), and a third one beside them.
 * The turn is handed over under a lock, so that the woken thread waits a second time,
 * for the lock.
 *
 * Round: give 0.45, give 0.45 under the lock, take 0.6.  Shrunk by half: give
 * 30 %, take 20 %, aside 0.
 */
#include "workload.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

REGION(give, 0.45);
REGION(take, 0.6);
REGION(aside, 1.0);

static _Atomic uint32_t lock; /* 0 free, 1 held, 2 held and waited for */
static _Atomic uint32_t turn;

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void lock_take(void)
{
	uint32_t seen = 0;

	if (atomic_compare_exchange_strong(&lock, &seen, 1))
		return;
	if (seen != 2)
		seen = atomic_exchange(&lock, 2);
	while (seen != 0) {
		futex_wait(&lock, 2);
		seen = atomic_exchange(&lock, 2);
	}
}

static void lock_release(void)
{
	if (atomic_exchange(&lock, 0) == 2)
		futex_wake(&lock);
}

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
		lock_take();
		give();
		pass_to(1);
		give();
		lock_release();
	}
	return arg;
}

static void *taker(void *arg)
{
	for (;;) {
		wait_for(1);
		lock_take();
		take();
		workload_visit();
		pass_to(0);
		lock_release();
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
