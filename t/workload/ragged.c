/*
 * ragged: two threads do parts that are never twice as long, and meet after each.
 *
 * The reason why the longer part is long decides the effect of a region: `search` is the
 * larger half of the work, and most of what the long parts have in common.  Round: search
 * 0.43 and check 0.18 ms on average, each between nothing and three times that.
 */
#include "workload.h"

REGION_FUNCTION(WORKLOAD_OPAQUE, search, 0.43, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)search_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, check, 0.18, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)check_region.iterations)));

static pthread_barrier_t meet;

/* 0 to 3, on average 1, mostly less: three times the square of a number between 0 and 1. */
static double factor(uint64_t *state)
{
	double u;

	/* xorshift64 (Marsaglia 2003) */
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	u = (double)(*state >> 11) * 0x1p-53;
	return 3 * u * u;
}

static void *run(void *arg)
{
	uint64_t state = 0x9e3779b97f4a7c15u * (1 + (uint64_t)(uintptr_t)arg);

	for (;;) {
		search(factor(&state));
		check(factor(&state));
		pthread_barrier_wait(&meet);
		if (!arg)
			workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&search_region, &check_region, NULL};

	workload_start(argc, argv, regions, 1);
	pthread_barrier_init(&meet, NULL, 2);
	workload_run_two(run, NULL, run, (void *)1);
}
