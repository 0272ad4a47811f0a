/*
 * Many threads, many visits, many processes: threads MODE N. Prints the amount of work,
 * and on stderr its time.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "hostile.h"

static long n;
static pthread_barrier_t all_here;

static void start_many(pthread_t *t, void *(*fn)(void *))
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 16);
	for (long i = 0; i < n; i++)
		start(&t[i], &attr, fn, (void *)i);
}

/* All at once; each works for half a millisecond. */
static void *waits_for_all(void *arg)
{
	pthread_barrier_wait(&all_here);
	for (int i = 0; i < 3; i++) {
		long long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 170000;

		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
			for (unsigned k = 0; k < 5000; k++)
				sink += k * k;
		pthread_barrier_wait(&all_here);
	}
	return arg;
}

static void at_once(void)
{
	pthread_t *t = calloc((size_t)n, sizeof(*t));
	long sum = 0;

	pthread_barrier_init(&all_here, NULL, (unsigned)n + 1);
	start_many(t, waits_for_all);
	for (int i = 0; i < 4; i++)
		pthread_barrier_wait(&all_here);
	for (long i = 0; i < n; i++) {
		void *value;

		pthread_join(t[i], &value);
		sum += (long)value;
	}
	printf("%ld threads at once, sum %ld\n", n, sum);
}

/* One after the other, a few at a time; each does a little. */
static void *little(void *arg)
{
	for (unsigned i = 0; i < 3000; i++)
		sink += i;
	ANDWEORC_PROGRESS("unit");
	return arg;
}

static void *creator(void *arg)
{
	long left = n / 4, sum = 0;

	while (left > 0) {
		pthread_t t[8];
		int k = 0;

		for (; k < 8 && left > 0; k++, left--)
			start(&t[k], NULL, little, (void *)1);
		while (k-- > 0) {
			void *value;

			pthread_join(t[k], &value);
			sum += (long)value;
		}
	}
	*(long *)arg = sum;
	return NULL;
}

static void in_turn(void)
{
	long sum[4], total = 0;
	pthread_t t[4];
	struct rusage usage;

	for (int i = 0; i < 4; i++)
		start(&t[i], NULL, creator, &sum[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], NULL);
		total += sum[i];
	}
	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr, "%ld kB\n", usage.ru_maxrss);
	printf("%ld threads in turn\n", total);
}

/* Visits from eight threads. */
static void *visitor(void *arg)
{
	for (long i = 0; i < n / 8; i++)
		ANDWEORC_PROGRESS("visit");
	return arg;
}

static void visits(void)
{
	pthread_t t[8];
	long long since = clock_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < 8; i++)
		start(&t[i], NULL, visitor, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	fprintf(stderr, "%.1f ns a visit\n", (double)(clock_ns(CLOCK_MONOTONIC) - since) / (double)n);
	printf("%ld visits\n", n / 8 * 8);
}

/* Processes at once, each with a thread. */
static void *brief(void *arg)
{
	work(ms / 20 + 1);
	return arg;
}

static void processes(void)
{
	int p[2], status;
	long sum = 0;
	char c;

	if (pipe(p) != 0)
		die("pipe");
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			pthread_t t;

			close(p[1]);
			start(&t, NULL, brief, NULL);
			brief(NULL);
			pthread_join(t, NULL);
			_exit(read(p[0], &c, 1) == 0 ? 1 : 2);
		}
	}
	work(ms / 4);
	close(p[1]);
	while (wait(&status) > 0)
		sum += WEXITSTATUS(status);
	printf("%ld processes, sum %ld\n", n, sum);
}

static const struct mode mode[] = {
	{ "at-once", at_once }, { "in-turn", in_turn }, { "visits", visits }, { "processes", processes },
};

int main(int argc, char **argv)
{
	n = argc > 2 ? atol(argv[2]) : 8;
	return run_mode(argc, argv, mode, sizeof(mode) / sizeof(mode[0]));
}
