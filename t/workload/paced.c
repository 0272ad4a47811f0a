/*
 * paced: work that comes every 1.5 ms by a clock, so that nothing counts.
 */
#include "workload.h"

REGION(serve, 0.7);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int due;

static void *ticker(void *arg)
{
	for (;;) {
		struct timespec t = workload_timespec(1.5 * workload_scale);
		nanosleep(&t, NULL);
		pthread_mutex_lock(&lock);
		due++;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *server(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!due)
			pthread_cond_wait(&cond, &lock);
		due--;
		pthread_mutex_unlock(&lock);
		serve();
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&serve_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(ticker, NULL, server, NULL);
}
