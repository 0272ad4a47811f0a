/*
 * stripes: a hash table with a lock for each of four stripes, the first of which has most of the popular keys.
 * Three workers decode a request, look a key up or update it (one in four), and answer; one
 * request in ten moves a value from one stripe to another, with both locks, in order.  A resizer, after
 * each sleep of 6 ms, takes all locks in order, and rehashes.  Requests count.
 */
#include "workload.h"

REGION(decode, 0.2);
REGION(look_up, 0.3);
REGION(update, 0.6);
REGION(rehash, 1.2);

enum { STRIPES = 4, WORKERS = 3, BUCKETS = 64 };

static struct stripe {
	_Alignas(64) pthread_mutex_t lock;
	unsigned buckets;
	long value[2 * BUCKETS];
} stripes[STRIPES];

/* Where the keys of 16 classes that are equally popular are. */
static const unsigned char home[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

static void change(struct stripe *s, unsigned hash, long by)
{
	update();
	s->value[hash % s->buckets] += by;
}

static long get(unsigned stripe, unsigned hash)
{
	struct stripe *s = &stripes[stripe];
	long value;

	pthread_mutex_lock(&s->lock);
	look_up();
	value = s->value[hash % s->buckets];
	pthread_mutex_unlock(&s->lock);
	return value;
}

static void put(unsigned stripe, unsigned hash)
{
	struct stripe *s = &stripes[stripe];

	pthread_mutex_lock(&s->lock);
	change(s, hash, 1);
	pthread_mutex_unlock(&s->lock);
}

static void move(unsigned from, unsigned to, unsigned hash)
{
	struct stripe *low = &stripes[from < to ? from : to], *high = &stripes[from < to ? to : from];

	pthread_mutex_lock(&low->lock);
	pthread_mutex_lock(&high->lock);
	change(&stripes[from], hash, -1);
	stripes[to].value[hash % stripes[to].buckets]++;
	pthread_mutex_unlock(&high->lock);
	pthread_mutex_unlock(&low->lock);
}

static void *worker(void *arg)
{
	uint64_t dice = 0x589965cc75374cc3u * (2 * (uint64_t)(uintptr_t)arg + 1);
	volatile long sum = 0;

	for (;;) {
		uint64_t u = next_random(&dice);
		unsigned stripe = home[u % 16], hash = (unsigned)(u >> 8) & 0xffff, kind = (unsigned)(u >> 24) % 20;

		decode();
		if (kind < 2)
			move(stripe, (stripe + 1) % STRIPES, hash);
		else if (kind < 7)
			put(stripe, hash);
		else
			sum = sum + get(stripe, hash);
		workload_visit();
	}
	return arg;
}

/* Twice as many buckets, or half as many. */
static void resize(void)
{
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_lock(&stripes[i].lock);
	rehash();
	for (int i = 0; i < STRIPES; i++)
		stripes[i].buckets ^= BUCKETS ^ (2 * BUCKETS);
	for (int i = STRIPES; i-- > 0;)
		pthread_mutex_unlock(&stripes[i].lock);
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&decode_region, &look_up_region, &update_region, &rehash_region, NULL};
	struct timespec rest;

	workload_start(argc, argv, regions, 1);
	rest = workload_timespec(6 * workload_scale);
	for (int i = 0; i < STRIPES; i++) {
		pthread_mutex_init(&stripes[i].lock, NULL);
		stripes[i].buckets = BUCKETS;
	}
	for (uintptr_t i = 0; i < WORKERS; i++)
		workload_thread(worker, (void *)i);
	for (;;) {
		nanosleep(&rest, NULL);
		resize();
	}
}
