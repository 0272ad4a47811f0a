/*
 * spans: one thread; of a round of 2 ms, 1.6 ms are a span.  The mean length of a
 * span is exactly as much shorter as what is in it, and not at all by what is not;
 * so is that of the longest, which are one in eight and have another 0.8 ms.
 */
#include "spans.h"

REGION(first, 0.8);
REGION(second, 0.8);
REGION(outside, 0.4);
REGION(seldom, 0.8);

enum { EACH = 8 };

int main(int argc, char **argv)
{
	struct region *regions[] = {&first_region, &second_region, &outside_region, &seldom_region, NULL};

	workload_start(argc, argv, regions, EACH);
	for (unsigned i = 0;; i++) {
		uint64_t began = workload_now();

		ANDWEORC_BEGIN("span");
		first();
		second();
		if (i % EACH == 0)
			seldom();
		ANDWEORC_END("span");
		spans_add(began);
		outside();
		workload_visit();
	}
}
