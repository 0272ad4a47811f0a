/*
 * Reads of a timer that has expired, which do not wait; one in 50 waits for 2 ms, from the same place.
 * Prints how long these took, and how long all took, in ns: on a busy machine, some of the others wait for a processor.
 *
 *     brief-reads ROUNDS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <andweorc.h>

static volatile uint64_t sink;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 20000; i++)
		sink += (uint64_t)i;
}

static int64_t wait_for(int timer, long ns)
{
	const struct itimerspec once = { .it_value = { .tv_nsec = ns } };
	uint64_t times;
	int64_t begin;

	if (timerfd_settime(timer, 0, &once, NULL))
		exit(1);
	work();
	begin = now_ns();
	if (read(timer, &times, sizeof(times)) != sizeof(times))
		exit(1);
	return now_ns() - begin;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	int64_t waited = 0, others = 0;

	for (long i = 0; i < rounds; i++) {
		for (int k = 0; k < 49; k++)
			others += wait_for(timer, 1);
		waited += wait_for(timer, 2000000);
		ANDWEORC_PROGRESS("round");
	}
	printf("%lld %lld\n", (long long)waited, (long long)(waited + others));
	return 0;
}
