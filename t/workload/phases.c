/*
 * phases: of every 500 rounds the last 100 do something else, so that each
 * region is active only part of the time, for longer than a short experiment:
 * the burst counts by 20 %, the rest by 80 %.
 */
#include "workload.h"

REGION(steady, 1.0);
REGION(burst, 1.0);

int main(int argc, char **argv)
{
	struct region *regions[] = {&steady_region, &burst_region, NULL};

	workload_start(argc, argv, regions, 500);
	for (unsigned n = 0;; n = (n + 1) % 500) {
		if (n < 400)
			steady();
		else
			burst();
		workload_visit();
	}
}
