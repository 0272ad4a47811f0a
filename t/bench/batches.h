/*
 * batches: for benches that time batches again and again, and print medians.
 */
#ifndef BENCH_BATCHES_H
#define BENCH_BATCHES_H

#include <stdlib.h>
#include <time.h>

/* In ns. */
static inline double now_by(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline double now(void)
{
	return now_by(CLOCK_MONOTONIC);
}

static inline int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of values[0..n), n > 0, which it sorts. */
static inline double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof *values, by_value);
	return values[n / 2];
}

#endif
