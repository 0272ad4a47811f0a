/*
 * pollring: a thread makes items, another one uses them.  Between them is a ring without a
 * lock; both sides poll it with short sleeps.  No event says which thread ends such a wait.
 *
 * Item: make 0.35, use 0.5.  Shrunk by half: use 30 % (from 30 % on, making is slower), make
 * nothing.
 */
#include "workload.h"

#include <unistd.h>

REGION(make, 0.35);
REGION(use, 0.5);

enum { ROOM = 8, NAP_US = 50 };

static atomic_uint made, used;

static void *maker(void *arg)
{
	for (;;) {
		make();
		while (atomic_load(&made) - atomic_load(&used) >= ROOM)
			usleep(NAP_US);
		atomic_fetch_add(&made, 1);
	}
	return arg;
}

static void *user(void *arg)
{
	for (;;) {
		while (atomic_load(&made) == atomic_load(&used))
			usleep(NAP_US);
		use();
		atomic_fetch_add(&used, 1);
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&make_region, &use_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_run_two(maker, NULL, user, NULL);
}
