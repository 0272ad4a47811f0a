/*
 * preempted: a writer and a reader of a pipe that share a processor.  The reader wakes up by a
 * write, works, and waits again.  It may preempt the writer in that write, which never waits:
 * the pipe has room for all.
 *
 * Prints for how many ns the reader was in its reads.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <andweorc.h>

enum { ROUNDS = 3000, WRITER_US = 300, READER_US = 200 };

static int ends[2];

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Computes for so long. */
static void work(int us)
{
	int64_t until = now(CLOCK_THREAD_CPUTIME_ID) + us * 1000ll;

	while (now(CLOCK_THREAD_CPUTIME_ID) < until)
		continue;
}

static void *receive(void *arg)
{
	int64_t *in_reads = arg;

	for (;;) {
		int64_t began = now(CLOCK_MONOTONIC);
		char c;

		if (read(ends[0], &c, 1) != 1)
			return NULL;
		*in_reads += now(CLOCK_MONOTONIC) - began;
		work(READER_US);
		ANDWEORC_PROGRESS("round");
	}
}

int main(void)
{
	int64_t in_reads = 0;
	cpu_set_t one;
	pthread_t reader;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0 || pipe(ends) != 0 || pthread_create(&reader, NULL, receive, &in_reads) != 0)
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		work(WRITER_US);
		if (write(ends[1], "", 1) != 1)
			return 1;
	}
	close(ends[1]);
	pthread_join(reader, NULL);
	printf("%lld\n", (long long)in_reads);
	return 0;
}
