/*
 * pool: a main thread prepares a batch of ten tasks for two workers and waits
 * for all of them.  Main's part and the workers' part follow one another, so
 * each counts by its share of the round.
 */
#include "workload.h"

REGION(prepare, 0.5);
REGION(task, 0.2);

enum { TASKS = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t submitted = PTHREAD_COND_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int waiting, unfinished;

static void *worker(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (waiting == 0)
			pthread_cond_wait(&submitted, &lock);
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

	workload_start(argc, argv, regions, 1);
	workload_thread(worker, NULL);
	workload_thread(worker, NULL);
	for (;;) {
		prepare();
		pthread_mutex_lock(&lock);
		waiting = unfinished = TASKS;
		pthread_cond_broadcast(&submitted);
		while (unfinished > 0)
			pthread_cond_wait(&all_done, &lock);
		pthread_mutex_unlock(&lock);
		workload_visit();
	}
}
