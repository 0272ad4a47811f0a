/*
 * lock: the cost of locking and unlocking an uncontended mutex, and of a signal on a
 * condition variable without waiters.
 *
 *     lock [MS]
 *
 * Takes batches in turns for so long (default 500 ms) and prints the medians,
 * in two lines: "lock NS" and "signal NS".  Each pair of batches is a visit, so that
 * experiments can be made at the same time.
 */
#include <andweorc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "batches.h"

enum { BATCH = 5000, MOST = 100000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static __attribute__((noinline)) double time_lock(void)
{
	double began = now();

	for (int i = 0; i < BATCH; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return (now() - began) / BATCH;
}

static __attribute__((noinline)) double time_signal(void)
{
	double began = now();

	for (int i = 0; i < BATCH; i++)
		pthread_cond_signal(&cond);
	return (now() - began) / BATCH;
}

int main(int argc, char **argv)
{
	static double locks[MOST], signals[MOST];
	double end = now() + 1e6 * (argc > 1 ? atof(argv[1]) : 500);
	int n = 0;

	do {
		locks[n] = time_lock();
		signals[n] = time_signal();
		n++;
		ANDWEORC_PROGRESS("batch");
	} while (n < MOST && now() < end);
	printf("lock %.3f\nsignal %.3f\n", median(locks, n), median(signals, n));
	return 0;
}
