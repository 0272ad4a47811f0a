/*
 * A program without any progress point: runs MODE N.
 *
 *     serial    regions of 50, 30 and 20 % of it
 *     join      two threads at a time, one has twice as much to do as the other
 *     child     the work of serial, in a child that the program waits for
 *     fails     every third time, with status 3 (it counts in the file `runs`)
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* clang has no noipa, and does not clone. */
#ifdef __clang__
#define OPAQUE __attribute__((noinline))
#else
#define OPAQUE __attribute__((noipa))
#endif

static volatile unsigned long sink;
static long rounds;

#ifndef ROUNDS_PER_US
#define ROUNDS_PER_US 800ul
#endif

/* Dependent register operations: no memory, no surprises.  1 is about 1 us. */
#define WORK(us)                                                \
	do {                                                    \
		unsigned long x = 88172645463325252ul;          \
		for (unsigned long n = (us)*ROUNDS_PER_US; n > 0; n--) { \
			x ^= x << 13;                           \
			x ^= x >> 7;                            \
			x += __LINE__;                          \
		}                                               \
		sink += x;                                      \
	} while (0)

OPAQUE void half(void)
{
	WORK(100);
}

OPAQUE void third(void)
{
	WORK(60);
}

OPAQUE void fifth(void)
{
	WORK(40);
}

static void serial(void)
{
	for (long i = 0; i < rounds; i++) {
		half();
		third();
		fifth();
	}
}

OPAQUE void longer(void)
{
	WORK(2000);
}

OPAQUE void shorter(void)
{
	WORK(1000);
}

static void *run(void *arg)
{
	(*(void (**)(void))arg)();
	return NULL;
}

static void join(void)
{
	static void (*longer_p)(void) = longer, (*shorter_p)(void) = shorter;
	pthread_t t[2];

	for (long i = 0; i < rounds; i++) {
		pthread_create(&t[0], NULL, run, &longer_p);
		pthread_create(&t[1], NULL, run, &shorter_p);
		pthread_join(t[0], NULL);
		pthread_join(t[1], NULL);
	}
}

static void child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		serial();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void fails(void)
{
	FILE *f = fopen("runs", "a");

	serial();
	if (!f)
		exit(9);
	fputc('.', f);
	fclose(f);
	f = fopen("runs", "r");
	fseek(f, 0, SEEK_END);
	if (ftell(f) % 3 == 0)
		exit(3);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	rounds = atol(argv[2]);
	if (strcmp(argv[1], "serial") == 0)
		serial();
	else if (strcmp(argv[1], "join") == 0)
		join();
	else if (strcmp(argv[1], "child") == 0)
		child();
	else if (strcmp(argv[1], "fails") == 0)
		fails();
	else
		return 2;
	return 0;
}
