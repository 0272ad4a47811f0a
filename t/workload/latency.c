/*
 * latency: an open system.  Requests come when they come, 600 a second; one thread
 * parses them, another answers, with a queue before each.  A request waits for those
 * before it, so where parsing takes a quarter less, requests take a third less.
 *
 * Arrivals and sizes are drawn at random, and repeat themselves after CYCLE requests,
 * so that runs of so many, or of multiples, have the same load.  A request is a span that begins in one
 * thread and ends in another.  It is announced twice: "request" has numbers, "unmatched"
 * has none, and is known by Little's law alone.
 */
#include "spans.h"

#include <math.h>

enum { CYCLE = 1024, ROOM = 1 << 16 };
static const double GAP_MS = 1.65;

struct request {
	uint64_t began;
	double size; /* 1 on average */
};

REGION_FUNCTION(WORKLOAD_OPAQUE, parse, 1.0, (double size), WORKLOAD_LOOP((uint64_t)(size * (double)parse_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, answer, 0.5, (double size), WORKLOAD_LOOP((uint64_t)(size * (double)answer_region.iterations)));

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	uint64_t head, tail; /* of requests; there is always room */
	struct request at[ROOM];
};

static struct queue to_parse = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, {{0, 0}}};
static struct queue to_answer = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, {{0, 0}}};
static double gap_ms[CYCLE], size_of[CYCLE];

/* Returns the number of the request in this queue; both queues keep the order. */
static void put(struct queue *q, struct request r)
{
	pthread_mutex_lock(&q->lock);
	q->at[q->head++ % ROOM] = r;
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
}

static struct request take(struct queue *q, uint64_t *number)
{
	struct request r;

	pthread_mutex_lock(&q->lock);
	while (q->head == q->tail)
		pthread_cond_wait(&q->filled, &q->lock);
	*number = q->tail++;
	r = q->at[*number % ROOM];
	pthread_mutex_unlock(&q->lock);
	return r;
}

/* Exponential, mean 1, the same sequence in every run. */
static double draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return -log(((double)(*state >> 11) + 0.5) / 9007199254740992.0);
}

static void *parser(void *arg)
{
	uint64_t number;

	for (;;) {
		struct request r = take(&to_parse, &number);

		parse(r.size);
		put(&to_answer, r);
	}
	return arg;
}

static void *answerer(void *arg)
{
	uint64_t number;

	for (;;) {
		struct request r = take(&to_answer, &number);

		answer(r.size);
		ANDWEORC_END_ID("request", number);
		ANDWEORC_END("unmatched");
		spans_add(r.began);
		workload_visit();
	}
	return arg;
}

static void *arrivals(void *arg)
{
	for (uint64_t i = 0;; i++) {
		struct timespec gap = workload_timespec(gap_ms[i % CYCLE] * workload_scale);
		struct request r;

		/* A relative sleep, not one until a time: it can be made longer unnoticed. */
		nanosleep(&gap, NULL);
		r.began = workload_now();
		r.size = size_of[i % CYCLE];
		ANDWEORC_BEGIN_ID("request", i);
		ANDWEORC_BEGIN("unmatched");
		put(&to_parse, r);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&parse_region, &answer_region, NULL};
	uint64_t state = 20;

	for (int i = 0; i < CYCLE; i++) {
		gap_ms[i] = GAP_MS * draw(&state);
		size_of[i] = 0.5 + 0.5 * draw(&state);
	}
	workload_start(argc, argv, regions, 1);
	workload_thread(answerer, NULL);
	workload_run_two(parser, NULL, arrivals, NULL);
}
