/*
 * Helpers of the programs sync-*.c: sync-NAME MODE runs ways to wait and to wake.  The
 * result of each function, and its errno, must not depend on being profiled; the same
 * lines show that functions work.  Another thread works beside, so that there is
 * something to speed up.
 *
 * Each mode is run again and again for SYNC_MS milliseconds (default 1: once), and
 * must say the same each time.
 */
#ifndef SYNC_H
#define SYNC_H

#include <andweorc.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 40 };

struct mode {
	const char *name; /* NULL: no more */
	void (*fn)(void);
};

static char said[8192];
static volatile unsigned sink;
static atomic_int finished;

__attribute__((format(printf, 1, 2))) static inline void say(const char *format, ...)
{
	size_t n = strlen(said);
	va_list ap;

	va_start(ap, format);
	vsnprintf(said + n, sizeof(said) - n, format, ap);
	va_end(ap);
}

/* The result of a call that sets errno. */
static inline const char *outcome(long result)
{
	static _Thread_local char buf[64];

	if (result == -1)
		snprintf(buf, sizeof(buf), "%s", strerrorname_np(errno));
	else
		snprintf(buf, sizeof(buf), "%ld", result);
	return buf;
}

/* And one that returns an error. */
static inline const char *named(int err)
{
	return err ? strerrorname_np(err) : "0";
}

static inline long long now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static inline struct timespec in_us(clockid_t clock, long us)
{
	long long ns = now_ns(clock) + us * 1000ll;

	return (struct timespec){ ns / 1000000000, ns % 1000000000 };
}

__attribute__((noinline)) void work(int us)
{
	long long end = now_ns(CLOCK_THREAD_CPUTIME_ID) + us * 1000ll;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
		for (unsigned i = 0; i < 2000; i++)
			sink += i * i;
		ANDWEORC_PROGRESS("unit");
	}
}

static inline void *worker(void *arg)
{
	while (!atomic_load(&finished))
		work(200);
	return arg;
}

static inline void die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(99);
}

static inline pthread_t start(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	if ((errno = pthread_create(&t, NULL, fn, arg)) != 0)
		die("pthread_create");
	return t;
}

static inline void nap(long us)
{
	struct timespec t = { 0, us * 1000 };

	while (nanosleep(&t, &t) != 0)
		;
}

static volatile sig_atomic_t handled;
static pthread_t victim;

static inline void on_signal(int sig)
{
	handled = sig;
}

/* Its calls fail with EINTR when they are interrupted. */
static inline void hook(int sig)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(sig, &act, NULL);
	handled = 0;
}

/* Until the handler has run for the thread that asked, which may not be waiting yet when it does. */
static atomic_int pestering;

static inline void *pester(void *arg)
{
	nap(500);
	while (atomic_load(&pestering)) {
		pthread_kill(victim, (int)(intptr_t)arg);
		nap(300);
	}
	return NULL;
}

static inline pthread_t pester_me(int sig)
{
	victim = pthread_self();
	atomic_store(&pestering, 1);
	return start(pester, (void *)(intptr_t)sig);
}

static inline void leave_me(pthread_t t)
{
	int saved = errno;

	atomic_store(&pestering, 0);
	pthread_join(t, NULL);
	errno = saved;
}

/* Runs the mode that the command line names. */
static inline int run_mode(int argc, char **argv, const struct mode *mode)
{
	const char *ms = getenv("SYNC_MS");
	long long end = now_ns(CLOCK_MONOTONIC) + (ms ? atoi(ms) : 1) * 1000000ll;
	static char first[sizeof(said)];
	sigset_t signals_to_main, before;
	pthread_t t;

	/* Signals to the process are for this thread. */
	sigfillset(&signals_to_main);
	pthread_sigmask(SIG_SETMASK, &signals_to_main, &before);
	t = start(worker, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (; mode->name; mode++) {
		if (argc != 2 || strcmp(mode->name, argv[1]) != 0)
			continue;
		for (int n = 0; n == 0 || now_ns(CLOCK_MONOTONIC) < end; n++) {
			said[0] = 0;
			mode->fn();
			if (n == 0)
				memcpy(first, said, sizeof(said));
			if (strcmp(said, first) != 0) {
				printf("round %d differs:\n%s", n, said);
				break;
			}
		}
		fputs(first, stdout);
		atomic_store(&finished, 1);
		pthread_join(t, NULL);
		return 0;
	}
	fputs("sync: which mode?\n", stderr);
	return 2;
}

#endif
