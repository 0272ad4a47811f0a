/*
 * visit: the cost of one visit of a progress point.
 *
 *     visit [COUNT]
 *
 * Prints the ns that a visit adds to an empty loop; in the second line the ns of
 * processor time when eight threads visit one point at once.
 */
#include <andweorc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "batches.h"

static clockid_t by = CLOCK_MONOTONIC;

/* The barrier keeps the compiler from lifting the visit, or the whole loop, out. */
#define TIMED(count_, body_)                                                                                                 \
	({                                                                                                                   \
		double began_ = now_by(by);                                                                                  \
		for (long i_ = 0; i_ < (count_); i_++) {                                                                     \
			body_;                                                                                               \
			__asm__ volatile("" : : : "memory");                                                                 \
		}                                                                                                            \
		(now_by(by) - began_) / (double)(count_);                                                                    \
	})

enum { THREADS = 8 };
static long count = 1000000;

static void *visitor(void *result)
{
	double e = TIMED(count, (void)0);

	*(double *)result = TIMED(count, ANDWEORC_PROGRESS("round")) - e;
	return NULL;
}

/* The mean of all threads. */
static double together(void)
{
	pthread_t thread[THREADS];
	double ns[THREADS], sum = 0;
	int n = 0;

	while (n < THREADS && pthread_create(&thread[n], NULL, visitor, &ns[n]) == 0)
		n++;
	for (int i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		sum += ns[i];
	}
	return sum / n;
}

int main(int argc, char **argv)
{
	double best = 1e9, empty = 1e9;

	if (argc > 1)
		count = atol(argv[1]);
	if (count <= 0)
		return 2;
	for (int i = 0; i < 20; i++) {
		double e = TIMED(count, (void)0);
		double v = TIMED(count, ANDWEORC_PROGRESS("round"));

		empty = e < empty ? e : empty;
		best = v < best ? v : best;
	}
	printf("%.3f\n", best - empty);
	by = CLOCK_THREAD_CPUTIME_ID;
	best = 1e9;
	for (int i = 0; i < 5; i++) {
		double v = together();

		best = v < best ? v : best;
	}
	printf("%.3f\n", best);
	return 0;
}
