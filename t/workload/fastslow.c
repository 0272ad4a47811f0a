/*
 * fastslow: the test that OmniTrace has of its own predictions.  Each round creates
 * and joins two threads, of which the fast one takes 80 % of the slow one's time.
 * The slow one made 10 % faster gives 10 %; 20 % faster, 20 %; 30 % faster, still
 * 20 %, because then the fast one is what is waited for.  The fast one gives nothing.
 */
#include "workload.h"

REGION(slow, 20.0);
REGION(fast, 16.0);

static void *run_slow(void *arg)
{
	slow();
	return arg;
}

static void *run_fast(void *arg)
{
	fast();
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&slow_region, &fast_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (;;) {
		/* Whatever it takes to create a thread, the slow one ends last. */
		pthread_t a = workload_thread(run_fast, NULL);
		pthread_t b = workload_thread(run_slow, NULL);

		pthread_join(a, NULL);
		pthread_join(b, NULL);
		workload_visit();
	}
}
