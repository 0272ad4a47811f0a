/*
 * Places that may be progress points: points MODE N. It prints how often each was
 * executed.
 */
#include <andweorc.h>
#include <dlfcn.h>
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

static volatile unsigned sink;
static long rounds;

/* 1 is about 1 us. */
OPAQUE void work(unsigned long n)
{
	unsigned x = 1;

	for (n *= 600; n > 0; n--)
		x = x * 1664525 + 1013904223;
	sink += x;
}

OPAQUE void unit(void)
{
	work(1000);
	sink++;
}

OPAQUE void tiny(void)
{
	sink += 3;
}

OPAQUE void another(void)
{
	sink += 5;
}

static void *worker(void *arg)
{
	for (long i = 0; i < rounds; i++)
		unit();
	return arg;
}

static void steady(void)
{
	worker(NULL);
	printf("unit=%ld\n", rounds);
}

static void threads(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("unit=%ld\n", 3 * rounds);
}

static void forks(void)
{
	pid_t child = fork();

	worker(NULL);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	printf("unit=%ld\n", 2 * rounds);
}

static char *self;

static void execs(void)
{
	char n[24];
	char *const argv[] = { self, (char[]){ "steady" }, n, NULL };

	snprintf(n, sizeof(n), "%ld", rounds);
	worker(NULL);
	execv("/proc/self/exe", argv);
}

/* Each WARM_US microseconds, or 10,000 times a second. */
static void warm(void)
{
	unsigned long us = getenv("WARM_US") ? strtoul(getenv("WARM_US"), NULL, 10) : 100;

	for (long i = 0; i < rounds; i++) {
		tiny();
		work(us);
		if (i % 10 == 9)
			ANDWEORC_PROGRESS("slow");
	}
	printf("tiny=%ld\n", rounds);
}

/* As often as can be. */
static void hot(void)
{
	for (long i = 0; i < rounds; i++) {
		tiny();
		if (i % 1000 == 999) {
			work(100);
			ANDWEORC_PROGRESS("slow");
		}
	}
	printf("tiny=%ld\n", rounds);
}

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

/* In libc. */
static void sorts(void)
{
	enum { N = 4000 };
	static int v[N];
	unsigned x = 1;

	for (long i = 0; i < rounds; i++) {
		for (int k = 0; k < N; k++)
			v[k] = (int)(x = x * 1664525 + 1013904223);
		qsort(v, N, sizeof(v[0]), by_value);
		work(300);
	}
	sink += (unsigned)v[0];
	printf("qsort=%ld\n", rounds);
}

/* Half of the time in malloc and free. */
static void allocates(void)
{
	enum { N = 300 };
	static void *v[N];

	for (long i = 0; i < rounds; i++) {
		for (int pass = 0; pass < 20; pass++) {
			for (int k = 0; k < N; k++)
				v[k] = malloc((size_t)(1 + k % 40) * 200);
			for (int k = 0; k < N; k++)
				free(v[(k * 7) % N]);
		}
		work(500);
		another();
	}
	printf("another=%ld\n", rounds);
}

static void plugin(void)
{
	void *lib;
	void (*visit)(void);

	work(100000);
	lib = dlopen("./plugin.so", RTLD_NOW);
	visit = lib ? (void (*)(void))dlsym(lib, "in_plugin") : NULL;
	for (long i = 0; visit && i < rounds; i++) {
		visit();
		work(1000);
	}
	printf("in_plugin=%ld\n", visit ? rounds : 0);
}

/* A child that ignores its parent's registers: with a program of its own. */
static void system_(void)
{
	printf("status=%d\n", system("exit 3"));
	steady();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = { { "steady", steady }, { "threads", threads }, { "forks", forks },	      { "execs", execs },
		      { "warm", warm },	    { "hot", hot },	    { "sorts", sorts },	      { "allocates", allocates },
		      { "plugin", plugin }, { "system", system_ } };

	if (argc != 3)
		return 2;
	self = argv[0];
	rounds = atol(argv[2]);
	another();
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run();
			return 0;
		}
	return 2;
}
