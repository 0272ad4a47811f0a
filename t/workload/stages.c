/*
 * stages: a pipeline of bounded queues with more threads than processors: one
 * takes, two for each processor refine, two give, one counts.  All processors are
 * busy, as long as there are fewer than seven, so each stage counts by its share:
 * shrunk by half, take 7 %, refine 28 %, give 14 %; and at times a stage has nothing
 * to do, which costs a little.
 */
#include "workload.h"

REGION(take, 0.07);
REGION(refine, 0.28);
REGION(give, 0.14);

enum { ROOM = 8, MOST = 64 };

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_full, not_empty;
	int filled;
};

#define QUEUE {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}

static struct queue taken = QUEUE, refined = QUEUE, given = QUEUE;

static void put(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (q->filled == ROOM)
		pthread_cond_wait(&q->not_full, &q->lock);
	q->filled++;
	pthread_mutex_unlock(&q->lock);
	pthread_cond_signal(&q->not_empty);
}

static void get(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (q->filled == 0)
		pthread_cond_wait(&q->not_empty, &q->lock);
	q->filled--;
	pthread_mutex_unlock(&q->lock);
	pthread_cond_signal(&q->not_full);
}

/* The work of its threads, in each round: from one queue into the next. */
struct stage {
	struct queue *from, *into;
	void (*work)(void);
};

static struct stage taker = {NULL, &taken, take};
static struct stage refiner = {&taken, &refined, refine};
static struct stage giver = {&refined, &given, give};

static void *run(void *arg)
{
	const struct stage *stage = arg;

	for (;;) {
		if (stage->from)
			get(stage->from);
		stage->work();
		put(stage->into);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&take_region, &refine_region, &give_region, NULL};
	cpu_set_t may;
	int n = 2 * (sched_getaffinity(0, sizeof may, &may) == 0 ? CPU_COUNT(&may) : 1);

	workload_start(argc, argv, regions, 1);
	workload_thread(run, &taker);
	for (int i = 0; i < n && i < MOST; i++)
		workload_thread(run, &refiner);
	workload_thread(run, &giver);
	workload_thread(run, &giver);
	for (;;) {
		get(&given);
		workload_visit();
	}
}
