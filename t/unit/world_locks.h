/*
 * world_locks: programs of threads that wait for each other: until one ends, for locks, at barriers, and for semaphores.
 * And one of a single thread.  The other world_*.h take locks and semaphores from here.
 */
#ifndef ANDWEORC_TEST_WORLD_LOCKS_H
#define ANDWEORC_TEST_WORLD_LOCKS_H

#include "world.h"

static inline void serial(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(2 * MS));
		compute(2, about(1 * MS));
		visit();
	}
}

static void fork_work(void *region)
{
	bool first = *(uint32_t *)region == 1;

	compute(*(uint32_t *)region, about(first ? 2.0 * MS : 1.4 * MS));
}

static inline void fork_join(void *unused)
{
	static uint32_t one = 1, two = 2;

	(void)unused;
	for (;;) {
		struct task *a = create(fork_work, &one, 13), *b = create(fork_work, &two, 14);

		join_task(a, 11);
		join_task(b, 12);
		compute(3, about(0.5 * MS));
		visit();
	}
}

static struct mutex shared;

static void one_lock(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(1.0 * MS));
		lock(&shared, 31);
		compute(2, about(0.8 * MS));
		unlock(&shared, 32);
		visit();
	}
}

static inline void mutexes(void *unused)
{
	(void)unused;
	shared = (struct mutex){ .id = 10 };
	two_of(one_lock, one_lock);
}

/* Unlike: one has the lock for 0.3 ms and works 1.0 ms outside, the other 0.6 and 0.2. */
static void unlike_long(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(1.0 * MS));
		lock(&shared, 33);
		compute(2, about(0.3 * MS));
		unlock(&shared, 34);
		visit();
	}
}

static void unlike_short(void *unused)
{
	(void)unused;
	for (;;) {
		compute(3, about(0.2 * MS));
		lock(&shared, 35);
		compute(4, about(0.6 * MS));
		unlock(&shared, 36);
		visit();
	}
}

static inline void unlike(void *unused)
{
	(void)unused;
	shared = (struct mutex){ .id = 10 };
	two_of(unlike_long, unlike_short);
}

static struct barrier bar;

static void stage_a(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(2 * MS));
		meet(&bar, 41);
		visit();
	}
}

static void stage_b(void *unused)
{
	(void)unused;
	for (;;) {
		compute(2, about(1.2 * MS));
		compute(3, about(0.4 * MS));
		meet(&bar, 42);
	}
}

static inline void barriers(void *unused)
{
	(void)unused;
	bar = (struct barrier){ .id = 10, .members = 2 };
	two_of(stage_a, stage_b);
}

static struct semaphore items, room;

static void sem_produce(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(1.2 * MS));
		grab(&room, 51);
		post(&items, 52);
	}
}

static void sem_consume(void *unused)
{
	(void)unused;
	for (;;) {
		grab(&items, 53);
		compute(2, about(1.0 * MS));
		post(&room, 54);
		visit();
	}
}

static inline void semaphores(void *unused)
{
	(void)unused;
	items = (struct semaphore){ .id = 10 };
	room = (struct semaphore){ .id = 11, .count = 4 };
	two_of(sem_produce, sem_consume);
}

/* Two by turns: each sleeps for as long as the other one computes. */
static void asks(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(0.3 * MS));
		post(&items, 55);
		grab(&room, 56);
		visit();
	}
}

static void replies_to(void *unused)
{
	(void)unused;
	for (;;) {
		grab(&items, 57);
		compute(2, about(0.2 * MS));
		post(&room, 58);
	}
}

static inline void replies(void *unused)
{
	(void)unused;
	items = (struct semaphore){ .id = 10 };
	room = (struct semaphore){ .id = 11 };
	two_of(asks, replies_to);
}

/* A table in memory: readers share its lock, and a writer that goes by the clock has it alone. */
static struct shared_lock lookups;

static void table_reader(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(0.5 * MS));
		lock_shared(&lookups, 301);
		compute(2, about(0.4 * MS));
		unlock_shared(&lookups, 302);
		visit();
	}
}

static void table_writer(void *unused)
{
	(void)unused;
	for (;;) {
		sleep_ns(2 * MS, 303);
		lock_alone(&lookups, 304);
		compute(3, about(0.6 * MS));
		unlock_shared(&lookups, 305);
	}
}

static inline void read_mostly(void *unused)
{
	(void)unused;
	lookups = (struct shared_lock){ .id = 10 };
	create(table_reader, NULL, 2);
	create(table_reader, NULL, 2);
	create(table_writer, NULL, 3);
	sleep_ns(1000 * S, 1);
}

/* The same where readers stay behind a writer that waits. */
static inline void writers_first(void *unused)
{
	(void)unused;
	lookups = (struct shared_lock){ .id = 10, .writers_first = true };
	create(table_reader, NULL, 2);
	create(table_reader, NULL, 2);
	create(table_writer, NULL, 3);
	sleep_ns(1000 * S, 1);
}

/* A barrier made of a mutex and a condition variable. */
static struct gathering {
	struct mutex mutex;
	struct condition all;
	int come;
	unsigned generation;
} gathering;

static void gather(void)
{
	unsigned generation;

	lock(&gathering.mutex, 81);
	generation = gathering.generation;
	if (++gathering.come == 2) {
		gathering.come = 0;
		gathering.generation++;
		signal_all(&gathering.all, 82);
	} else {
		while (gathering.generation == generation)
			wait_for(&gathering.all, &gathering.mutex, 83);
	}
	unlock(&gathering.mutex, 84);
}

static void gather_a(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(2.0 * MS));
		gather();
		visit();
	}
}

static void gather_b(void *unused)
{
	(void)unused;
	for (;;) {
		compute(2, about(1.7 * MS));
		gather();
	}
}

static inline void gatherings(void *unused)
{
	(void)unused;
	gathering = (struct gathering){ .mutex.id = 10, .all.id = 11 };
	two_of(gather_a, gather_b);
}

#endif
