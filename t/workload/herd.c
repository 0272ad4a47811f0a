/*
 * herd: each item wakes up all four workers, of which one gets it.
 *
 * An item: prepare 0.12 ms in one thread, handle 0.3 and, under a lock, locked 0.06 in a worker.
 * Measured on two processors, shrunk by half: prepare 22 %, although it is 25 % of the work;
 * handle 27 %.  A fuller queue means fewer workers that wake up in vain, and that saves as
 * much again.  No method here predicts that (share/doc/EVIDENCE.md).
 */
#include "workload.h"

REGION(prepare, 0.12);
REGION(handle, 0.3);
REGION(locked, 0.06);

enum { WORKERS = 4, ROOM = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, shared = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int items;

static void *work(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!items)
			pthread_cond_wait(&not_empty, &lock);
		items--;
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&lock);
		handle();
		pthread_mutex_lock(&shared);
		locked();
		pthread_mutex_unlock(&shared);
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&prepare_region, &handle_region, &locked_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (int i = 0; i < WORKERS; i++)
		workload_thread(work, NULL);
	for (;;) {
		prepare();
		pthread_mutex_lock(&lock);
		while (items == ROOM)
			pthread_cond_wait(&not_full, &lock);
		items++;
		pthread_cond_broadcast(&not_empty);
		pthread_mutex_unlock(&lock);
	}
}
