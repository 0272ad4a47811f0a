/*
 * stopworld: three mutators and a garbage collector.  A transaction is three steps of work, each
 * followed by an allocation under the heap's lock and a safe point.  The thread that exhausts the
 * heap asks the collector, which has all mutators stop at their next safe point (a flag, then a condition variable),
 * marks, lets them go on, and sweeps while they run.  One of the mutators is elsewhere (a sleep)
 * after each transaction, which is as good as a safe point.
 */
#include "workload.h"

REGION(mutate, 0.22);
REGION(allocate, 0.05);
REGION(mark, 0.8);
REGION(sweep, 0.6);

enum { MUTATORS = 3, STEPS = 3, HEAP = 21 /* allocations */ };

static pthread_mutex_t world = PTHREAD_MUTEX_INITIALIZER;      /* of what follows */
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;        /* the collector waits */
static pthread_cond_t another_safe = PTHREAD_COND_INITIALIZER; /* the collector waits */
static pthread_cond_t goes_on = PTHREAD_COND_INITIALIZER;      /* mutators wait */
static int safe;                                               /* mutators at a safe point */
static _Atomic bool stop;                                      /* also read without the lock */

static pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER;
static int used;

static void enter_safe(void)
{
	pthread_mutex_lock(&world);
	safe++;
	if (stop)
		pthread_cond_signal(&another_safe);
	pthread_mutex_unlock(&world);
}

static void leave_safe(void)
{
	pthread_mutex_lock(&world);
	while (stop)
		pthread_cond_wait(&goes_on, &world);
	safe--;
	pthread_mutex_unlock(&world);
}

static void safe_point(void)
{
	if (atomic_load_explicit(&stop, memory_order_acquire)) {
		enter_safe();
		leave_safe();
	}
}

static void ask_for_collection(void)
{
	pthread_mutex_lock(&world);
	stop = true;
	pthread_cond_signal(&asked);
	pthread_mutex_unlock(&world);
}

static void new_object(void)
{
	bool exhausted;

	pthread_mutex_lock(&heap);
	allocate();
	exhausted = ++used == HEAP;
	pthread_mutex_unlock(&heap);
	if (exhausted)
		ask_for_collection();
}

static void *mutator(void *arg)
{
	struct timespec elsewhere = workload_timespec(0.6 * workload_scale);

	for (;;) {
		for (int i = 0; i < STEPS; i++) {
			mutate();
			new_object();
			safe_point();
		}
		workload_visit();
		if (arg) {
			enter_safe();
			nanosleep(&elsewhere, NULL);
			leave_safe();
		}
	}
	return arg;
}

static void collect(void)
{
	pthread_mutex_lock(&world);
	while (!stop)
		pthread_cond_wait(&asked, &world);
	while (safe < MUTATORS)
		pthread_cond_wait(&another_safe, &world);
	pthread_mutex_unlock(&world);
	mark();
	used = 0; /* nobody else runs */
	pthread_mutex_lock(&world);
	stop = false;
	pthread_cond_broadcast(&goes_on);
	pthread_mutex_unlock(&world);
	sweep();
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&mutate_region, &allocate_region, &mark_region, &sweep_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (int i = 0; i < MUTATORS; i++)
		workload_thread(mutator, i == 0 ? regions : NULL);
	for (;;)
		collect();
}
