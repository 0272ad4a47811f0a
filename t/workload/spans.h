/*
 * spans: for workloads whose rounds have a length besides a period.
 *
 * spans_add notes a length; the line of the program gets latency_ns=, p50_ns=,
 * p95_ns= and p99_ns= of all of them: the truth, by the program's own clock.
 */
#ifndef SPANS_H
#define SPANS_H

#include "workload.h"

enum { SPANS_MOST = 1 << 22 };

static double spans_length[SPANS_MOST];
static uint64_t spans_count; /* atomic; those beyond the room are forgotten */

static int spans_compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void spans_print(void)
{
	static const double part[] = {0.5, 0.95, 0.99};
	uint64_t n = spans_count < SPANS_MOST ? spans_count : SPANS_MOST;
	double sum = 0;

	qsort(spans_length, n, sizeof *spans_length, spans_compare);
	for (uint64_t i = 0; i < n; i++)
		sum += spans_length[i];
	printf("\tlatency_ns=%.1f", n ? sum / (double)n : 0);
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		printf("\tp%.0f_ns=%.1f", 100 * part[i], n ? spans_length[(uint64_t)(part[i] * (double)(n - 1))] : 0);
}

/* A span began at began_ns (workload_now) and ends now. */
static inline void spans_add(uint64_t began_ns)
{
	uint64_t at = __atomic_fetch_add(&spans_count, 1, __ATOMIC_RELAXED);

	workload_more = spans_print;
	if (at < SPANS_MOST)
		spans_length[at] = (double)(workload_now() - began_ns);
}

#endif
