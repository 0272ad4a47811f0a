#include "target/shared.h"

uint32_t shared_slots = ARENA_THREADS;

const char *shared_name(const struct arena *a, uint32_t point)
{
	static char name[ARENA_POINTS][ARENA_POINT_NAME];

	memcpy(name[point], a->point[point].name, ARENA_POINT_NAME - 1);
	return name[point];
}

uint64_t shared_visits(const struct arena *a, uint32_t point)
{
	uint32_t n = shared_threads(a);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += atomic_load_explicit(&a->visits[i][point], memory_order_relaxed);
	return sum;
}

uint64_t shared_lost(struct arena *a)
{
	uint32_t n = shared_threads(a);
	uint64_t lost = 0;

	for (uint32_t i = 0; i < n; i++)
		lost += atomic_load_explicit(&shared_thread(a, i)->lost, memory_order_relaxed);
	return lost;
}

const struct arena_event *shared_log(const struct arena *a, uint32_t i, uint32_t *n, uint32_t *slot)
{
	const struct arena_log *log = &a->parts.log[i].log;
	uint32_t number = *(const volatile uint32_t *)&log->thread;

	*n = shared_count(&log->n, ARENA_EVENTS);
	*slot = number - 1;
	return number > 0 && number <= shared_threads(a) ? log->event : NULL;
}

uint32_t shared_ring(const struct arena_thread *t, uint32_t *tail)
{
	/* Pairs with the release in sample_keep: samples before the head are complete. */
	uint32_t head = atomic_load_explicit(&t->ring_head, memory_order_acquire), n;

	*tail = atomic_load_explicit(&t->ring_tail, memory_order_relaxed);
	n = head - *tail;
	if (n > ARENA_RING) {
		*tail = head;
		n = 0;
	}
	return n;
}

struct arena_sample shared_sample(const struct arena_thread *t, uint32_t at)
{
	struct arena_sample s;

	memcpy(&s, &t->ring[at % ARENA_RING], sizeof(s));
	s.nframes = s.nframes < ARENA_FRAMES ? s.nframes : ARENA_FRAMES;
	s.class = s.class < CLASSES ? s.class : CLASS_CPU;
	return s;
}
