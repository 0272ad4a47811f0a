/*
 * A program that warms up, works, and tears down: control MODE MILLISECONDS
 * MILLISECONDS, of warming up and tearing down, and of work.  Work goes on until there
 * is a file LIFE_UNTIL, where that is in the environment.  It prints when it begins to
 * work, and how long it has worked.
 *
 *     told     tells the recorder when its work begins and ends
 *     handler  the same in handlers of a signal
 *     silent   tells it nothing
 *     ask      prints whether it is recorded, and does nothing
 *     twice    works twice, until there is a file `first` the first time
 */
#include <andweorc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void spin(unsigned n)
{
	while (n-- > 0)
		sink += n;
}

static __attribute__((noinline)) void warm_up(double ms)
{
	for (double end = now_ms() + ms; now_ms() < end; sink++)
		spin(100000);
}

static __attribute__((noinline)) void tear_down(double ms)
{
	for (double end = now_ms() + ms; now_ms() < end; sink += 2)
		spin(90000);
}

static __attribute__((noinline)) void work(void)
{
	spin(400000);
	sink++;
}

/* Returns how long that was, in milliseconds. */
static double work_on(double ms, const char *until)
{
	double began = now_ms();

	while (until ? access(until, F_OK) != 0 : now_ms() < began + ms) {
		work();
		ANDWEORC_PROGRESS("unit");
	}
	return now_ms() - began;
}

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		ANDWEORC_START();
	else
		ANDWEORC_STOP();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const char *until = getenv("LIFE_UNTIL");
	bool twice = strcmp(mode, "twice") == 0;
	double around = argc > 2 ? atof(argv[2]) : 0, ms = argc > 3 ? atof(argv[3]) : 0, worked;

	if (strcmp(mode, "ask") == 0)
		return printf("%d\n", ANDWEORC_IS_RECORDED()) < 0;
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	warm_up(around);
	if (strcmp(mode, "handler") == 0)
		raise(SIGUSR1);
	else if (strcmp(mode, "silent") != 0)
		ANDWEORC_START();
	puts("works");
	fflush(stdout);
	worked = work_on(ms, twice ? "first" : until);
	if (twice) {
		ANDWEORC_STOP();
		warm_up(around);
		ANDWEORC_START();
		worked += work_on(ms, until);
	}
	if (strcmp(mode, "handler") == 0)
		raise(SIGUSR2);
	else if (strcmp(mode, "silent") != 0)
		ANDWEORC_STOP();
	tear_down(around);
	printf("worked %.0f ms\n", worked);
	return puts("done") < 0;
}
