/*
 * threads3: three threads are created and joined each round.  On two processors two of
 * them queue for one for a while, although the other one idles: they wait for the
 * scheduler.  Predictions are off by 10 points, and the recorder must warn.
 *
 * Round: before 0.4, large 0.8 beside 2 x small 0.5.  Measured, shrunk by half: 10, 21
 * and 18 %.
 */
#include "workload.h"

REGION(before, 0.4);
REGION(large, 0.8);
REGION(small, 0.5);

static void *run_large(void *arg)
{
	large();
	return arg;
}

static void *run_small(void *arg)
{
	small();
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&before_region, &large_region, &small_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (;;) {
		before();
		pthread_t a = workload_thread(run_large, NULL), b = workload_thread(run_small, NULL), c = workload_thread(run_small, NULL);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		pthread_join(c, NULL);
		workload_visit();
	}
}
