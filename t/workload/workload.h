/*
 * workload: helpers of the known-answer programs.
 *
 *     NAME [--seconds S | --visits N] [--skip N] [--shrink REGION=PCT]... [--scale F] [--unit N]
 *     NAME --regions      its regions, one a line: NAME<TAB>FILE:LINE
 *     NAME --calibrate    iterations per ms on this machine, for --unit
 *
 * A program repeats a round until S seconds or N visits have passed (default:
 * 1 s), then prints one line: visits=, elapsed_ns= and period_ns= of the rounds
 * after the first visit, or with --skip after that many more.  --shrink makes a region's work really PCT % shorter:
 * the truth that a prediction is compared with.  --scale multiplies all work,
 * sleeps included.
 *
 * Work is iterations of a chain of dependent register operations: no memory,
 * nothing that a neighbour could slow but the clock rate.  The number of
 * iterations per ms is a constant, the same in every run, and not calibrated at
 * start-up: noise of a calibration would be noise of the truth.
 *
 * For C11 and for C++20.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <andweorc.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#ifdef __cplusplus
#include <atomic>
#else
#include <stdatomic.h>
#include <stdbool.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct region {
	const char *name;
	const char *file;
	int line;            /* of the loop */
	double ms;           /* nominal work of one call; after workload_start, what --shrink and --scale made of it */
	uint64_t iterations; /* of one call; set by workload_start */
};

#ifdef __cplusplus
#define WORKLOAD_NORETURN [[noreturn]]
#else
#define WORKLOAD_NORETURN _Noreturn
#endif

/* One round is done.  Programs that have the marks of another profiler define it before. */
#ifndef WORKLOAD_PROGRESS
#define WORKLOAD_PROGRESS() ANDWEORC_PROGRESS("round")
#endif

/* gcc's noipa also keeps its identical-code folding away; clang has neither. */
#if defined(__GNUC__) && !defined(__clang__)
#define WORKLOAD_OPAQUE __attribute__((noipa))
#else
#define WORKLOAD_OPAQUE __attribute__((noinline))
#endif

/* The loop.  __LINE__ makes each region's code its own, also for a linker that folds. */
#define WORKLOAD_LOOP(iterations_)                                                                                           \
	do {                                                                                                                 \
		uint64_t x_ = 88172645463325252u;                                                                            \
		for (uint64_t n_ = (iterations_); n_ > 0; n_--) {                                                            \
			x_ ^= x_ << 13;                                                                                      \
			x_ ^= x_ >> 7;                                                                                       \
			x_ += __LINE__;                                                                                      \
		}                                                                                                            \
		__asm__ volatile("" : : "r"(x_)); /* the result is wanted */                                                 \
	} while (0)

/* A function name_() of ms_ ms of work, all of it on the line where this stands. */
#define REGION(name_, ms_) REGION_AS(WORKLOAD_OPAQUE, name_, ms_)

/* The same, inlined wherever it is called: one line, several places. */
#define REGION_INLINED(name_, ms_) REGION_AS(inline __attribute__((always_inline)), name_, ms_)

#define REGION_AS(attributes_, name_, ms_)                                                                                   \
	REGION_FUNCTION(attributes_, name_, ms_, (void), WORKLOAD_LOOP(name_##_region.iterations))

/* A function name_ of nominally ms_ ms with parameters and a body of its own, all of it on the line where this stands. */
#define REGION_FUNCTION(attributes_, name_, ms_, parameters_, ...)                                                           \
	static struct region name_##_region = {#name_, __FILE__, __LINE__, ms_, 0};                                          \
	static attributes_ void name_ parameters_                                                                            \
	{                                                                                                                    \
		__VA_ARGS__;                                                                                                 \
	}                                                                                                                    \
	struct region /* swallows the semicolon */

struct workload {
	uint64_t first_ns; /* time of the first visit that counts, 0 before it; atomic */
	uint64_t count;    /* visits, all of them; atomic */
	uint64_t skip;     /* visits before the first one that counts */
	uint64_t limit;    /* visits after the first; 0 none */
	uint64_t max_ns;   /* 0 none */
	int finished;      /* atomic */
};

static struct workload workload_own, *workload = &workload_own;
static double workload_scale = 1; /* --scale, after workload_start: for code outside of regions */
static void (*workload_more)(void); /* prints more keys behind the others */

WORKLOAD_NORETURN static inline void workload_die(const char *what, const char *arg)
{
	fprintf(stderr, "workload: %s '%s'\n", what, arg);
	exit(2);
}

static inline uint64_t workload_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline struct timespec workload_timespec(double ms)
{
	struct timespec t;

	t.tv_sec = (time_t)(ms / 1000);
	t.tv_nsec = (long)((ms - 1000 * (double)t.tv_sec) * 1e6);
	return t;
}

static inline double workload_number(const char *s)
{
	char *end;
	double x = strtod(s, &end);

	if (end == s || *end || !(x >= 0 && x <= 1e15))
		workload_die("bad number", s);
	return x;
}

/* Best of several: the machine at its least disturbed. */
static inline uint64_t workload_calibrate(void)
{
	const uint64_t n = 2000000;
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 50; i++) {
		uint64_t t = workload_now();

		WORKLOAD_LOOP(n);
		t = workload_now() - t;
		best = t < best ? t : best;
	}
	return n * 1000000 / best;
}

/* Applies "REGION=PCT" to the nominal lengths. */
static inline void workload_shrink(struct region **regions, const char *arg)
{
	const char *eq = strchr(arg, '=');
	double pct = eq ? workload_number(eq + 1) : 101;

	if (pct > 100)
		workload_die("bad --shrink", arg);
	for (; *regions; regions++)
		if (strlen((*regions)->name) == (size_t)(eq - arg) && !strncmp((*regions)->name, arg, (size_t)(eq - arg))) {
			(*regions)->ms *= 1 - pct / 100;
			return;
		}
	workload_die("no such region", arg);
}

/*
 * Reads the command line and sets the regions' iterations.  `regions` ends with
 * NULL.  `cycle`: counts of visits are rounded up to a multiple of it, so that
 * a program with phases ends where it began.
 */
static inline void workload_start(int argc, char **argv, struct region **regions, unsigned cycle)
{
	static const struct option options[] = {
		{"seconds", required_argument, NULL, 's'}, {"visits", required_argument, NULL, 'v'},
		{"shrink", required_argument, NULL, 'r'},  {"scale", required_argument, NULL, 'f'},
		{"unit", required_argument, NULL, 'u'},    {"regions", no_argument, NULL, 'l'},
		{"calibrate", no_argument, NULL, 'c'},     {"skip", required_argument, NULL, 'k'},
		{NULL, 0, NULL, 0},
	};
	double scale = 1, unit = 800000, seconds = -1;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (c == 's') {
			seconds = workload_number(optarg);
		} else if (c == 'v') {
			workload->limit = (uint64_t)workload_number(optarg);
		} else if (c == 'k') {
			workload->skip = (uint64_t)workload_number(optarg);
		} else if (c == 'r') {
			workload_shrink(regions, optarg);
		} else if (c == 'f') {
			scale = workload_number(optarg);
		} else if (c == 'u') {
			unit = workload_number(optarg);
		} else if (c == 'l') {
			for (; *regions; regions++) {
				const char *slash = strrchr((*regions)->file, '/');

				printf("%s\t%s:%d\n", (*regions)->name, slash ? slash + 1 : (*regions)->file, (*regions)->line);
			}
			exit(0);
		} else if (c == 'c') {
			printf("%llu\n", (unsigned long long)workload_calibrate());
			exit(0);
		} else {
			exit(2);
		}
	}
	if (optind < argc)
		workload_die("unexpected argument", argv[optind]);
	workload_scale = scale;
	if (seconds < 0 && workload->limit == 0)
		seconds = 1;
	if (seconds > 0)
		workload->max_ns = (uint64_t)(seconds * 1e9);
	workload->limit = (workload->limit + cycle - 1) / cycle * cycle;
	workload->skip = (workload->skip + cycle - 1) / cycle * cycle;
	for (; *regions; regions++) {
		(*regions)->ms *= scale;
		(*regions)->iterations = (uint64_t)((*regions)->ms * unit);
	}
}

/* From now on, children that are forked count together with this process.  After workload_start. */
static inline void workload_share(void)
{
	struct workload *shared =
		(struct workload *)mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		workload_die("cannot map", "memory");
	*shared = *workload;
	workload = shared;
}

/* Ends the program after so many visits at the latest. */
static inline void workload_stop_after(uint64_t visits)
{
	if (workload->limit == 0 || workload->limit > visits)
		workload->limit = visits;
}

static inline bool workload_finish(uint64_t visits, uint64_t elapsed)
{
	if (__atomic_exchange_n(&workload->finished, 1, __ATOMIC_RELAXED))
		return false;
	printf("visits=%llu\telapsed_ns=%llu\tperiod_ns=%.1f", (unsigned long long)visits, (unsigned long long)elapsed,
	       visits ? (double)elapsed / (double)visits : 0.0);
	if (workload_more)
		workload_more();
	putchar('\n');
	return true;
}

/* One round is done.  Any thread.  True, once, when the program is to end. */
static inline bool workload_count(void)
{
	uint64_t now, first, n;

	WORKLOAD_PROGRESS();
	now = workload_now();
	n = __atomic_fetch_add(&workload->count, 1, __ATOMIC_RELAXED);
	if (n < workload->skip)
		return false;
	n -= workload->skip;
	if (n == 0)
		__atomic_store_n(&workload->first_ns, now, __ATOMIC_RELAXED);
	first = __atomic_load_n(&workload->first_ns, __ATOMIC_RELAXED);
	if (n == 0 || first == 0)
		return false;
	if (n == workload->limit || (workload->max_ns && now - first >= workload->max_ns))
		return workload_finish(n, now - first);
	return false;
}

/* The same; does not return from the last one. */
static inline void workload_visit(void)
{
	if (workload_count())
		exit(0); /* whatever the other threads are at */
}

static inline pthread_t workload_thread(void *(*fn)(void *), void *arg)
{
	pthread_t t;
	int err = pthread_create(&t, NULL, fn, arg);

	if (err)
		workload_die("cannot create a thread", strerror(err));
	return t;
}

/*
 * The calling thread stays on the n-th processor that it may use, if there are so
 * many.  Where two wake up at the same time, the kernel may leave both on one
 * processor for as long as their work takes: noise that has to do with nothing.
 */
static inline void workload_keep_to_processor(int n)
{
	cpu_set_t may, only;

	CPU_ZERO(&only);
	if (sched_getaffinity(0, sizeof may, &may))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &may) && n-- == 0)
			CPU_SET(cpu, &only);
	sched_setaffinity(0, sizeof only, &only); /* refused when it is empty */
}

/* Runs both for ever: a workload ends in workload_visit. */
WORKLOAD_NORETURN static inline void workload_run_two(void *(*a)(void *), void *arg_a, void *(*b)(void *), void *arg_b)
{
	pthread_t ta = workload_thread(a, arg_a), tb = workload_thread(b, arg_b);

	pthread_join(ta, NULL);
	pthread_join(tb, NULL);
	abort();
}

#endif
