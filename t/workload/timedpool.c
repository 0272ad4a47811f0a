/*
 * timedpool: the pool of pool.c with time limits: main and workers wait 2 ms at most,
 * look and wait again.  Both waits time out in each round.
 *
 * Round: prepare 2.6, then 10 tasks of 0.5 for two workers.  Shrunk by half:
 * prepare 25.5 %, task 24.5 %.
 */
#include "workload.h"

REGION(prepare, 2.6);
REGION(task, 0.5);

enum { TASKS = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t submitted = PTHREAD_COND_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int waiting, unfinished;

static void wait_a_little(pthread_cond_t *cond)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 2000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(cond, &lock, &until);
}

/* Each on a processor of its own, else both are left on the one where they timed out while main had the other. */
static void *worker(void *arg)
{
	workload_keep_to_processor(*(int *)arg);
	for (;;) {
		pthread_mutex_lock(&lock);
		while (waiting == 0)
			wait_a_little(&submitted);
		waiting--;
		pthread_mutex_unlock(&lock);
		task();
		pthread_mutex_lock(&lock);
		if (--unfinished == 0)
			pthread_cond_signal(&all_done);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&prepare_region, &task_region, NULL};
	int number[] = {0, 1};

	workload_start(argc, argv, regions, 1);
	workload_thread(worker, &number[0]);
	workload_thread(worker, &number[1]);
	for (;;) {
		prepare();
		pthread_mutex_lock(&lock);
		waiting = unfinished = TASKS;
		pthread_cond_broadcast(&submitted);
		while (unfinished > 0)
			wait_a_little(&all_done);
		pthread_mutex_unlock(&lock);
		workload_visit();
	}
}
