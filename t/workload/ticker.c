/*
 * ticker: a timerfd ticks every 1.25 ms.  A thread samples at each tick, and hands the sample to a
 * controller, once that has taken the last one; ticks that were missed meanwhile are one.  The controller filters,
 * and at every fourth sample, on average, it also plans, which takes longer than a tick.  It writes what
 * it decided to a pipe, which a third thread reads and records.  Decisions count.
 */
#include "workload.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

REGION(sample, 0.2);
REGION_FUNCTION(WORKLOAD_OPAQUE, filter, 0.8, (double factor),
		WORKLOAD_LOOP((uint64_t)(factor *(double)filter_region.iterations)));
REGION(plan, 2.0);
REGION(record, 0.3);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t mailbox; /* ticks that the sample stands for; 0 none */
static int out[2];       /* pipe */

static void *ticker(void *arg)
{
	struct itimerspec every = {0};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t ticks;

	every.it_value = every.it_interval = workload_timespec(1.25 * workload_scale);
	if (fd < 0 || timerfd_settime(fd, 0, &every, NULL))
		workload_die("cannot set", "a timer");
	for (;;) {
		if (read(fd, &ticks, sizeof ticks) != sizeof ticks) {
			if (errno == EINTR)
				continue;
			workload_die("cannot read", "the timer");
		}
		sample();
		pthread_mutex_lock(&lock);
		while (mailbox)
			pthread_cond_wait(&changed, &lock);
		mailbox = ticks;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *controller(void *arg)
{
	uint64_t state = 0xff51afd7ed558ccdu;

	for (;;) {
		uint64_t ticks;

		pthread_mutex_lock(&lock);
		while (!mailbox)
			pthread_cond_wait(&changed, &lock);
		ticks = mailbox;
		mailbox = 0;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		filter(0.6 + 0.8 * (double)(state >> 11) * 0x1p-53);
		if (state % 4 == 0)
			plan();
		if (write(out[1], &ticks, sizeof ticks) != sizeof ticks)
			workload_die("cannot write to", "the pipe");
		workload_visit();
	}
	return arg;
}

static void *recorder(void *arg)
{
	uint64_t ticks;

	while (read(out[0], &ticks, sizeof ticks) == sizeof ticks)
		record();
	workload_die("cannot read from", "the pipe");
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&sample_region, &filter_region, &plan_region, &record_region, NULL};

	workload_start(argc, argv, regions, 1);
	if (pipe(out))
		workload_die("cannot make", "a pipe");
	workload_thread(recorder, NULL);
	workload_run_two(ticker, NULL, controller, NULL);
}
