/*
 * births: where threads come from that begin in a burst.
 *
 * The creator of a thread has noted that it creates one.  That of a process is noted by the
 * child, because it gets its number as it begins.  Its note becomes one of the parent.
 *
 * If the creator is not known, the thread waits until it begins, for nothing that is known.
 * Where children seemed to compute from the begin of the burst on, t/workload/children
 * took 1.24 times as long in a replay, and a supervisor that forks two workers at a time
 * 2.6 times.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/idmap.h"
#include "replay/join.h"

/* The index of the thread with that id; b->n: there is none. */
static size_t find_thread(const struct burst *b, uint32_t id)
{
	size_t t = 0;

	while (t < b->n && b->thread[t].id != id)
		t++;
	return t;
}

/* Turns the note of the child into one of its parent, if that is known, and one that it begins. */
static void note_birth(const struct burst *b, size_t child, struct burst_event *e, struct burst_thread *added)
{
	size_t parent = find_thread(b, e->object);
	const struct burst_event birth = { .kind = BURST_BIRTH, .at_ns = e->at_ns - e->waited_ns, .object = b->thread[child].id };

	if (parent < b->n && parent != child && birth.at_ns >= 0)
		burst_add(&added[parent], &birth);
	*e = (struct burst_event){ .kind = BURST_OUTSIDE, .at_ns = e->at_ns };
}

static void list_born(const struct burst *b, struct idmap *born)
{
	for (size_t t = 0; t < b->n; t++)
		for (size_t i = 0; i < b->thread[t].n; i++)
			if (b->thread[t].event[i].kind == BURST_BIRTH)
				idmap_number(born, b->thread[t].event[i].object);
}

void births_join(struct burst *b)
{
	struct burst_thread *added = xcalloc(b->n + 1, sizeof(*added));
	struct idmap born = { 0 };

	for (size_t t = 0; t < b->n; t++)
		for (size_t i = 0; i < b->thread[t].n; i++)
			if (b->thread[t].event[i].kind == BURST_BORN)
				note_birth(b, t, &b->thread[t].event[i], added);
	for (size_t t = 0; t < b->n; t++) {
		burst_insert(&b->thread[t], &added[t]);
		free(added[t].event);
	}
	free(added);
	list_born(b, &born);
	for (size_t t = 0; t < b->n; t++) {
		struct burst_event *first = &b->thread[t].event[burst_first_deed(&b->thread[t])];
		size_t known = born.n;

		if (burst_begins(&b->thread[t]) && idmap_number(&born, b->thread[t].id) >= known)
			*first = (struct burst_event){ .kind = BURST_TIMEOUT, .at_ns = first->at_ns, .waited_ns = first->at_ns };
	}
	idmap_release(&born);
}
