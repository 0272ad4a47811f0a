/*
 * short: ends after 0.3 s whatever it is told, so that a profiler has to run it
 * again and again.
 */
#include "workload.h"

REGION(longer_half, 0.6);
REGION(shorter_half, 0.4);

int main(int argc, char **argv)
{
	struct region *regions[] = {&longer_half_region, &shorter_half_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_stop_after(300);
	for (;;) {
		longer_half();
		shorter_half();
		workload_visit();
	}
}
