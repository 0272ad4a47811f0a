/*
 * cozqueue: Coz's benchmark `producer_consumer`.  Five producers and three
 * consumers share a queue of one item.  Items are put in and taken out under the
 * lock, which is all that bounds them: 3/8 of what is done there is `put`, 5/8 is
 * `take`.  What producers and consumers do elsewhere does not count.
 */
#include "cozmarks.h"
#include "workload.h"

REGION(produce, 0.2);
REGION(put, 0.3);
REGION(take, 0.5);
REGION(consume, 0.1);

enum { PRODUCERS = 5, CONSUMERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static bool full;

static void *producer(void *arg)
{
	for (;;) {
		produce();
		pthread_mutex_lock(&lock);
		while (full)
			pthread_cond_wait(&not_full, &lock);
		put();
		full = true;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!full)
			pthread_cond_wait(&not_empty, &lock);
		take();
		full = false;
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&lock);
		consume();
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&produce_region, &put_region, &take_region, &consume_region, NULL};
	pthread_t last = 0;

	workload_start(argc, argv, regions, 1);
	for (int i = 0; i < PRODUCERS; i++)
		workload_thread(producer, NULL);
	for (int i = 0; i < CONSUMERS; i++)
		last = workload_thread(consumer, NULL);
	pthread_join(last, NULL);
	abort();
}
