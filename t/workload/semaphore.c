/*
 * semaphore: a producer and a slower consumer over a ring of 4 places, counted
 * by two semaphores.
 *
 * Round: consume 1.2, beside it produce 0.7.  Shrunk by half: consume 41.7 %
 * (then the producer is the slower one), produce 0.
 */
#include "workload.h"

#include <semaphore.h>

REGION(produce, 0.7);
REGION(consume, 1.2);

enum { ROOM = 4 };

static sem_t empty, filled;
static uint64_t ring[ROOM];

static void *producer(void *arg)
{
	for (uint64_t n = 0;; n++) {
		produce();
		sem_wait(&empty);
		ring[n % ROOM] = n;
		sem_post(&filled);
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (uint64_t n = 0;; n++) {
		sem_wait(&filled);
		if (ring[n % ROOM] != n)
			workload_die("an item is lost in the", "ring");
		sem_post(&empty);
		consume();
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&produce_region, &consume_region, NULL};

	workload_start(argc, argv, regions, 1);
	sem_init(&empty, 0, ROOM);
	sem_init(&filled, 0, 0);
	workload_run_two(producer, NULL, consumer, NULL);
}
