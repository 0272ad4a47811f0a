/*
 * spinpark: two threads at a lock of the program's own, which spins for a while and then
 * sleeps on a futex.  A spinning thread looks busy: predictions are off by 9 points,
 * and the recorder must warn.
 *
 * Round: guarded 0.3, free_part 0.25.  Measured, shrunk by half: 34 % and nothing.
 */
#include "futexlock.h"
#include "workload.h"

REGION(guarded, 0.3);
REGION(free_part, 0.25);

enum { SPINS = 2000 };

static _Atomic uint32_t word;

static void take(void)
{
	for (int i = 0; i < SPINS; i++) {
		if (futexlock_try(&word))
			return;
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
	futexlock_take(&word);
}

static void *run(void *arg)
{
	for (;;) {
		take();
		guarded();
		futexlock_leave(&word);
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
