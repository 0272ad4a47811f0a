#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

struct job {
	void (*work)(void *arg, size_t i);
	void *arg;
	size_t n;
	_Atomic size_t next;
};

static void *take_work(void *arg)
{
	struct job *job = arg;
	size_t i;

	while ((i = atomic_fetch_add(&job->next, 1)) < job->n)
		job->work(job->arg, i);
	return NULL;
}

unsigned parallel_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

void parallel_for(size_t n, void (*work)(void *arg, size_t i), void *arg)
{
	struct job job = { .work = work, .arg = arg, .n = n };
	size_t wanted = parallel_processors(), helpers = 0;
	pthread_t helper[MOST_THREADS];

	wanted = wanted < n ? wanted : n;
	while (helpers + 1 < wanted && helpers < MOST_THREADS && pthread_create(&helper[helpers], NULL, take_work, &job) == 0)
		helpers++;
	take_work(&job);
	while (helpers > 0)
		pthread_join(helper[--helpers], NULL);
}
