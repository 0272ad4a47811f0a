/*
 * rwlock: two threads read under one read-write lock at the same time and do
 * work of their own beside it; one of them also writes every fourth round and
 * keeps the other out.  Rounds of both are counted.
 */
#include "workload.h"

REGION(read_part, 0.8);
REGION(write_part, 1.0);
REGION(own_part, 0.4);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void round_of_reader(void)
{
	own_part();
	pthread_rwlock_rdlock(&lock);
	read_part();
	pthread_rwlock_unlock(&lock);
}

static void *reader(void *arg)
{
	for (;;) {
		round_of_reader();
		workload_visit();
	}
	return arg;
}

static void *writer(void *arg)
{
	for (unsigned n = 1;; n++) {
		round_of_reader();
		if (n % 4 == 0) {
			pthread_rwlock_wrlock(&lock);
			write_part();
			pthread_rwlock_unlock(&lock);
		}
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&read_part_region, &write_part_region, &own_part_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(reader, NULL, writer, NULL);
}
