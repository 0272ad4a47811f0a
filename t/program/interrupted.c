/*
 * interrupted: two threads that wait for each other by yielding.
 *
 * The first one counts how often signals interrupt its work.  Their handlers overwrite bytes below its stack pointer.
 * It prints how many of them come in a second of its processor time: in the first half second, and later, in the first
 * second in which there are many more, or in the last of twelve.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BEGIN = 1024, STEP = 64, PLACES = 128, MARK = 0x5a };

static atomic_uint turn;

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void mark(volatile unsigned char *below)
{
	for (int i = 0; i < PLACES; i++)
		below[i * STEP] = MARK;
}

/*
 * Works for a millisecond.  Returns how often it was interrupted.  It makes no system call: the sampler
 * of user code does not interrupt the kernel.
 */
static __attribute__((noinline)) unsigned work(void)
{
	double until = seconds(CLOCK_MONOTONIC) + 1e-3;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	volatile unsigned char *below = (volatile unsigned char *)(here - BEGIN - STEP * PLACES);
	unsigned interrupted = 0;

	mark(below);
	while (seconds(CLOCK_MONOTONIC) < until) {
		unsigned changed = 0;

		for (int i = 0; i < PLACES; i++)
			changed += below[i * STEP] != MARK;
		if (changed == 0)
			continue;
		interrupted++;
		mark(below);
	}
	return interrupted;
}

static void await(unsigned number)
{
	while (atomic_load(&turn) % 2 != number)
		sched_yield();
}

static void *other(void *arg)
{
	for (;;) {
		await(1);
		work();
		atomic_fetch_add(&turn, 1);
	}
	return arg;
}

/* Takes turns until that moment of CLOCK_MONOTONIC.  Returns how often a second of work was interrupted. */
static double take_turns(double until)
{
	double used = 0, begin;
	unsigned interrupted = 0;

	while (seconds(CLOCK_MONOTONIC) < until) {
		await(0);
		begin = seconds(CLOCK_THREAD_CPUTIME_ID);
		interrupted += work();
		used += seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
		atomic_fetch_add(&turn, 1);
	}
	return interrupted / used;
}

int main(void)
{
	double begin = seconds(CLOCK_MONOTONIC), first, later = 0;
	pthread_t t;

	if (pthread_create(&t, NULL, other, NULL) != 0)
		abort();
	first = take_turns(begin + 0.5);
	take_turns(begin + 3);
	for (int second = 4; second < 16 && later <= 3 * first; second++)
		later = take_turns(begin + second);
	printf("first %.0f\nlater %.0f\n", first, later);
	return 0;
}
