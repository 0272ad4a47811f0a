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

enum { SPIN_NS = 80000 };

static _Atomic uint32_t word;
static int spins; /* that take SPIN_NS: the pause instruction takes 6 ns on one processor, and 40 ns on another */

static bool spin(int n)
{
	for (int i = 0; i < n; i++) {
		if (futexlock_try(&word))
			return true;
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
	return false;
}

static void take(void)
{
	if (!spin(spins))
		futexlock_take(&word);
}

/* While nobody has the lock but us. */
static void calibrate(void)
{
	enum { N = 1000, TRIES = 20 };
	uint64_t least = UINT64_MAX;

	futexlock_take(&word);
	for (int i = 0; i < TRIES; i++) {
		uint64_t began = workload_now(), took;

		spin(N);
		took = workload_now() - began;
		least = took < least ? took : least;
	}
	futexlock_leave(&word);
	spins = (int)(SPIN_NS * (uint64_t)N / (least + 1));
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
	calibrate();
	workload_run_two(run, NULL, run, NULL);
}
