/*
 * sparing: a producer and a slightly slower consumer over a bounded queue of 8.  Both
 * signal only if the other one waits.  The queue is never empty, so nobody ever waits for
 * that to change, and no event tells that a faster consumer would have to.
 *
 * Shrunk by half: the consumer counts until it is as fast as the producer (at 15 %), the
 * producer does not.
 */
#include "workload.h"

REGION(produce, 0.85);
REGION(consume, 1.0);

enum { ROOM = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int filled;
static bool producer_waits, consumer_waits;

static void *producer(void *arg)
{
	for (;;) {
		produce();
		pthread_mutex_lock(&lock);
		while (filled == ROOM) {
			producer_waits = true;
			pthread_cond_wait(&not_full, &lock);
			producer_waits = false;
		}
		filled++;
		if (consumer_waits)
			pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (filled == 0) {
			consumer_waits = true;
			pthread_cond_wait(&not_empty, &lock);
			consumer_waits = false;
		}
		filled--;
		if (producer_waits)
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
