/*
 * prefork: a parent that hands jobs to two workers, forked beforehand, over a
 * queue in shared memory.  It prepares four at a time, and the next four when
 * these are done.  A worker does part of a job on its own, and part under a lock.
 * The workers count.
 *
 * Four rounds: prepare 0.6, then twice task 0.7 and locked 0.5 in each worker,
 * together 2.9 because one of them always has to wait for the lock first.  Shrunk
 * by half: prepare 8.6 %, task 15.7 %, locked 21.4 %.
 */
#include "workload.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

REGION(prepare, 0.6);
REGION(task, 0.7);
REGION(locked, 0.5);

enum { WORKERS = 2, JOBS = 4 };

static struct shared {
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t submitted, all_done;
	int waiting, unfinished;
	bool over;

	pthread_mutex_t ledger_lock;
	uint64_t ledger; /* jobs done */
} *shared;

static void make_shared(void)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;

	shared = (struct shared *)mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		workload_die("cannot map", "memory");
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &mutex);
	pthread_mutex_init(&shared->ledger_lock, &mutex);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&shared->submitted, &cond);
	pthread_cond_init(&shared->all_done, &cond);
}

/* False when it is over. */
static bool take_job(void)
{
	bool over;

	pthread_mutex_lock(&shared->lock);
	while (shared->waiting == 0 && !shared->over)
		pthread_cond_wait(&shared->submitted, &shared->lock);
	over = shared->over;
	shared->waiting--;
	pthread_mutex_unlock(&shared->lock);
	return !over;
}

static void finish_job(bool last)
{
	pthread_mutex_lock(&shared->lock);
	if (--shared->unfinished == 0 || last)
		pthread_cond_signal(&shared->all_done);
	if (last) {
		shared->over = true;
		pthread_cond_broadcast(&shared->submitted);
	}
	pthread_mutex_unlock(&shared->lock);
}

static void run_worker(int number)
{
	workload_keep_to_processor(number);
	/* Also when the parent is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (take_job()) {
		task();
		pthread_mutex_lock(&shared->ledger_lock);
		locked();
		shared->ledger++;
		pthread_mutex_unlock(&shared->ledger_lock);
		finish_job(workload_count());
	}
	exit(0);
}

/* Hands out the next jobs and waits for them.  False when it is over. */
static bool run_batch(void)
{
	bool over;

	prepare();
	pthread_mutex_lock(&shared->lock);
	shared->waiting = shared->unfinished = JOBS;
	pthread_cond_broadcast(&shared->submitted);
	while (shared->unfinished > 0 && !shared->over)
		pthread_cond_wait(&shared->all_done, &shared->lock);
	over = shared->over;
	pthread_mutex_unlock(&shared->lock);
	return !over;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&prepare_region, &task_region, &locked_region, NULL};

	workload_start(argc, argv, regions, JOBS);
	workload_share();
	make_shared();
	for (int i = 0; i < WORKERS; i++) {
		pid_t pid = fork();

		if (pid < 0)
			workload_die("cannot make", "a worker");
		if (pid == 0)
			run_worker(i);
	}
	while (run_batch())
		continue;
	for (int i = 0; i < WORKERS; i++)
		wait(NULL);
	return 0;
}
