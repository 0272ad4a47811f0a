/*
 * A program instrumented for Coz: coz MODE N.  It prints how often it visited
 * each point.  Compiled with Debian's coz.h (-DCOZ_H_FILE='<coz.h>') or with ours.
 */
#ifndef COZ_H_FILE
#define COZ_H_FILE "cozlike.h"
#endif
#include COZ_H_FILE

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sink;
static long rounds;

/* About so many us of registers alone: no memory, no system call. */
__attribute__((noinline)) void work(unsigned long us)
{
	unsigned x = 1;

	for (unsigned long n = us * 600; n > 0; n--)
		x = x * 1664525 + 1013904223;
	sink += x;
}

static void unit(void)
{
	COZ_BEGIN("transaction");
	work(1000);
	COZ_PROGRESS_NAMED("unit");
	COZ_END("transaction");
}

static void *worker(void *arg)
{
	for (long i = 0; i < rounds; i++)
		unit();
	return arg;
}

static void serial(void)
{
	worker(NULL);
	printf("unit=%ld transaction=%ld\n", rounds, rounds);
}

static void threads(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("unit=%ld transaction=%ld\n", 2 * rounds, 2 * rounds);
}

static void forks(void)
{
	pid_t child = fork();

	worker(NULL);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	printf("unit=%ld transaction=%ld\n", 2 * rounds, 2 * rounds);
}

/* As often as it can be: the shared counter is all that a visit costs. */
static void hot(void)
{
	for (long i = 0; i < rounds; i++) {
		COZ_PROGRESS_NAMED("unit");
		sink += (unsigned)i;
	}
	printf("unit=%ld transaction=0\n", rounds);
}

/* More points than there is room for: later ones are not counted, and do no harm. */
static void many(void)
{
#ifdef COZLIKE_H
	size_t counted = 0;

	for (long i = 0; i < rounds; i++) {
		char name[200];
		struct cozlike_counter *c;

		snprintf(name, sizeof(name), "point %ld, %0150d", i, 0);
		c = cozlike_counter(1, name);
		counted += c != NULL;
		if (c)
			c->count++;
	}
	counted += cozlike_counter(0, "bad type") != NULL;
	counted += cozlike_counter(4, "bad type") != NULL;
	printf("%zu points\n", counted);
#endif
}

#ifdef COZ_PRE_BLOCK
/* A lock that no wrapper sees. */
static int held;
static long shared_count;

static void lock(void)
{
	COZ_PRE_BLOCK;
	while (__atomic_exchange_n(&held, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	COZ_POST_BLOCK(1);
}

static void unlock(void)
{
	COZ_CATCH_UP;
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
}

static void *locker(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		lock();
		work(500);
		shared_count++;
		COZ_PROGRESS_NAMED("unit");
		unlock();
		work(200);
	}
	return arg;
}
#endif

static void locks(void)
{
#ifdef COZ_PRE_BLOCK
	pthread_t t;

	pthread_create(&t, NULL, locker, NULL);
	locker(NULL);
	pthread_join(t, NULL);
	/* Calls that do not match each other. */
	COZ_POST_BLOCK(0);
	COZ_PRE_BLOCK;
	COZ_PRE_BLOCK;
	COZ_POST_BLOCK(0);
	COZ_POST_BLOCK(1);
	printf("unit=%ld transaction=0\n", shared_count);
#endif
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = { { "serial", serial }, { "threads", threads }, { "forks", forks },
		      { "hot", hot },	    { "many", many },	    { "locks", locks } };

	if (argc != 3)
		return 2;
	rounds = atol(argv[2]);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run();
			return 0;
		}
	return 2;
}
