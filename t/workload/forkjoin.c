/*
 * forkjoin: two threads created and joined each round; one needs 70 % of the
 * other's time.  The longer one counts in full until it is 30 % shorter and no
 * more after that; the shorter one does not count.
 */
#include "workload.h"

REGION(longer, 2.0);
REGION(shorter, 1.4);

static void *run_longer(void *arg)
{
	longer();
	return arg;
}

static void *run_shorter(void *arg)
{
	shorter();
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&longer_region, &shorter_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (;;) {
		pthread_t a = workload_thread(run_longer, NULL);
		pthread_t b = workload_thread(run_shorter, NULL);

		pthread_join(a, NULL);
		pthread_join(b, NULL);
		workload_visit();
	}
}
