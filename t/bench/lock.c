/*
 * lock: what locking and unlocking a mutex that nobody else wants costs, and a
 * signal on a condition variable that nobody waits for.
 *
 *     lock [COUNT]
 *
 * Prints two lines: "lock NS" and "signal NS".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_lock(long count)
{
	double began = now();

	for (long i = 0; i < count; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return (now() - began) / (double)count;
}

static double time_signal(long count)
{
	double began = now();

	for (long i = 0; i < count; i++)
		pthread_cond_signal(&cond);
	return (now() - began) / (double)count;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 500000;
	double best_lock = 1e9, best_signal = 1e9;

	if (count <= 0)
		return 2;
	for (int i = 0; i < 20; i++) {
		double t = time_lock(count);

		best_lock = t < best_lock ? t : best_lock;
		t = time_signal(count);
		best_signal = t < best_signal ? t : best_signal;
	}
	printf("lock %.3f\nsignal %.3f\n", best_lock, best_signal);
	return 0;
}
