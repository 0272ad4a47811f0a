/*
 * inline: a hot line in a function that is inlined into two others, beside a
 * function that both call.  The line is one region although its code stands in
 * two places.
 */
#include "workload.h"

REGION_INLINED(hot, 0.4);
REGION(beside, 0.6);

static WORKLOAD_OPAQUE void one_caller(void)
{
	hot();
	beside();
}

static WORKLOAD_OPAQUE void other_caller(void)
{
	beside();
	hot();
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&hot_region, &beside_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (;;) {
		one_caller();
		other_caller();
		workload_visit();
	}
}
