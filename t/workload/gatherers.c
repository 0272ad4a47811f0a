/*
 * gatherers: a thread gives each of two workers its part over a pipe, works itself, and
 * then reads and merges their answers, one after the other.
 *
 * Round: own 0.5 beside part_a 0.7 and part_b 0.3, then 2 x merge 0.2.  Measured, shrunk
 * by half: merge 18 %; the others 4 to 10, by who gets which processor.
 */
#include "workload.h"

#include <unistd.h>

REGION(own, 0.5);
REGION(part_a, 0.7);
REGION(part_b, 0.3);
REGION(merge, 0.2);

static int to[2][2], from[2][2];

static void *worker(void *arg)
{
	int me = (int)(intptr_t)arg;
	char c;
	while (read(to[me][0], &c, 1) == 1) {
		if (me)
			part_b();
		else
			part_a();
		if (write(from[me][1], &c, 1) != 1)
			break;
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&own_region, &part_a_region, &part_b_region, &merge_region, NULL};
	char c = 'x';

	workload_start(argc, argv, regions, 1);
	for (int i = 0; i < 2; i++) {
		if (pipe(to[i]) || pipe(from[i]))
			return 1;
		workload_thread(worker, (void *)(intptr_t)i);
	}
	for (;;) {
		for (int i = 0; i < 2; i++)
			if (write(to[i][1], &c, 1) != 1)
				return 1;
		own();
		for (int i = 0; i < 2; i++) {
			if (read(from[i][0], &c, 1) != 1)
				return 1;
			merge();
		}
		workload_visit();
	}
}
