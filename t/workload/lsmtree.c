/*
 * lsmtree: a log-structured store.  A writer encodes batches and inserts them into the table in memory; a full one is
 * frozen, and a flusher makes a file of level 0 of it (and waits for the device, a sleep), while the next one fills.  With four such files the
 * compactor merges four; every fourth merge is a wide one.  With six files the writer is
 * delayed (a sleep after each batch), with nine it has to stop, and also if the last frozen table is not yet flushed.  A reader probes the
 * tables now and then.  Batches count.
 */
#include "workload.h"

REGION_FUNCTION(WORKLOAD_OPAQUE, encode, 0.15, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)encode_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, insert, 0.07, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)insert_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, flush, 0.5, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)flush_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, compact, 0.9, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)compact_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, probe, 0.1, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)probe_region.iterations)));

enum { BATCHES = 12 /* of a table */, MERGED = 4, SLOW = 6, STOP = 9 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static pthread_cond_t room = PTHREAD_COND_INITIALIZER, frozen = PTHREAD_COND_INITIALIZER, flushed = PTHREAD_COND_INITIALIZER;
static int filled; /* batches in the table in memory */
static bool immutable; /* there is a frozen table */
static int files;

/* Between 0.5 and 1.5. */
static double draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return 0.5 + (double)(*state >> 11) * 0x1p-53;
}

static void *flusher(void *arg)
{
	struct timespec device = workload_timespec(0.4 * workload_scale);
	uint64_t dice = 0x94d049bb133111ebu;

	for (;;) {
		pthread_mutex_lock(&lock);
		while (!immutable)
			pthread_cond_wait(&frozen, &lock);
		pthread_mutex_unlock(&lock);
		flush(draw(&dice));
		nanosleep(&device, NULL);
		pthread_mutex_lock(&lock);
		immutable = false;
		files++;
		pthread_cond_signal(&flushed);
		pthread_cond_signal(&room);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *compactor(void *arg)
{
	uint64_t dice = 0xbf58476d1ce4e5b9u;

	for (unsigned n = 0;; n++) {
		double width = n % 4 == 3 ? 2.5 : 0.5; /* 1 on average */

		pthread_mutex_lock(&lock);
		while (files < MERGED)
			pthread_cond_wait(&flushed, &lock);
		pthread_mutex_unlock(&lock);
		for (int block = 0; block < 2 * MERGED; block++)
			compact(width * draw(&dice));
		pthread_mutex_lock(&lock);
		files -= MERGED;
		pthread_cond_signal(&room);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *reader(void *arg)
{
	struct timespec pause = workload_timespec(1.2 * workload_scale);
	uint64_t dice = 0x9e3779b97f4a7c15u;

	for (;;) {
		int n;

		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
		probe(0.1);
		n = files;
		pthread_mutex_unlock(&lock);
		probe((0.4 + 0.1 * n) * draw(&dice));
	}
	return arg;
}

/* True if the writer is to be delayed. */
static bool insert_batch(double size)
{
	bool slow;

	pthread_mutex_lock(&lock);
	while (files >= STOP || (filled == BATCHES && immutable))
		pthread_cond_wait(&room, &lock);
	if (filled == BATCHES) {
		filled = 0;
		immutable = true;
		pthread_cond_signal(&frozen);
	}
	insert(size);
	filled++;
	slow = files >= SLOW;
	pthread_mutex_unlock(&lock);
	return slow;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&encode_region, &insert_region, &flush_region, &compact_region, &probe_region, NULL};
	struct timespec delay;
	uint64_t dice = 0x2545f4914f6cdd1du;

	workload_start(argc, argv, regions, 1);
	delay = workload_timespec(0.2 * workload_scale);
	workload_thread(flusher, NULL);
	workload_thread(compactor, NULL);
	workload_thread(reader, NULL);
	for (;;) {
		double size = draw(&dice);

		encode(size);
		if (insert_batch(size))
			nanosleep(&delay, NULL);
		workload_visit();
	}
}
