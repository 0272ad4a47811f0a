/*
 * Calls of functions of a library: calls MODE N.  It prints errors that it has found,
 * and how often it has called tick(), or all of them: N times, or fewer if there is a
 * file LIFE_UNTIL before.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "called.h"

#ifdef __clang__
#define OPAQUE __attribute__((noinline))
#else
#define OPAQUE __attribute__((noipa))
#endif

static volatile unsigned sink;
static long rounds;
static unsigned long wrong;
static char *const *arguments;
static const char *until;

/* 1 is about 1 us. */
OPAQUE void work(unsigned long n)
{
	unsigned x = 1;

	for (n *= 600; n > 0; n--)
		x = x * 1664525 + 1013904223;
	sink += x;
}

/* Looks for the file now and then. */
static int is_over(long i)
{
	return i >= rounds || (until && i % 1000 == 0 && access(until, F_OK) == 0);
}

static void ticks(void)
{
	long i;

	for (i = 0; !is_over(i); i++) {
		tick();
		if (i % 100 == 0)
			work(50);
	}
	printf("tick=%ld\n", i);
}

OPAQUE static void values_at(long x)
{
	volatile double y = (double)x / 4;
	struct large large;
	struct pair pair;
	struct mixed mixed;

	errno = 4711;
	wrong += mix(x, y, x + 1, 0.5f, x + 2, y + 1, x + 3, y + 2, x + 4, y + 3, x + 5, y + 4, y + 5, y + 6, x + 6) !=
		 (double)x * (1 + 3 + 5 + 7 + 9 + 11 + 15) + (3 + 2 * 5 + 3 * 7 + 4 * 9 + 5 * 11 + 6 * 15) + 0.5 * 4 +
			 y * (2 + 6 + 8 + 10 + 12 + 13 + 14) + (6 + 2 * 8 + 3 * 10 + 4 * 12 + 5 * 13 + 6 * 14);
	wrong += wide((long double)y, 1e300L) != (long double)y * 1e300L;
	wrong += sum(3, 1, y, 2, y + 1, 3, y + 2) != 9 + 3 * y;
	wrong += sum(6, 1, y, 2, y, 3, y, 4, y, 5, y, 6, y) != 21 + 6 * y;
	large = make_large(x);
	for (int i = 0; i < 6; i++)
		wrong += large.v[i] != x + i;
	pair = make_pair(y);
	wrong += pair.a != y || pair.b != 2 * y;
	mixed = make_mixed(x, y);
	wrong += mixed.a != x + 1 || mixed.b != y + 1;
#ifdef __AVX__
	{
		vector4 v = { y, y + 1, y + 2, y + 3 }, s = add4(v, v, v, v, v, v, v, v);

		for (int i = 0; i < 4; i++)
			wrong += s[i] != 36 * (y + i);
	}
#endif
#ifdef __AVX512F__
	{
		vector8 v = { y, y + 1, y + 2, y + 3, y + 4, y + 5, y + 6, y + 7 }, s = add8(v, v, v, v, v, v, v, v);

		for (int i = 0; i < 8; i++)
			wrong += s[i] != 36 * (y + i);
	}
#endif
	wrong += errno != 4711;
}

static void values(void)
{
	long i;

	for (i = 0; !is_over(i); i++) {
		values_at(i);
		if (i % 100 == 0)
			work(10);
	}
	printf("values=%ld\n", i);
}

typedef void function(void);
static function *const kept = tick;

/* A function is the same wherever its address is taken. */
static void addresses(void)
{
	function *volatile now = tick, *volatile then = kept;

	wrong += now != then;
	for (long i = 0; i < rounds; i++)
		(i & 1 ? now : then)();
	printf("tick=%ld\n", rounds);
}

static volatile sig_atomic_t caught;

static void on_alarm(int sig)
{
	(void)sig;
	tick();
	caught++;
}

/* A handler calls it, too, whatever it interrupts. */
static void signals(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < rounds; i++) {
		values_at(i);
		if (i % 100 == 0)
			work(10);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("caught=%d\n", caught >= 10);
}

static void forks(void)
{
	pid_t child = fork();

	ticks();
	if (child == 0) {
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void execs(void)
{
	char *argv[] = { arguments[0], (char[]){ "ticks" }, arguments[2], NULL };

	ticks();
	fflush(stdout);
	execv("/proc/self/exe", argv);
}

/* The plugin calls tick(); it is called itself by what dlsym says.  `wait`: so long before each of the first calls. */
static void call_plugin(unsigned long wait)
{
	void *lib = dlopen("./plugin.so", RTLD_LAZY);
	void (*in_plugin)(long) = lib ? (void (*)(long))dlsym(lib, "in_plugin") : NULL;

	wrong += dlsym(lib, "no_such_symbol") != NULL || !dlerror();
	for (long i = 0; in_plugin && i < rounds; i += 100) {
		/* The recorder looks for new modules now and then. */
		if (i < 1000)
			work(wait);
		in_plugin(100);
		work(50);
	}
}

static void plugin(void)
{
	call_plugin(100000);
}

static void loads(void)
{
	call_plugin(10000);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = { { "ticks", ticks }, { "values", values }, { "addresses", addresses }, { "signals", signals },
		      { "forks", forks }, { "execs", execs },	{ "plugin", plugin }, { "loads", loads } };

	if (argc != 3)
		return 2;
	arguments = argv;
	rounds = atol(argv[2]);
	until = getenv("LIFE_UNTIL");
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			modes[i].run();
	if (wrong)
		printf("wrong=%lu\n", wrong);
	return wrong != 0;
}
