/*
 * Helpers of the hostile programs of t/0260-hostile.t: PROGRAM MODE runs one of many
 * things that are difficult for a profiler.  The output, and the end of the program,
 * must not depend on being profiled.  Each works for LIFE_MS milliseconds of processor
 * time (default 2).
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <andweorc.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int ms = 2;
static volatile unsigned sink;

static inline long long clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static __attribute__((noinline)) void work(int msec)
{
	long long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + msec * 1000000ll;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
		for (unsigned i = 0; i < 20000; i++)
			sink += i * i;
		ANDWEORC_PROGRESS("unit");
	}
}

static inline void die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(99);
}

static inline void start(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	int err = pthread_create(t, attr, fn, arg);

	if (err)
		errno = err, die("pthread_create");
}

static inline void handle(int sig, void (*fn)(int, siginfo_t *, void *), int flags)
{
	struct sigaction act = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO | flags };

	if (sigaction(sig, &act, NULL) != 0)
		die("sigaction");
}

struct mode {
	const char *name;
	void (*fn)(void);
};

static inline int run_mode(int argc, char **argv, const struct mode *mode, size_t n)
{
	if (getenv("LIFE_MS"))
		ms = atoi(getenv("LIFE_MS"));
	for (size_t i = 0; argc > 1 && i < n; i++) {
		if (strcmp(argv[1], mode[i].name) == 0) {
			mode[i].fn();
			return 0;
		}
	}
	puts("no such mode");
	return 98;
}

#endif
