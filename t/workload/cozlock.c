/*
 * cozlock: Coz's benchmark `lock_test`, two threads that contend for a lock.  What
 * is done with the lock counts in full until both threads together no longer fill
 * it (at 44 %); what is done without it does not count.
 */
#include "cozmarks.h"
#include "workload.h"

REGION(inside, 0.9);
REGION(outside, 0.5);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		inside();
		pthread_mutex_unlock(&lock);
		outside();
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
