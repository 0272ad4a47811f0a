/*
 * visit: what one visit of a progress point costs.
 *
 *     visit [COUNT]
 *
 * Prints the ns that a visit adds to an empty loop.
 */
#include <andweorc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The barrier keeps the compiler from lifting the visit, or the whole loop, out. */
#define TIMED(count_, body_)                                                                                                 \
	({                                                                                                                   \
		double began_ = now();                                                                                       \
		for (long i_ = 0; i_ < (count_); i_++) {                                                                     \
			body_;                                                                                               \
			__asm__ volatile("" : : : "memory");                                                                 \
		}                                                                                                            \
		(now() - began_) / (double)(count_);                                                                         \
	})

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000000;
	double best = 1e9, empty = 1e9;

	if (count <= 0)
		return 2;
	for (int i = 0; i < 20; i++) {
		double e = TIMED(count, (void)0);
		double v = TIMED(count, ANDWEORC_PROGRESS("round"));

		empty = e < empty ? e : empty;
		best = v < best ? v : best;
	}
	printf("%.3f\n", best - empty);
	return 0;
}
