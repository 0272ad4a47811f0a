/*
 * ring: three threads pass two tokens round, by semaphores.  Each works while it has one.
 *
 * Round: one 0.2, two 0.35, three 0.1 ms; never more than two can work at a time.  With a
 * processor for each, the longest would limit.  But the kernel often puts two threads on
 * one processor and leaves another idle, and how often depends on the lengths: measured
 * on two processors, two is worth -3 (1) points shrunk by 25 %, and 11 by 50 %.  No method
 * here predicts that (share/doc/EVIDENCE.md).
 */
#include "workload.h"

#include <semaphore.h>

REGION(one, 0.2);
REGION(two, 0.35);
REGION(three, 0.1);

enum { TOKENS = 2 };

static sem_t token[3];

static void *second(void *arg)
{
	for (;;) {
		sem_wait(&token[1]);
		two();
		sem_post(&token[2]);
	}
	return arg;
}

static void *third(void *arg)
{
	for (;;) {
		sem_wait(&token[2]);
		three();
		sem_post(&token[0]);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&one_region, &two_region, &three_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (int i = 0; i < 3; i++)
		sem_init(&token[i], 0, i ? 0 : TOKENS);
	workload_thread(second, NULL);
	workload_thread(third, NULL);
	for (;;) {
		sem_wait(&token[0]);
		one();
		sem_post(&token[1]);
		workload_visit();
	}
}
