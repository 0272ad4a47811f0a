/*
 * world_waits: programs that wait for the clock or for devices, or look now and then at what others do.
 */
#ifndef ANDWEORC_TEST_WORLD_WAITS_H
#define ANDWEORC_TEST_WORLD_WAITS_H

#include "world_locks.h"

/* A writer looks each 0.4 ms, under a lock, whether the next page has been drawn. */
static struct mutex page;
static bool drawn;

static void draws(void *unused)
{
	(void)unused;
	for (;;) {
		grab(&room, 346);
		compute(1, about(1 * MS));
		lock(&page, 347);
		drawn = true;
		unlock(&page, 348);
	}
}

static void writes_down(void *unused)
{
	(void)unused;
	for (;;) {
		bool found;

		lock(&page, 341);
		found = drawn;
		drawn = false;
		unlock(&page, 342);
		if (!found) {
			nap(0.4 * MS, 343);
			continue;
		}
		post(&room, 344);
		compute(2, about(0.6 * MS));
		visit();
	}
}

static inline void naps(void *unused)
{
	(void)unused;
	page = (struct mutex){ .id = 10 };
	drawn = false;
	room = (struct semaphore){ .id = 11, .count = 1 };
	two_of(draws, writes_down);
}

/* A timer ticks on while its thread waits for room, so ticks are missed. */
static void tick_reader(void *unused)
{
	double last = 0;

	(void)unused;
	for (;;) {
		wait_for_tick(1 * MS, &last, 330);
		compute(1, about(0.2 * MS));
		grab(&room, 331);
		post(&items, 332);
	}
}

static void tick_handler(void *unused)
{
	(void)unused;
	for (;;) {
		grab(&items, 333);
		compute(2, about(1.1 * MS));
		post(&room, 334);
		visit();
	}
}

static inline void ticks(void *unused)
{
	(void)unused;
	items = (struct semaphore){ .id = 10 };
	room = (struct semaphore){ .id = 11, .count = 1 };
	two_of(tick_reader, tick_handler);
}

/* As waits of C++20: a thread yields a few times before it sleeps. */
static struct semaphore yielded[2];

static void yielding(unsigned from, unsigned to, uint32_t region, double ns)
{
	grab_yielding(&yielded[from], 311);
	compute(region, about(ns));
	post(&yielded[to], 312);
}

static void yields_first(void *unused)
{
	(void)unused;
	for (;;) {
		yielding(0, 1, 1, 0.35 * MS);
		visit();
	}
}

static void yields_second(void *unused)
{
	(void)unused;
	for (;;)
		yielding(1, 0, 2, 0.25 * MS);
}

static inline void yield_by_turns(void *unused)
{
	(void)unused;
	yielded[0] = (struct semaphore){ .id = 10, .count = 1 };
	yielded[1] = (struct semaphore){ .id = 11 };
	two_of(yields_first, yields_second);
}

static void work_on_frame(unsigned n)
{
	compute(1, about(0.8 * MS));
	if (n % 4 == 0)
		compute(2, about(2.4 * MS));
	compute(3, about(1.3 * MS));
	visit();
}

/* Sleeps for the rest of each frame of 4 ms.  Each fourth frame is often late. */
static inline void frames_of_sleep(void *unused)
{
	(void)unused;
	for (unsigned n = 0;; n++) {
		double end = w.now + 4 * MS;

		work_on_frame(n);
		if (w.now < end)
			sleep_ns(end - w.now, 98);
	}
}

/* The same, by moments of the clock.  After a late frame, the next one is counted from its end. */
static inline void frames_of_clock(void *unused)
{
	double end = w.now;

	(void)unused;
	for (unsigned n = 0;; n++) {
		end += 4 * MS;
		work_on_frame(n);
		if (w.now < end)
			sleep_until(end, 99);
		else
			end = w.now;
	}
}

/* The same, but it also asks for moments that are over. */
static inline void frames_of_clock_asked(void *unused)
{
	double end = w.now;

	(void)unused;
	for (unsigned n = 0;; n++) {
		end += 4 * MS;
		work_on_frame(n);
		end = fmax(end, w.now);
		sleep_until(end, 99);
	}
}

/* Requests come by the clock, and are answered by one thread: a span each. */
static double came[1 << 16];

static void server(void *unused)
{
	(void)unused;
	for (uint32_t i = 1;; i++) {
		grab(&items, 91);
		compute(1, about(1.0 * MS));
		compute(2, about(0.5 * MS));
		span_end(i, came[i & 0xffff]);
		visit();
	}
}

static void clients(void *unused)
{
	(void)unused;
	for (uint32_t i = 1;; i++) {
		sleep_ns(2 * about(1.0 * MS), 92);
		came[i & 0xffff] = span_begin(i);
		post(&items, 93);
	}
}

static inline void requests(void *unused)
{
	(void)unused;
	items = (struct semaphore){ .id = 10 };
	two_of(server, clients);
}

/* Two regions wait at one place, as callers of a function that reads; one of them computes as well. */
static inline void files(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(0.3 * MS));
		wait_for_device(1, about(0.6 * MS), 97);
		wait_for_device(2, about(0.2 * MS), 97);
		compute(3, about(0.4 * MS));
		visit();
	}
}

#endif
