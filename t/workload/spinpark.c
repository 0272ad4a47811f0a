/*
 * spinpark: two threads at a lock of the program's own, which spins for a while and then
 * sleeps on a futex.  A spinning thread looks busy: predictions are off by 9 points,
 * and the recorder must warn.
 *
 * Round: guarded 0.3, free_part 0.25.  Measured, shrunk by half: 34 % and nothing.
 */
#include "workload.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

REGION(guarded, 0.3);
REGION(free_part, 0.25);

enum { SPINS = 2000 };

static atomic_int word; /* 0: free, 1: taken, 2: taken, and threads may sleep */

static void take(void)
{
	for (int i = 0; i < SPINS; i++) {
		int zero = 0;

		if (atomic_compare_exchange_weak(&word, &zero, 1))
			return;
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
	while (atomic_exchange(&word, 2) != 0)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void leave(void)
{
	if (atomic_exchange(&word, 0) == 2)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *run(void *arg)
{
	for (;;) {
		take();
		guarded();
		leave();
		free_part();
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&guarded_region, &free_part_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(run, NULL, run, NULL);
}
