/*
 * beside: two threads that have nothing to do with one another, only one of
 * which counts.  Speeding the other one up costs the counted one nothing but
 * pauses, which virtual time leaves out: what is left is the profiler's own
 * cost.
 */
#include "workload.h"

REGION(counted, 1.0);
REGION(uncounted, 1.0);

static void *run_counted(void *arg)
{
	for (;;) {
		counted();
		workload_visit();
	}
	return arg;
}

static void *run_uncounted(void *arg)
{
	for (;;)
		uncounted();
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&counted_region, &uncounted_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(run_counted, NULL, run_uncounted, NULL);
}
