/*
 * clocked: one thread that works, and then sleeps until its next moment of the clock, every
 * 1.5 ms.  Work that is shorter makes the sleep longer, so that nothing is gained.
 */
#include "workload.h"

REGION(serve, 0.7);

int main(int argc, char **argv)
{
	struct region *regions[] = {&serve_region, NULL};
	struct timespec next;

	workload_start(argc, argv, regions, 1);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (;;) {
		struct timespec t = workload_timespec(1.5 * workload_scale);

		serve();
		next.tv_sec += t.tv_sec + (next.tv_nsec + t.tv_nsec) / 1000000000;
		next.tv_nsec = (next.tv_nsec + t.tv_nsec) % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		workload_visit();
	}
}
