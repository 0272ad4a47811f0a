/*
 * yieldbar: two threads and a barrier of the program's own, at which the first one yields
 * until the other one has come.  No event says which thread ends such a wait.
 *
 * Round: left 0.5, right 0.35 in the other thread.  Shrunk by half: left 30 % (from 30 % on,
 * the other thread is slower), right nothing.
 */
#include "workload.h"

REGION(left, 0.5);
REGION(right, 0.35);

static atomic_uint arrived, generation;

static void barrier(void)
{
	unsigned present = atomic_load(&generation);

	if (atomic_fetch_add(&arrived, 1) == 1) {
		atomic_store(&arrived, 0);
		atomic_fetch_add(&generation, 1);
		return;
	}
	while (atomic_load(&generation) == present)
		sched_yield();
}

static void *run_right(void *arg)
{
	for (;;) {
		right();
		barrier();
	}
	return arg;
}

static void *run_left(void *arg)
{
	for (;;) {
		left();
		barrier();
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&left_region, &right_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(run_right, NULL, run_left, NULL);
}
