/*
 * onelock: two threads that work outside, and then inside, of one lock, and count each time.
 *
 * The program defines the regions `inside` and `outside` before it includes this, and gets
 * its main().
 */
#ifndef ONELOCK_H
#define ONELOCK_H

#include "workload.h"

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

#endif
