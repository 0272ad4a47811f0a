/*
 * given: work, sleep and memory in one round of 3 ms, with what overlaps:
 *
 *     compute   1 ms of work
 *     rest      1 ms of work, and 1 ms asleep
 */
#include "workload.h"

#include <sys/prctl.h>

REGION(compute, 1.0);
REGION_FUNCTION(WORKLOAD_OPAQUE, rest, 1.0, (const struct timespec *t), WORKLOAD_LOOP(rest_region.iterations); nanosleep(t, NULL));

int main(int argc, char **argv)
{
	struct region *regions[] = {&compute_region, &rest_region, NULL};
	struct timespec t;

	workload_start(argc, argv, regions, 1);
	t = workload_timespec(1.0 * workload_scale);
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		compute();
		rest(&t);
		workload_visit();
	}
}
