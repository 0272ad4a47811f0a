/*
 * paths: one function that two threads call.  A producer and a slower consumer
 * over a bounded queue of 8, as in queue.c; the work of both is done by `helper`.
 * Called by the consumer it counts by its share of 60 %, called by the producer
 * it does not.
 */
#include "workload.h"

static WORKLOAD_OPAQUE void helper(uint64_t iterations)
{
	WORKLOAD_LOOP(iterations);
}

/* gcc makes a jump of the first call, so that its caller is not on the stack; and not of the second. */
REGION_FUNCTION(WORKLOAD_OPAQUE, produce, 0.6, (void), helper(produce_region.iterations));
REGION_FUNCTION(WORKLOAD_OPAQUE, consume, 0.6, (void), helper(consume_region.iterations); __asm__ volatile(""));
REGION(beside, 0.4);

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
		beside();
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&produce_region, &consume_region, &beside_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(producer, NULL, consumer, NULL);
}
