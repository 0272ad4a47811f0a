#include "recorder/automatic.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "target/shared.h"

enum {
	LOOK_MS = 20,  /* between looks */
	LOOKS = 30,    /* looks until the decision: 0.6 s */
	STEADY_PCT = 60, /* share of looks with progress; then a window of 200 ms has progress in six looks or more */
};

static const char *const moved_name[MOVED_KINDS] = { ":output", ":input", ":replies", ":parallel", ":mpi", ":kokkos" };

bool automatic_kind(const char *name, enum arena_moved *kind)
{
	for (int k = 0; k < MOVED_KINDS; k++)
		if (strcmp(name, moved_name[k]) == 0) {
			*kind = (enum arena_moved)k;
			return true;
		}
	return false;
}

static uint64_t visits(const struct arena *arena, uint32_t number)
{
	return number ? shared_visits(arena, number - 1) : 0;
}

static uint64_t worked_us(struct arena *arena)
{
	uint32_t n = shared_threads(arena);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += atomic_load_explicit(&shared_thread(arena, i)->worked_ns, memory_order_relaxed);
	return sum / 1000;
}

static uint32_t add_point(struct arena *arena, const char *name)
{
	int number = arena_add_point(arena, name, POINT_AUTOMATIC);

	return number > 0 ? (uint32_t)number : 0;
}

static void count_moved(struct automatic *a, struct arena *arena, enum arena_moved kind)
{
	if (!a->number[kind])
		a->number[kind] = add_point(arena, moved_name[kind]);
	atomic_store_explicit(&arena->moved[kind], a->number[kind], memory_order_relaxed);
}

void automatic_watch(struct automatic *a, struct arena *arena)
{
	if (a->counting)
		return;
	a->counting = true;
	for (int kind = 0; kind < MOVED_UNASKED; kind++)
		count_moved(a, arena, (enum arena_moved)kind);
}

bool automatic_look(struct automatic *a, struct arena *arena, int64_t now)
{
	if (now - a->looked_ns < LOOK_MS * MS)
		return false;
	for (int kind = 0; kind < MOVED_KINDS; kind++) {
		uint64_t moved = visits(arena, a->number[kind]);

		a->advanced[kind] += a->looked_ns && moved > a->last[kind];
		a->last[kind] = moved;
	}
	a->looks += a->looked_ns > 0;
	a->looked_ns = now;
	return a->looks >= LOOKS;
}

void automatic_use(struct automatic *a, struct arena *arena)
{
	if (!a->on && a->looks > 0)
		for (int kind = 0; kind < MOVED_UNASKED; kind++)
			a->steady[kind] = a->advanced[kind] * 100 >= STEADY_PCT * a->looks;
	/* A program that answers requests is measured by its answers, not by their lengths. */
	if (!a->on && a->steady[MOVED_REPLIES])
		a->steady[MOVED_OUTPUT] = a->steady[MOVED_INPUT] = false;
	a->on = true;
	for (int kind = 0; kind < MOVED_KINDS; kind++) {
		if (a->steady[kind])
			count_moved(a, arena, (enum arena_moved)kind);
		else
			atomic_store_explicit(&arena->moved[kind], 0, memory_order_relaxed);
	}
	if (!a->work && !a->alone)
		a->work = add_point(arena, ":work");
}

void automatic_give_up(struct automatic *a)
{
	a->on = a->asked;
}

void automatic_new_run(struct automatic *a, struct arena *arena)
{
	a->was_on = a->on;
	a->counting = false;
	a->work = 0;
	a->looked_ns = 0;
	a->looks = 0;
	for (int kind = 0; kind < MOVED_KINDS; kind++) {
		a->number[kind] = 0;
		a->last[kind] = 0;
		a->advanced[kind] = 0;
		a->stalled[kind] = false;
	}
	if (a->on)
		automatic_use(a, arena);
}

bool automatic_is_live(const struct automatic *a, uint32_t point)
{
	if (!a->on)
		return false;
	if (point + 1 == a->work)
		return true;
	for (int kind = 0; kind < MOVED_KINDS; kind++)
		if (point + 1 == a->number[kind])
			return a->steady[kind] && !a->stalled[kind];
	return false;
}

static void mark_work(struct automatic *a, struct arena *arena, uint32_t window, bool closing)
{
	struct arena_point *at = &arena->point[a->work - 1];
	int64_t virtual_ns = now_ns() - vclock_owed(&arena->clock);
	uint64_t count = worked_us(arena);

	if (closing) {
		at->close_count = count;
		at->close_ns = virtual_ns;
		atomic_store_explicit(&at->closed, window, memory_order_release);
	} else {
		at->open_count = count;
		at->open_ns = virtual_ns;
		atomic_store_explicit(&at->opened, window, memory_order_release);
	}
}

void automatic_mark(struct automatic *a, struct arena *arena, uint32_t window, bool closing)
{
	if (!a->on)
		return;
	if (a->work)
		mark_work(a, arena, window, closing);
	for (int kind = 0; kind < MOVED_KINDS && closing; kind++) {
		uint64_t moved = visits(arena, a->number[kind]);

		a->stalled[kind] = moved == a->last[kind];
		a->last[kind] = moved;
	}
}

char *automatic_names(const struct automatic *a)
{
	struct buf b = BUF_INIT;

	for (int kind = 0; kind < MOVED_KINDS; kind++)
		if (a->steady[kind])
			buf_addf(&b, "%s%s", b.len ? ", " : "", moved_name[kind]);
	if (!a->alone)
		buf_addf(&b, "%s:work", b.len ? ", " : "");
	return buf_detach(&b);
}
