/*
 * Calls that the runtime sees, as often as can be: hotcalls KIND CALLS MS PERCENT.
 *
 *     lock    takes and releases a lock that nobody else uses
 *     write   a byte to /dev/null
 *     pipe    a byte into a pipe, and out of it
 *
 * In each round there are so many CALLS; then it computes for some 12 us, or for PERCENT of
 * that.  Another thread sleeps.  It prints the rounds in a millisecond.
 */
#include <andweorc.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sink;
static int null, wire[2];

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void lock(void)
{
	pthread_mutex_lock(&mutex);
	sink++;
	pthread_mutex_unlock(&mutex);
}

static void put(void)
{
	if (write(null, "x", 1) != 1)
		abort();
}

static void pass(void)
{
	char byte;

	if (write(wire[1], "x", 1) != 1 || read(wire[0], &byte, 1) != 1)
		abort();
}

__attribute__((noinline)) static void calls(void (*call)(void), int n)
{
	while (n-- > 0)
		call();
}

__attribute__((noinline)) static void computes(int percent)
{
	unsigned x = 1;

	for (int i = 0; i < 100 * percent; i++)
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
	int n = argc > 4 ? atoi(argv[2]) : 0, percent = argc > 4 ? atoi(argv[4]) : 0;
	void (*call)(void) = n && !strcmp(argv[1], "lock") ? lock : n && !strcmp(argv[1], "write") ? put : pass;
	double begin = now_ms(), end = begin + (n ? atoi(argv[3]) : 0);
	long rounds = 0;
	pthread_t t;

	null = open("/dev/null", O_WRONLY);
	if (!n || null < 0 || pipe(wire) != 0)
		return 2;
	pthread_create(&t, NULL, sleeps, NULL);
	for (; now_ms() < end; rounds++) {
		calls(call, n);
		computes(percent);
		ANDWEORC_PROGRESS("rounds");
	}
	printf("%.3f\n", (double)rounds / (now_ms() - begin));
	fflush(stdout);
	_exit(0);
}
