/*
 * queue: a producer and a slower consumer over a bounded queue of 8.  The
 * consumer counts in full until it is as fast as the producer (at 40 %), the
 * producer does not.
 */
#include "workload.h"

REGION(produce, 0.6);
REGION(consume, 1.0);

enum { ROOM = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int filled;

static void *producer(void *arg)
{
	for (;;) {
		produce();
		pthread_mutex_lock(&lock);
		while (filled == ROOM)
			pthread_cond_wait(&not_full, &lock);
		filled++;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (filled == 0)
			pthread_cond_wait(&not_empty, &lock);
		filled--;
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&lock);
		consume();
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&produce_region, &consume_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(producer, NULL, consumer, NULL);
}
