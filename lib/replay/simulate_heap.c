/*
 * simulate_heap: the moments of actors.  Each actor has one at most: when the stretch that it
 * computes ends, or its slice, or when it wakes up.  The earliest is the first of a binary heap.
 */
#include "replay/simulate_parts.h"

static void heap_set(struct sim *m, size_t at, uint32_t i)
{
	m->heap[at] = i;
	m->runner[i].heap = (uint32_t)at;
}

static void heap_up(struct sim *m, size_t at)
{
	uint32_t i = m->heap[at];

	while (at) {
		size_t above = (at - 1) / 2;

		if (m->runner[m->heap[above]].at <= m->runner[i].at)
			break;
		heap_set(m, at, m->heap[above]);
		at = above;
	}
	heap_set(m, at, i);
}

static void heap_down(struct sim *m, size_t at)
{
	uint32_t i = m->heap[at];

	for (;;) {
		size_t below = 2 * at + 1;

		if (below >= m->nheap)
			break;
		if (below + 1 < m->nheap && m->runner[m->heap[below + 1]].at < m->runner[m->heap[below]].at)
			below++;
		if (m->runner[m->heap[below]].at >= m->runner[i].at)
			break;
		heap_set(m, at, m->heap[below]);
		at = below;
	}
	heap_set(m, at, i);
}

/* Puts the moment of the actor there, or moves it. */
void moment_put(struct sim *m, uint32_t i, double at)
{
	struct runner *r = &m->runner[i];

	if (r->heap == NOBODY) {
		r->at = at;
		m->heap[m->nheap] = i;
		heap_up(m, m->nheap++);
		return;
	}
	if (at < r->at) {
		r->at = at;
		heap_up(m, r->heap);
	} else {
		r->at = at;
		heap_down(m, r->heap);
	}
}

void moment_drop(struct sim *m, uint32_t i)
{
	size_t at = m->runner[i].heap;
	uint32_t moved;

	if (at == NOBODY)
		return;
	m->runner[i].heap = NOBODY;
	moved = m->heap[--m->nheap];
	if (moved == i)
		return;
	heap_set(m, at, moved);
	heap_up(m, at);
	heap_down(m, m->runner[moved].heap);
}
