/*
 * world_processors: programs with more threads than processors.
 */
#ifndef ANDWEORC_TEST_WORLD_PROCESSORS_H
#define ANDWEORC_TEST_WORLD_PROCESSORS_H

#include "world_locks.h"

/*
 * Tokens for three workers, four after each sleep.  The thread that brings them waits for a processor when its time
 * is over.
 */
static struct semaphore tokens;

static void bring(void *unused)
{
	(void)unused;
	for (;;) {
		sleep_ns(2 * MS, 96);
		for (int i = 0; i < 4; i++)
			post(&tokens, 57);
	}
}

static void spend(void *unused)
{
	(void)unused;
	for (;;) {
		grab(&tokens, 58);
		compute(1, about(0.9 * MS));
		compute(2, about(0.2 * MS));
		visit();
	}
}

static inline void refilled(void *unused)
{
	(void)unused;
	tokens = (struct semaphore){ .id = 18 };
	for (int i = 0; i < 3; i++)
		create(spend, NULL, 3);
	bring(NULL);
}

/* More threads than processors. */
static void crowd_member(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(1.0 * MS));
		compute(2, about(0.5 * MS));
		lock(&shared, 71);
		compute(3, about(0.2 * MS));
		unlock(&shared, 72);
		visit();
	}
}

static inline void crowd(void *unused)
{
	(void)unused;
	shared = (struct mutex){ .id = 10 };
	members(crowd_member, 4);
}

/* The same without waits, and with many visits for each sample. */
static void sharing_member(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(0.23 * MS));
		compute(2, about(0.14 * MS));
		visit();
	}
}

static inline void sharing(void *unused)
{
	(void)unused;
	members(sharing_member, 4);
}

/* More threads than processors, and part of their work is the kernel's. */
static void copying_member(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(0.6 * MS));
		call_kernel(2, about(0.4 * MS), 97);
		visit();
	}
}

static inline void copying(void *unused)
{
	(void)unused;
	members(copying_member, 3);
}

#endif
