/*
 * spinflag: a thread that spins on a flag, and one that sleeps before it sets it.
 * The first works, sleeps and sets the flag; the second then does its own work
 * and posts a semaphore.  The spinning is the hottest code of all and worth
 * nothing: it only ends when the other thread says so.
 *
 * Round: work 1.2, nap 3, after 1.5.  Shrunk by half: work 10.5 %, nap 26.3 %,
 * after 13.2 %.  A shrunk spin is what it was, hence 0.
 */
#include "workload.h"

#include <semaphore.h>
#include <sys/prctl.h>

static atomic_int turn;
static sem_t back;
static struct timespec nap_time;

REGION(work, 1.2);
REGION_FUNCTION(WORKLOAD_OPAQUE, nap, 3.0, (void), nanosleep(&nap_time, NULL));
REGION_FUNCTION(WORKLOAD_OPAQUE, spin, 0.0, (void), while (!atomic_load(&turn)) continue; atomic_store(&turn, 0));
REGION(after, 1.5);

static void *first(void *arg)
{
	for (;;) {
		work();
		nap();
		atomic_store(&turn, 1);
		sem_wait(&back);
	}
	return arg;
}

static void *second(void *arg)
{
	for (;;) {
		spin();
		after();
		workload_visit();
		sem_post(&back);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&work_region, &nap_region, &spin_region, &after_region, NULL};

	workload_start(argc, argv, regions, 1);
	nap_time = workload_timespec(nap_region.ms);
	sem_init(&back, 0, 0);
	/* The kernel may wake up 50 us late to save energy: no part of what --shrink shortens. */
	prctl(PR_SET_TIMERSLACK, 1);
	workload_run_two(first, NULL, second, NULL);
}
