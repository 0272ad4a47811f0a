/*
 * mutex: two threads and one mutex, held for 60 % of each thread's work.  The
 * mutex is the bottleneck, so work inside counts in full until both threads
 * together no longer fill it (at 33 %), work outside does not.
 */
#include "workload.h"

REGION(inside, 1.2);
REGION(outside, 0.8);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	for (;;) {
		outside();
		pthread_mutex_lock(&lock);
		inside();
		pthread_mutex_unlock(&lock);
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&inside_region, &outside_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(work, NULL, work, NULL);
}
