/*
 * Limits on memory, and a recorder that is killed: limits MODE. Output that depends on
 * being profiled goes to stderr: KEY VALUE.
 */
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "hostile.h"

enum { THREADS = 64, FORKS = 1150, TIMED = 50 };

static pthread_barrier_t all_here;

static void *works(void *arg)
{
	pthread_barrier_wait(&all_here);
	work(ms / 32 + 1);
	pthread_barrier_wait(&all_here);
	return arg;
}

static void start_all(pthread_t *t)
{
	pthread_attr_t attr;

	pthread_barrier_init(&all_here, NULL, THREADS + 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 16);
	for (int i = 0; i < THREADS; i++)
		start(&t[i], &attr, works, NULL);
	pthread_barrier_wait(&all_here);
	pthread_barrier_wait(&all_here);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	puts("all have worked");
}

/* Of /proc/self/status, kB. */
static void tell(const char *key)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[200];

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0)
			fprintf(stderr, "%s %d\n", key, atoi(line + strlen(key) + 1));
	if (f)
		fclose(f);
}

static void size(void)
{
	pthread_t t[THREADS];

	start_all(t);
	tell("VmSize");
}

static void locked(void)
{
	pthread_t t[THREADS];

	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
		die("mlockall");
	start_all(t);
	tell("VmLck");
}

/* The program's own limit, and most of what it allows. */
static void limited(void)
{
	struct rlimit limit = { 200 << 20, 200 << 20 };
	pthread_t t[THREADS];
	char *p;

	if (setrlimit(RLIMIT_AS, &limit) != 0)
		die("setrlimit");
	start_all(t);
	p = malloc(100 << 20);
	if (!p)
		die("malloc");
	memset(p, 1, 100 << 20);
	puts("has its memory");
	free(p);
}

/* No room for a single page more; threads' stacks, and what libc will allocate, are there already. */
static void full(void)
{
	static char stacks[THREADS][1 << 16] __attribute__((aligned(4096)));
	struct rlimit limit;
	pthread_attr_t attr;
	pthread_t t[THREADS];
	void *volatile heap;

	work(ms);
	mallopt(M_TRIM_THRESHOLD, 16 << 20);
	mallopt(M_MMAP_THRESHOLD, 16 << 20);
	heap = malloc(8 << 20);
	free(heap);
	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = 1 << 20;
	if (setrlimit(RLIMIT_AS, &limit) != 0)
		die("setrlimit");
	pthread_barrier_init(&all_here, NULL, THREADS + 1);
	pthread_attr_init(&attr);
	for (int i = 0; i < THREADS; i++) {
		pthread_attr_setstack(&attr, stacks[i], sizeof(stacks[i]));
		start(&t[i], &attr, works, NULL);
	}
	pthread_barrier_wait(&all_here);
	pthread_barrier_wait(&all_here);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	puts("all have worked");
}

/* Children that run on together, each with threads of its own. */
static void forks(void)
{
	enum { CHILDREN = 4 };
	pid_t child[CHILDREN];
	pthread_t t[THREADS];
	int status, bad = 0;

	start_all(t);
	for (int i = 0; i < CHILDREN; i++) {
		fflush(stdout);
		child[i] = fork();
		if (child[i] == 0) {
			start_all(t);
			tell("VmSize");
			exit(0);
		}
	}
	for (int i = 0; i < CHILDREN; i++) {
		waitpid(child[i], &status, 0);
		bad += status != 0;
	}
	printf("%d have failed\n", bad);
}

/* A child that has lost its user and its root makes more threads than there were before. */
static void sandboxed(void)
{
	pthread_t t[THREADS];
	int status;

	work(ms);
	fflush(stdout);
	if (fork() == 0) {
		if (chroot("/proc/self/fdinfo") != 0 || setgid(65534) != 0 || setuid(65534) != 0)
			die("a sandbox");
		start_all(t);
		exit(0);
	}
	wait(&status);
	printf("status %d\n", status);
}

static void fork_some(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

/* The recorder is killed; a live one gives a sign within 3 s. */
static void orphan(void)
{
	long long began;

	work(ms);
	kill(getppid(), SIGKILL);
	usleep(3200000);
	fork_some(FORKS);
	began = clock_ns(CLOCK_MONOTONIC);
	fork_some(TIMED);
	printf("ms %lld\n", (clock_ns(CLOCK_MONOTONIC) - began) / 1000000 / TIMED);
}

int main(int argc, char **argv)
{
	static const struct mode mode[] = { { "size", size }, { "locked", locked }, { "limited", limited }, { "full", full },
					    { "forks", forks }, { "sandboxed", sandboxed }, { "orphan", orphan } };

	return run_mode(argc, argv, mode, sizeof(mode) / sizeof(mode[0]));
}
