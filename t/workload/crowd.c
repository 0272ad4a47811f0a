/*
 * crowd: twice as many threads as processors, which have nothing to do with one
 * another but that they take turns on them.  Each is preempted at any moment, without
 * notice.
 *
 * Round: first 0.05, then second 0.15.  Shrunk by half: first 12.5 %, second
 * 37.5 %.
 */
#include "workload.h"

REGION(first, 0.05);
REGION(second, 0.15);

enum { MOST = 64 };

static void *run(void *arg)
{
	for (;;) {
		first();
		second();
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&first_region, &second_region, NULL};
	cpu_set_t may;
	int n = 2 * (sched_getaffinity(0, sizeof may, &may) == 0 ? CPU_COUNT(&may) : 1);

	workload_start(argc, argv, regions, 1);
	for (int i = 1; i < n && i < MOST; i++)
		workload_thread(run, NULL);
	run(NULL);
}
