/*
 * spans: a program whose spans are known.
 *
 *     spans MODE N     prints what each point must count: NAME begins=B visits=E measured=M
 */
#include <andweorc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int count;

/* In the span or not, this is a region. */
__attribute__((noinline)) void work(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

static void nap(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
}

static void say(const char *name, int begins, int ends, int measured)
{
	printf("%s begins=%d visits=%d measured=%d\n", name, begins, ends, measured);
}

/* Spans of 2 ms. */
static void *serial(void *unused)
{
	for (int i = 0; i < count; i++) {
		ANDWEORC_BEGIN("span");
		nap(2000);
		ANDWEORC_END("span");
		work();
	}
	return unused;
}

static void threads(void)
{
	pthread_t t[4];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, serial, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	}
}

static void forks(void)
{
	/* A child cannot end a span that its parent has begun. */
	ANDWEORC_BEGIN("parent");
	if (fork() == 0) {
		ANDWEORC_END("parent");
		serial(NULL);
		_exit(0);
	}
	wait(NULL);
	ANDWEORC_END("parent");
}

/* Each third is abandoned; each fifth is ended twice. */
static void careless(void)
{
	int ends = 0;

	for (int i = 0; i < count; i++) {
		ANDWEORC_BEGIN("span");
		work();
		if (i % 3 == 0)
			continue;
		ANDWEORC_END("span");
		ends++;
		if (i % 5 == 0)
			ANDWEORC_END("span");
	}
	say("span", count, ends + (count + 4) / 5 - (count + 14) / 15, ends);
}

static sem_t begun, ended;

static void *ender(void *numbered)
{
	for (int i = 0; i < count; i++) {
		sem_wait(&begun);
		work();
		if (numbered)
			ANDWEORC_END_ID("span", i);
		else
			ANDWEORC_END("span");
		sem_post(&ended);
	}
	return NULL;
}

/* The one begins, the other ends. */
static void hand_over(int numbered)
{
	pthread_t t;

	sem_init(&begun, 0, 0);
	sem_init(&ended, 0, 0);
	pthread_create(&t, NULL, ender, numbered ? &count : NULL);
	for (int i = 0; i < count; i++) {
		if (numbered)
			ANDWEORC_BEGIN_ID("span", i);
		else
			ANDWEORC_BEGIN("span");
		sem_post(&begun);
		sem_wait(&ended);
	}
	pthread_join(t, NULL);
	say("span", count, count, numbered ? count : 0);
}

/* Many open at once, ended in the order of their begin; of the same numbers in another point and another process. */
static void overlapping(void)
{
	pid_t child = fork();

	for (int i = 0; i < count; i++) {
		ANDWEORC_BEGIN_ID("span", i);
		ANDWEORC_BEGIN_ID("other", i);
	}
	work();
	for (int i = 0; i < count; i++)
		ANDWEORC_END_ID("span", i);
	for (int i = count; i-- > 0;)
		ANDWEORC_END_ID("other", i);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	say("span", 2 * count, 2 * count, 2 * count);
	say("other", 2 * count, 2 * count, 2 * count);
}

/* More than there is room for. */
static void flood(void)
{
	for (int i = 0; i < count; i++)
		ANDWEORC_BEGIN_ID("span", i);
	for (int i = 0; i < count; i++)
		ANDWEORC_END_ID("span", i);
	say("span", count, count, -1);
}

/* A span in a span: of two points, and of one, where the inner begin abandons the outer one. */
static void nested(void)
{
	for (int i = 0; i < count; i++) {
		ANDWEORC_BEGIN("outer");
		ANDWEORC_BEGIN("inner");
		work();
		ANDWEORC_END("inner");
		ANDWEORC_END("outer");
		ANDWEORC_BEGIN("same");
		ANDWEORC_BEGIN("same");
		ANDWEORC_END("same");
		ANDWEORC_END("same");
	}
	say("outer", count, count, count);
	say("inner", count, count, count);
	say("same", 2 * count, 2 * count, count);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";

	count = argc > 2 ? atoi(argv[2]) : 0;
	if (!strcmp(mode, "serial")) {
		serial(NULL);
		say("span", count, count, count);
	} else if (!strcmp(mode, "threads")) {
		threads();
		say("span", 8 * count, 8 * count, 8 * count);
	} else if (!strcmp(mode, "forks")) {
		forks();
		say("parent", 1, 2, 1);
		say("span", count, count, count);
	} else if (!strcmp(mode, "careless")) {
		careless();
	} else if (!strcmp(mode, "numbered")) {
		hand_over(1);
	} else if (!strcmp(mode, "unnumbered")) {
		hand_over(0);
	} else if (!strcmp(mode, "overlapping")) {
		overlapping();
	} else if (!strcmp(mode, "flood")) {
		flood();
	} else if (!strcmp(mode, "nested")) {
		nested();
	} else {
		return 2;
	}
	return 0;
}
