/*
 * readers: two threads read under one read-write lock, mostly at the same time, in turns of
 * a few microseconds: many in the time of a sample.  Readers do not wait for each other.  One
 * of them also writes every fourth round.
 *
 * Round: apart 0.04, look 0.08, and 0.1 to change.  Measured, shrunk by half: look 28 %,
 * apart 12 %, change 8 %.
 */
#include "workload.h"

REGION(look, 0.08);
REGION(change, 0.1);
REGION(apart, 0.04);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reads(void *arg)
{
	bool writes = arg != NULL;

	for (unsigned n = 1;; n++) {
		apart();
		pthread_rwlock_rdlock(&lock);
		look();
		pthread_rwlock_unlock(&lock);
		if (writes && n % 4 == 0) {
			pthread_rwlock_wrlock(&lock);
			change();
			pthread_rwlock_unlock(&lock);
		}
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&look_region, &change_region, &apart_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(reads, NULL, reads, &lock);
}
