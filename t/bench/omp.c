/*
 * omp: the cost of OpenMP between two threads without work: a parallel region, a
 * barrier, an uncontended critical section, a task.
 *
 *     omp [MS]
 *
 * Takes batches in turns for so long (default 500 ms) and prints the medians, in
 * four lines: "region NS", "barrier NS", "critical NS" and "task NS".  Each turn is a
 * visit, so that experiments can be made at the same time.
 */
#include <andweorc.h>
#include <stdio.h>
#include <stdlib.h>

#include "batches.h"

enum { BATCH = 200, MOST = 100000 };

static __attribute__((noinline)) double time_region(void)
{
	double began = now();

	for (int i = 0; i < BATCH; i++) {
#pragma omp parallel num_threads(2)
		__asm__ volatile("");
	}
	return (now() - began) / BATCH;
}

static __attribute__((noinline)) double time_barrier(void)
{
	double began = now();

#pragma omp parallel num_threads(2)
	for (int i = 0; i < BATCH; i++) {
#pragma omp barrier
	}
	return (now() - began) / BATCH;
}

static __attribute__((noinline)) double time_critical(void)
{
	double began = now();

	for (int i = 0; i < BATCH; i++) {
#pragma omp critical
		__asm__ volatile("");
	}
	return (now() - began) / BATCH;
}

static __attribute__((noinline)) double time_task(void)
{
	double began = now();

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < BATCH; i++) {
#pragma omp task
		__asm__ volatile("");
	}
	return (now() - began) / BATCH;
}

int main(int argc, char **argv)
{
	static double regions[MOST], barriers[MOST], criticals[MOST], tasks[MOST];
	double end = now() + 1e6 * (argc > 1 ? atof(argv[1]) : 500);
	int n = 0;

	do {
		regions[n] = time_region();
		barriers[n] = time_barrier();
		criticals[n] = time_critical();
		tasks[n] = time_task();
		n++;
		ANDWEORC_PROGRESS("batch");
	} while (n < MOST && now() < end);
	printf("region %.3f\nbarrier %.3f\ncritical %.3f\ntask %.3f\n", median(regions, n), median(barriers, n),
	       median(criticals, n), median(tasks, n));
	return 0;
}
