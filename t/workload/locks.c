/*
 * locks: two threads, each with an uncontended mutex of its own, which it locks and
 * unlocks some hundred times in a millisecond.  The cost of accounting for that must
 * not look like harm done by the regions.
 *
 * Round: 100 times inside 0.0015, outside 0.0015.  Shrunk by half: a quarter each,
 * less what the mutex itself costs.
 */
#include "workload.h"

REGION(inside, 0.0015);
REGION(outside, 0.0015);

enum { TIMES = 100 };

static void *run(void *arg)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	for (;;) {
		for (int i = 0; i < TIMES; i++) {
			pthread_mutex_lock(&lock);
			inside();
			pthread_mutex_unlock(&lock);
			outside();
		}
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&inside_region, &outside_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(run, NULL, run, NULL);
}
