/*
 * pingpong: two threads that strictly alternate over condition variables, so
 * each side counts by its share of the round although it runs in a thread of
 * its own.
 */
#include "workload.h"

REGION(ping, 0.9);
REGION(pong, 0.6);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int turn;

static void wait_for(int mine)
{
	pthread_mutex_lock(&lock);
	while (turn != mine)
		pthread_cond_wait(&changed[mine], &lock);
	pthread_mutex_unlock(&lock);
}

static void pass_to(int other)
{
	pthread_mutex_lock(&lock);
	turn = other;
	pthread_cond_signal(&changed[other]);
	pthread_mutex_unlock(&lock);
}

static void *first(void *arg)
{
	for (;;) {
		wait_for(0);
		ping();
		pass_to(1);
	}
	return arg;
}

static void *second(void *arg)
{
	for (;;) {
		wait_for(1);
		pong();
		workload_visit();
		pass_to(0);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&ping_region, &pong_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(first, NULL, second, NULL);
}
