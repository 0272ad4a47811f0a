/*
 * world_loops: event loops, which wait for any of several things: workers, clients, and timers.
 */
#ifndef ANDWEORC_TEST_WORLD_LOOPS_H
#define ANDWEORC_TEST_WORLD_LOOPS_H

#include "world.h"

/* Numbers that go from one task to another; never full. */
struct numbers {
	unsigned in, out;
	int number[8];
};

static void put_number(struct numbers *q, int number)
{
	q->number[q->in++ % 8] = number;
}

static int next_number(struct numbers *q)
{
	return q->number[q->out++ % 8];
}

static struct numbers asked_for, handled;
static struct semaphore jobs, sources[5], replied[4];
static struct timer pauses[2];
static struct waiters watcher;

/* An event loop with timers: it prepares two blocks by turns, each after a pause; a worker handles them. */
static void block_worker(void *unused)
{
	(void)unused;
	for (;;) {
		int block;

		grab(&jobs, 340);
		block = next_number(&asked_for);
		compute(2, about((block ? 0.4 : 0.8) * MS));
		put_number(&handled, block);
		post_to(&watcher, &sources[0], 341);
	}
}

static void block_loop(void *unused)
{
	(void)unused;
	for (int i = 0; i < 2; i++)
		set_timer(&pauses[i], 0.5 * MS, 342);
	for (;;) {
		int ready = wait_for_any(&watcher, sources, 1, pauses, 2, 343);

		if (ready == 0) {
			compute(3, about(0.15 * MS));
			visit();
			set_timer(&pauses[next_number(&handled)], 0.5 * MS, 344);
		} else {
			compute(1, about(0.3 * MS));
			put_number(&asked_for, ready - 1);
			post(&jobs, 345);
		}
	}
}

/* The same by a ring: it takes what is ready without a call, and asks for timers by the next call. */
static void ring_loop(void *unused)
{
	(void)unused;
	for (int i = 0; i < 2; i++)
		set_timer(&pauses[i], 0.5 * MS, 343);
	for (;;) {
		struct timer *asked[8];
		uint32_t taken[8];
		enum burst_kind kind[8];
		int nasked = 0, ntaken = 0, ready = wait_for_any(&watcher, sources, 1, pauses, 2, 343);

		while (ready >= 0) {
			if (ready == 0) {
				compute(3, about(0.15 * MS));
				visit();
				asked[nasked++] = &pauses[next_number(&handled)];
			} else {
				compute(1, about(0.3 * MS));
				put_number(&asked_for, ready - 1);
				post(&jobs, 345);
			}
			ready = ready_of_any(sources, 1, pauses, 2, &kind[ntaken], &taken[ntaken]);
			ntaken += ready >= 0;
		}
		for (int i = 0; i < ntaken; i++)
			note_any(kind[i], taken[i], 0, 0);
		for (int i = 0; i < nasked; i++)
			set_timer(asked[i], 0.5 * MS, 343);
	}
}

static void reset_loop(void)
{
	asked_for = handled = (struct numbers){ 0 };
	watcher = (struct waiters){ 0 };
	jobs = (struct semaphore){ .id = 10 };
	for (uint32_t i = 0; i < 5; i++)
		sources[i] = (struct semaphore){ .id = 11 + i };
}

static void start_loop(void (*loop)(void *))
{
	reset_loop();
	for (uint32_t i = 0; i < 2; i++)
		pauses[i] = (struct timer){ .id = 20 + i, .due = INFINITY };
	two_of(block_worker, loop);
}

static inline void loop_with_ring(void *unused)
{
	(void)unused;
	start_loop(ring_loop);
}

static inline void loop_with_timers(void *unused)
{
	(void)unused;
	start_loop(block_loop);
}

/* An event loop between four clients, who think for a while, and two workers. */
static void request_client(void *number)
{
	int k = (int)(intptr_t)number;

	for (;;) {
		sleep_ns(about(1.0 * MS), 350);
		post_to(&watcher, &sources[k], 351);
		grab(&replied[k], 352);
		compute(4, about(0.2 * MS));
		visit();
	}
}

static void request_worker(void *unused)
{
	(void)unused;
	for (;;) {
		int k;

		grab(&jobs, 353);
		k = next_number(&asked_for);
		compute(2, uniform(&w.current->random) < 0.125 ? 1.5 * MS : 0.4 * MS);
		put_number(&handled, k);
		post_to(&watcher, &sources[4], 354);
	}
}

static void request_loop(void *unused)
{
	(void)unused;
	for (;;) {
		int ready = wait_for_any(&watcher, sources, 5, NULL, 0, 355);

		if (ready < 4) {
			compute(1, about(0.1 * MS));
			put_number(&asked_for, ready);
			post(&jobs, 356);
		} else {
			compute(3, about(0.15 * MS));
			post(&replied[next_number(&handled)], 357);
		}
	}
}

static inline void loop_with_clients(void *unused)
{
	(void)unused;
	reset_loop();
	for (uint32_t i = 0; i < 4; i++)
		replied[i] = (struct semaphore){ .id = 20 + i };
	for (intptr_t i = 0; i < 4; i++)
		create(request_client, (void *)i, 2);
	create(request_worker, NULL, 3);
	two_of(request_worker, request_loop);
}

#endif
