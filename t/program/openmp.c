/*
 * openmp: all functions that the wrappers of OpenMP runtimes interpose, once each, with
 * results that do not depend on scheduling.
 *
 *     openmp [MS]           repeats all for so many ms, so that there is something to profile
 *     openmp MS tasks       works in tasks alone
 *     openmp MS idle        lets the first thread wait for the second
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <andweorc.h>

enum { N = 240 };

static long cell[N][N];

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

__attribute__((noinline)) static long work(long n)
{
	volatile long x = n;

	for (int i = 0; i < 300; i++)
		x = x * 3 % 1009;
	return x;
}

static long loops(void)
{
	long sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += work(i);
#pragma omp parallel for schedule(static, 3) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += work(i);
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += work(i);
#pragma omp parallel for schedule(monotonic : dynamic, 2) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += work(i);
#pragma omp parallel for schedule(guided) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += work(i);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += work(i);
#pragma omp parallel for schedule(nonmonotonic : dynamic) reduction(+ : sum)
	for (unsigned long long i = 0; i < N; i++)
		sum += work((long)i);
#pragma omp parallel reduction(+ : sum)
	{
#pragma omp for schedule(dynamic)
		for (int i = 0; i < N; i++)
			sum += work(i);
#pragma omp for schedule(guided) nowait
		for (int i = 0; i < N; i++)
			sum += work(i);
#pragma omp barrier
#pragma omp single
		sum += 7;
	}
	return sum;
}

static long sections(void)
{
	long a = 0, b = 0, c = 0;

#pragma omp parallel sections
	{
#pragma omp section
		a = work(1);
#pragma omp section
		b = work(2);
	}
#pragma omp parallel
	{
#pragma omp sections
		{
#pragma omp section
			a += work(3);
#pragma omp section
			b += work(4);
#pragma omp section
			c += work(5);
		}
	}
	return a + 10 * b + 100 * c;
}

static long one_at_a_time(void)
{
	static omp_lock_t lock;
	static omp_nest_lock_t nest;
	long plain = 0, named = 0, locked = 0, nested = 0, tried = 0;
#ifdef __clang__
	double wide = 0;
#else
	long double wide = 0; /* too wide for the processor: the runtime has a lock for it */
#endif

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < N; i++) {
		long x = work(i);
#pragma omp critical
		plain += x;
#pragma omp critical(name)
		named += x;
#pragma omp atomic
		wide += x;
		omp_set_lock(&lock);
		locked += x;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		nested += x;
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
		while (!omp_test_lock(&lock))
			;
		tried += x;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	return plain + 2 * named + 3 * locked + 4 * nested + 5 * tried + 6 * (long)wide;
}

static long in_order(void)
{
	long x = 1, y = 1;

#pragma omp parallel for ordered schedule(dynamic)
	for (int i = 0; i < N; i++) {
		long w = work(i);
#pragma omp ordered
		x = (x * 31 + w) % 1000003;
	}
#pragma omp parallel for ordered schedule(static, 2)
	for (int i = 0; i < N; i++) {
		long w = work(i);
#pragma omp ordered
		y = (y * 31 + w) % 1000003;
	}
	return x + y;
}

/* Each cell from those above and to the left: by iterations that wait for each other. */
static long wavefront(void)
{
	enum { M = 24 };

	for (int i = 0; i < M; i++)
		cell[i][0] = cell[0][i] = i + 1;
#pragma omp parallel for ordered(2) collapse(2)
	for (int i = 1; i < M; i++) {
		for (int j = 1; j < M; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
			cell[i][j] = (cell[i - 1][j] * 3 + cell[i][j - 1] * 5) % 10007;
#pragma omp ordered depend(source)
		}
	}
	return cell[M - 1][M - 1];
}

static long copied(void)
{
	long sum = 0, x;

#pragma omp parallel private(x) reduction(+ : sum)
	{
#pragma omp single copyprivate(x)
		x = work(9);
		sum += x;
#pragma omp barrier
#pragma omp master
		sum += 1;
	}
	return sum / omp_get_max_threads();
}

static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) if (n > 4)
	a = fib(n - 1);
#pragma omp task shared(b) if (n > 4)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

struct big {
	long x[40];
};

static void halve(long lo, long hi, long *sum)
{
	if (hi - lo > 8) {
		long mid = (lo + hi) / 2;
#pragma omp task
		halve(lo, mid, sum);
#pragma omp task
		halve(mid, hi, sum);
		return;
	}
	for (long i = lo; i < hi; i++) {
		long x = work(i);
#pragma omp atomic
		*sum += x;
	}
}

static long tasks(void)
{
	long sum = 0, chain = 1, halves = 0, big = 0, loop = 0, number = 0, half;
	struct big args;

	for (int i = 0; i < 40; i++)
		args.x[i] = i;
#pragma omp parallel
#pragma omp single
	{
		number = fib(12);
		for (int i = 0; i < 60; i++) {
#pragma omp task firstprivate(i)
			{
				long x = work(i);
#pragma omp atomic
				sum += x;
			}
		}
		/* More data than fits into the copied struct. */
		for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(args, i)
			{
				long x = work(args.x[i]);
				args.x[i] = -1;
#pragma omp atomic
				big += x;
			}
		}
		for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : chain) firstprivate(i)
			chain = (chain * 7 + work(i)) % 100003;
		}
#pragma omp taskgroup
		halve(0, N, &halves);
		half = halves; /* all of them, also those that tasks made */
#pragma omp taskloop grainsize(5)
		for (int i = 0; i < N; i++) {
			long x = work(i);
#pragma omp atomic
			loop += x;
		}
#pragma omp taskloop nogroup num_tasks(7) firstprivate(args)
		for (unsigned long long i = 0; i < 40; i++) {
			long x = work(args.x[i]);
#pragma omp atomic
			loop += x;
		}
#pragma omp taskyield
#pragma omp taskwait
	}
	return sum + 2 * chain + 3 * halves + 4 * half + 5 * big + 6 * loop + number;
}

/* A task loop of so many tasks that the runtime runs them at once: copies of what they are given would not fit the stack. */
static long many_tasks(void)
{
	long sum = 0, factor = 3;

#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(50000) firstprivate(factor)
	for (int i = 0; i < 50000; i++) {
#pragma omp atomic
		sum += factor * (i % 3);
	}
	return sum;
}

static long nested(void)
{
	long sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
		long inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
		{
			inner += work(omp_get_thread_num());
#pragma omp barrier
			inner += work(2 + omp_get_thread_num());
		}
		sum += inner * (1 + omp_get_thread_num());
	}
	return sum;
}

static long given_up(void)
{
	long found = 0, rounds = 0;

#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++) {
			if (i == 5) {
#pragma omp atomic write
				found = i;
#pragma omp cancel for
			}
#pragma omp cancellation point for
		}
#pragma omp atomic
		rounds++;
#pragma omp barrier
	}
	return found + (rounds == omp_get_max_threads());
}

/* All work is in tasks, which threads run while they wait at the end of the region, or for their own tasks. */
static void only_tasks(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 20; i++) {
#pragma omp task
			for (int k = 0; k < 100; k++)
				work(k);
		}
#pragma omp taskwait
		for (int i = 0; i < 20; i++) {
#pragma omp task
			for (int k = 0; k < 100; k++)
				work(k);
		}
	}
}

__attribute__((noinline)) static void waits(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 1)
			for (int k = 0; k < 1000; k++)
				work(k);
	}
	__asm__ volatile("");
}

static void repeat(void (*what)(void), double end)
{
	do {
		what();
		ANDWEORC_PROGRESS("round");
	} while (now_ms() < end);
	puts("done");
}

int main(int argc, char **argv)
{
	double end = now_ms() + (argc > 1 ? atof(argv[1]) : 0);
	long first = -1, sum;

	if (argc > 2) {
		repeat(strcmp(argv[2], "tasks") == 0 ? only_tasks : waits, end);
		return 0;
	}
	omp_set_max_active_levels(2);
	do {
		static long (*const part[])(void) = {
			loops, sections, one_at_a_time, in_order, wavefront, copied, tasks, many_tasks, nested, given_up,
		};

		sum = 0;
		for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
			long result = part[i]();

			if (first == -1)
				printf("%zu %ld\n", i, result);
			sum = sum * 31 + result;
			ANDWEORC_PROGRESS("part");
		}
		if (first == -1)
			first = sum;
		if (sum != first)
			printf("another time: %ld\n", sum);
	} while (now_ms() < end);
	return 0;
}
