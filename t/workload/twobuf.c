/*
 * twobuf: while one thread decodes a buffer, another one waits for a device and mixes the next
 * one; then they meet at a barrier.
 *
 * Round: decode 0.6 beside a sleep of 0.5 ms (and the kernel's slack) and mix 0.25.
 * Measured, shrunk by half: mix 15 %, decode 0.
 */
#include "workload.h"

REGION(decode, 0.6);
REGION(mix, 0.25);

static pthread_barrier_t meet;

static void *read_ahead(void *arg)
{
	struct timespec device = workload_timespec(0.5 * workload_scale);

	for (;;) {
		nanosleep(&device, NULL);
		mix();
		pthread_barrier_wait(&meet);
	}
	return arg;
}

static void *play(void *arg)
{
	for (;;) {
		decode();
		pthread_barrier_wait(&meet);
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&decode_region, &mix_region, NULL};

	workload_start(argc, argv, regions, 1);
	pthread_barrier_init(&meet, NULL, 2);
	workload_run_two(read_ahead, NULL, play, NULL);
}
