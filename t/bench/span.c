/*
 * span: the cost of a begin and an end of a latency point together.
 *
 *     span [MS]
 *
 * Takes batches in turns for so long (default 500 ms) and prints medians, in ns: of a
 * pair in one thread; with a number; with numbers, 1000 being open at a time; and in
 * the fourth line the ns of processor time of a pair when eight threads are at one
 * point.  Each turn is a visit, so that experiments can be made at the same time.
 */
#include <andweorc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "batches.h"

enum { THREADS = 8, OPEN = 1000, BATCH = 2000, MOST = 100000, KINDS = 3, TOGETHER = 200000 };

/* The compiler is not to lift anything out of the loops. */
#define HERE __asm__ volatile("" : : : "memory")

static __attribute__((noinline)) void time_pairs(long count)
{
	for (long i = 0; i < count; i++) {
		ANDWEORC_BEGIN("span");
		HERE;
		ANDWEORC_END("span");
	}
}

static __attribute__((noinline)) void time_numbered(long count)
{
	for (long i = 0; i < count; i++) {
		ANDWEORC_BEGIN_ID("numbered", i);
		HERE;
		ANDWEORC_END_ID("numbered", i);
	}
}

static __attribute__((noinline)) void time_open(long count)
{
	static long last = OPEN;

	for (long i = 0; i < count; i++, last++) {
		ANDWEORC_END_ID("open", last - OPEN);
		HERE;
		ANDWEORC_BEGIN_ID("open", last);
	}
}

static double time_of(void (*what)(long), long count, clockid_t by)
{
	double began = now_by(by);

	what(count);
	return (now_by(by) - began) / (double)count;
}

static void *together(void *ns)
{
	*(double *)ns = time_of(time_pairs, TOGETHER, CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static double time_together(void)
{
	double ns[THREADS], sum = 0;
	pthread_t thread[THREADS];
	int n = 0;

	while (n < THREADS && pthread_create(&thread[n], NULL, together, &ns[n]) == 0)
		n++;
	for (int i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		sum += ns[i];
	}
	return sum / n;
}

int main(int argc, char **argv)
{
	static void (*const kind[KINDS])(long) = { time_pairs, time_numbered, time_open };
	static double ns[KINDS][MOST];
	double end = now() + 1e6 * (argc > 1 ? atof(argv[1]) : 500);
	int n = 0;

	for (long i = 0; i < OPEN; i++)
		ANDWEORC_BEGIN_ID("open", i);
	do {
		for (int k = 0; k < KINDS; k++)
			ns[k][n] = time_of(kind[k], BATCH, CLOCK_MONOTONIC);
		n++;
		ANDWEORC_PROGRESS("batch");
	} while (n < MOST && now() < end);
	for (int k = 0; k < KINDS; k++)
		printf("%.3f\n", median(ns[k], n));
	printf("%.3f\n", time_together());
	return 0;
}
