/*
 * epochs: read-copy-update.  Two readers announce the epoch in which they look something up, without a lock; then they
 * respond, and wait for the next request (a sleep).  The updater prepares a new version, publishes it in a new epoch, waits for the readers
 * that still look at the old one, and reclaims that.  A reader calls nobody unless the updater waits.  A
 * lookup may be of any length up to four times the mean.  Updates count.
 */
#include "workload.h"

REGION_FUNCTION(WORKLOAD_OPAQUE, prepare, 0.35, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)prepare_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, lookup, 0.5, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)lookup_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, respond, 0.2, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)respond_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, reclaim, 0.15, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)reclaim_region.iterations)));

enum { READERS = 2 };

struct version {
	_Atomic uint64_t valid;
};

static struct {
	_Alignas(64) _Atomic uint64_t epoch; /* 0: does not look at anything */
} readers[READERS];

static struct version versions[2];
static struct version *_Atomic current = &versions[0];
static _Atomic uint64_t epoch = 1;
static _Atomic bool waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;

/* Between 0 and 1. */
static double draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) * 0x1p-53;
}

static void *reader(void *arg)
{
	int number = arg != NULL;
	struct timespec request = workload_timespec(0.55 * workload_scale);
	uint64_t dice = arg ? 0xc2b2ae3d27d4eb4fu : 0x165667b19e3779f9u;

	for (;;) {
		const struct version *v;
		double size = draw(&dice);

		readers[number].epoch = epoch;
		v = current;
		lookup(4 * size * size * size); /* 1 on average */
		if (!v->valid)
			workload_die("reclaimed while", "in use");
		readers[number].epoch = 0;
		if (waiting) {
			pthread_mutex_lock(&lock);
			pthread_cond_signal(&left);
			pthread_mutex_unlock(&lock);
		}
		respond(0.5 + draw(&dice));
		nanosleep(&request, NULL);
	}
	return arg;
}

static void synchronize(void)
{
	uint64_t now = ++epoch;

	waiting = true;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < READERS; i++)
		for (uint64_t e; (e = readers[i].epoch) != 0 && e < now;)
			pthread_cond_wait(&left, &lock);
	pthread_mutex_unlock(&lock);
	waiting = false;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&prepare_region, &lookup_region, &respond_region, &reclaim_region, NULL};
	uint64_t dice = 0x27d4eb2f165667c5u;

	workload_start(argc, argv, regions, 1);
	versions[0].valid = 1;
	for (int i = 0; i < READERS; i++)
		workload_thread(reader, i ? &lock : NULL);
	for (unsigned n = 1;; n++) {
		struct version *old = current, *new = &versions[n % 2];

		prepare(0.5 + draw(&dice));
		new->valid = 1;
		current = new;
		synchronize();
		old->valid = 0;
		reclaim(0.5 + draw(&dice));
		workload_visit();
	}
}
