/*
 * coztoy: the example that Coz's paper begins with, and its benchmark `toy`.  Two
 * threads are created and joined each round; one takes 6.7 ms, the other 6.4 ms.
 * The longer one is worth 4.5 %, however much faster it gets; the shorter one
 * nothing.  A profile without causes shows each of them with half of the time.
 */
#include "cozmarks.h"
#include "workload.h"

REGION(longer, 6.7);
REGION(shorter, 6.4);

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
