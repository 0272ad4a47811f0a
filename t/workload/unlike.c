/*
 * unlike: two unlike threads at one lock, and both count.  The next owner changes all
 * the time, so the order of a recording cannot be kept.
 *
 * Rounds: hold_short 0.3, apart_long 1.0; hold_long 0.6, apart_short 0.2.  Measured,
 * shrunk by half: hold_long 26 %, hold_short 8, apart_long 21, apart_short 4.
 */
#include "workload.h"

REGION(hold_long, 0.6);
REGION(hold_short, 0.3);
REGION(apart_long, 1.0);
REGION(apart_short, 0.2);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		hold_short();
		pthread_mutex_unlock(&lock);
		apart_long();
		workload_visit();
	}
	return arg;
}

static void *second(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		hold_long();
		pthread_mutex_unlock(&lock);
		apart_short();
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&hold_long_region, &hold_short_region, &apart_long_region, &apart_short_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(first, NULL, second, NULL);
}
