/*
 * barrier: two threads meet after a heavy and a light phase, then after one
 * that both do.  The heavy one counts until it is as short as the light one (at
 * 40 %), the light one does not, the common one counts by its share.
 */
#include "workload.h"

REGION(heavy, 1.0);
REGION(light, 0.6);
REGION(common, 0.5);

static pthread_barrier_t meet;

static void *first(void *arg)
{
	for (;;) {
		heavy();
		pthread_barrier_wait(&meet);
		common();
		pthread_barrier_wait(&meet);
		workload_visit();
	}
	return arg;
}

static void *second(void *arg)
{
	for (;;) {
		light();
		pthread_barrier_wait(&meet);
		common();
		pthread_barrier_wait(&meet);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&heavy_region, &light_region, &common_region, NULL};

	workload_start(argc, argv, regions, 1);
	pthread_barrier_init(&meet, NULL, 2);
	workload_run_two(first, NULL, second, NULL);
}
