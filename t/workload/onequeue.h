/*
 * onequeue: a producer and a consumer over one bounded queue of 8; the consumer counts.
 *
 * The program defines the regions `produce` and `consume`, and SPARING, before it includes
 * this, and gets its main().  SPARING 0: each side signals each time.  1: it signals only if
 * the other side waits.
 */
#ifndef ONEQUEUE_H
#define ONEQUEUE_H

#include "workload.h"

enum { ROOM = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A condition that one thread waits for. */
struct side {
	pthread_cond_t changed;
	bool waits;
};

static struct side not_full = { .changed = PTHREAD_COND_INITIALIZER };
static struct side not_empty = { .changed = PTHREAD_COND_INITIALIZER };
static int filled;

/* Inline, so that each wait and each signal has a place of its own. */
#define INLINE static inline __attribute__((always_inline))

INLINE void await(struct side *s)
{
	s->waits = true;
	pthread_cond_wait(&s->changed, &lock);
	s->waits = false;
}

INLINE void tell(struct side *s)
{
	if (!SPARING || s->waits)
		pthread_cond_signal(&s->changed);
}

static void *producer(void *arg)
{
	for (;;) {
		produce();
		pthread_mutex_lock(&lock);
		while (filled == ROOM)
			await(&not_full);
		filled++;
		tell(&not_empty);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (filled == 0)
			await(&not_empty);
		filled--;
		tell(&not_full);
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

#endif
