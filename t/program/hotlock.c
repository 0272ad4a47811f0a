/*
 * A lock that is taken often, and that nobody waits for: hotlock MS THREADS PAIRS.
 * All threads but one sleep; that takes it PAIRS times, and computes for some 14 us, and so on.
 */
#include <andweorc.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sink;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) static void locks(int pairs)
{
	for (int i = 0; i < pairs; i++) {
		pthread_mutex_lock(&lock);
		sink++;
		pthread_mutex_unlock(&lock);
	}
}

__attribute__((noinline)) static void computes(void)
{
	unsigned x = 1;

	for (int i = 0; i < 10000; i++)
		x = x * 1664525 + 1013904223;
	sink += x;
}

static void *sleeps(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	long long end = now() + 1000000LL * (argc > 1 ? atoi(argv[1]) : 1000);

	int pairs = argc > 3 ? atoi(argv[3]) : 200;

	for (int i = 1; argc > 2 && i < atoi(argv[2]); i++) {
		pthread_t t;

		pthread_create(&t, NULL, sleeps, NULL);
	}
	while (now() < end) {
		locks(pairs);
		computes();
		ANDWEORC_PROGRESS("rounds");
	}
	_exit(0);
}
