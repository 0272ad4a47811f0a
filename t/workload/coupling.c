/*
 * coupling: a list of six nodes with a lock each, which three threads walk hand over hand: the
 * next lock is taken before the last one is given back, so that nobody overtakes.  Two of them plan,
 * walk to a node, anywhere from the second on, and change it while they hold it and the one
 * before it.  The third one audits: it looks at all nodes, and rests for a moment.  Each walk counts.
 */
#include "workload.h"

REGION(plan, 0.35);
REGION(inspect, 0.09);
REGION(change, 0.3);

enum { NODES = 6 };

static struct node {
	pthread_mutex_t lock;
	struct node *next;
	uint64_t changes;
} nodes[NODES];

static void walk(int steps, bool to_change)
{
	struct node *before = NULL, *here = &nodes[0];

	pthread_mutex_lock(&here->lock);
	inspect();
	while (steps-- > 0 && here->next) {
		pthread_mutex_lock(&here->next->lock);
		if (before)
			pthread_mutex_unlock(&before->lock);
		before = here;
		here = here->next;
		inspect();
	}
	if (to_change) {
		change();
		here->changes++;
	}
	if (before)
		pthread_mutex_unlock(&before->lock);
	pthread_mutex_unlock(&here->lock);
}

static void *changer(void *arg)
{
	uint64_t state = 0xc4ceb9fe1a85ec53u * (uint64_t)(uintptr_t)arg;

	for (;;) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		plan();
		walk(1 + (int)((state >> 16) % (NODES - 1)), true);
		workload_visit();
	}
	return arg;
}

static void *auditor(void *arg)
{
	struct timespec rest = workload_timespec(0.4 * workload_scale);

	for (;;) {
		nanosleep(&rest, NULL);
		walk(NODES - 1, false);
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&plan_region, &inspect_region, &change_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (int i = 0; i < NODES; i++) {
		pthread_mutex_init(&nodes[i].lock, NULL);
		nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : NULL;
	}
	workload_thread(auditor, NULL);
	workload_run_two(changer, (void *)1, changer, (void *)2);
}
