/*
 * serial: one thread, three regions of 50, 30 and 20 % of 2 ms.  A region
 * made s % shorter makes the program its share of s % faster.
 */
#include "workload.h"

REGION(half, 1.0);
REGION(third, 0.6);
REGION(fifth, 0.4);

int main(int argc, char **argv)
{
	struct region *regions[] = {&half_region, &third_region, &fifth_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (;;) {
		half();
		third();
		fifth();
		workload_visit();
	}
}
