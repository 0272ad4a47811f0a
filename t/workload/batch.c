/*
 * batch: a producer hands over eight items at a time, through a queue with room for four
 * such batches; the consumer counts each item.
 *
 * A batch takes 8 x make 0.1 and flush 0.2 ms to make, 8 x use 0.14 to use.  So the consumer
 * limits, until use is 11 % shorter.
 */
#include "workload.h"

REGION(make, 0.1);
REGION(flush, 0.2);
REGION(use, 0.14);

enum { BATCH = 8, ROOM = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int batches;

static void *produce(void *arg)
{
	for (;;) {
		for (int i = 0; i < BATCH; i++)
			make();
		flush();
		pthread_mutex_lock(&lock);
		while (batches == ROOM)
			pthread_cond_wait(&not_full, &lock);
		batches++;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *consume(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!batches)
			pthread_cond_wait(&not_empty, &lock);
		batches--;
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&lock);
		for (int i = 0; i < BATCH; i++) {
			use();
			workload_visit();
		}
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&make_region, &flush_region, &use_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(produce, NULL, consume, NULL);
}
