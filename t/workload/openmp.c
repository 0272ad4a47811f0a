/*
 * openmp: a parallel region of two threads with unequal work, and a serial part
 * after it.  The faster thread waits for the other one inside the OpenMP
 * runtime, which spins and then sleeps on futexes of its own.
 *
 * Round: heavy 3, beside it light 1.5, then solo 1.  Shrunk by half: heavy
 * 37.5 % (then both are equal), light 0, solo 12.5 %.
 */
#include "workload.h"

#include <omp.h>

REGION(heavy, 3.0);
REGION(light, 1.5);
REGION(solo, 1.0);

int main(int argc, char **argv)
{
	struct region *regions[] = {&heavy_region, &light_region, &solo_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (;;) {
#pragma omp parallel num_threads(2)
		{
			if (omp_get_thread_num() == 0)
				heavy();
			else
				light();
		}
		solo();
		workload_visit();
	}
}
