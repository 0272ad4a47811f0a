/* Known chains of calls: 2/3 of the time by outer() and inner(), 1/3 by other() and inner(); a thread sleeps in rest(). */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "andweorc.h"

static volatile unsigned long sink;

static __attribute__((noinline)) void inner(int ms)
{
	struct timespec t;
	long until;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	until = t.tv_sec * 1000000000l + t.tv_nsec + ms * 1000000l;
	do {
		for (int i = 0; i < 20000; i++)
			sink += (unsigned long)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000000000l + t.tv_nsec < until);
}

static __attribute__((noinline)) void outer(void)
{
	inner(4);
	sink++;
}

static __attribute__((noinline)) void other(void)
{
	inner(2);
	sink++;
}

/* Deeper than is kept of a stack. */
static __attribute__((noinline)) void deep(int n)
{
	if (n > 0)
		deep(n - 1);
	else
		inner(2);
	sink++;
}

static __attribute__((noinline)) void rest(void)
{
	usleep(5000);
	sink++;
}

static void *sleeper(void *arg)
{
	for (;;)
		rest();
	return arg;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	pthread_t t;

	pthread_create(&t, NULL, sleeper, NULL);
	for (int i = 0; i < rounds; i++) {
		if (argc > 2)
			deep(40);
		outer();
		other();
		ANDWEORC_PROGRESS("round");
	}
	return 0;
}
