/*
 * Six functions, which are called in turn as often as is said: manypoints TIMES.  Each may be a progress point (-P).
 * A thread calls them as often again.  It ends before if there is a file LIFE_UNTIL, and prints how often it has
 * called each.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned sink;

#define FUNCTION(name) \
	__attribute__((noinline, noclone)) void name(unsigned n); \
	__attribute__((noinline, noclone)) void name(unsigned n) \
	{ \
		sink = n + __LINE__ + #name[0]; \
	}

FUNCTION(first_of_six)
FUNCTION(second_of_six)
FUNCTION(third_of_six)
FUNCTION(fourth_of_six)
FUNCTION(fifth_of_six)
FUNCTION(sixth_of_six)

static void work(long us)
{
	for (volatile long i = 0; i < 400 * us; i++)
		;
}

static void *call_all(void *times)
{
	const char *until = getenv("LIFE_UNTIL");
	long i;

	/* Until the recorder has read the program, and each thread has been sampled. */
	work(300000);
	for (i = 0; i < *(long *)times && (!until || access(until, F_OK) != 0); i++) {
		first_of_six(1);
		second_of_six(2);
		third_of_six(3);
		fourth_of_six(4);
		fifth_of_six(5);
		sixth_of_six(6);
		work(3000);
	}
	return (void *)i;
}

int main(int argc, char **argv)
{
	long times = argc > 1 ? atol(argv[1]) : 1, mine;
	pthread_t thread;
	void *others;

	if (pthread_create(&thread, NULL, call_all, &times) != 0)
		return 1;
	mine = (long)call_all(&times);
	pthread_join(thread, &others);
	printf("%ld\n", mine + (long)others);
	return 0;
}
