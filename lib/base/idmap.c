#include "base/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static size_t slot_of(const struct idmap *m, uint64_t id)
{
	/* ids are mostly 1, 2, 3..: the multiplication spreads them, and others, alike */
	size_t slot = (size_t)((id * 0x9e3779b97f4a7c15u) >> 20) & (m->nslots - 1);

	while (m->place[slot] && m->id[slot] != id)
		slot = (slot + 1) & (m->nslots - 1);
	return slot;
}

static void grow_table(struct idmap *m)
{
	struct idmap bigger = { .nslots = m->nslots ? 2 * m->nslots : 64, .n = m->n };

	bigger.id = xcalloc(bigger.nslots, sizeof *bigger.id);
	bigger.place = xcalloc(bigger.nslots, sizeof *bigger.place);
	for (size_t i = 0; i < m->nslots; i++) {
		size_t slot;

		if (!m->place[i])
			continue;
		slot = slot_of(&bigger, m->id[i]);
		bigger.id[slot] = m->id[i];
		bigger.place[slot] = m->place[i];
	}
	idmap_release(m);
	*m = bigger;
}

void idmap_release(struct idmap *m)
{
	free(m->id);
	free(m->place);
	*m = (struct idmap)IDMAP_INIT;
}

size_t idmap_at(struct idmap *m, uint64_t id, size_t next)
{
	size_t slot;

	if (2 * (m->n + 1) > m->nslots)
		grow_table(m);
	slot = slot_of(m, id);
	if (!m->place[slot]) {
		m->id[slot] = id;
		m->place[slot] = next + 1;
		m->n++;
	}
	return m->place[slot] - 1;
}

size_t idmap_find(const struct idmap *m, uint64_t id)
{
	size_t slot = m->nslots ? slot_of(m, id) : 0;

	return m->nslots && m->place[slot] ? m->place[slot] - 1 : IDMAP_NONE;
}

void *idmap_room(const struct idmap *m, void *array, size_t *cap, size_t size)
{
	while (*cap < m->n) {
		size_t before = *cap;

		array = xgrow(array, before, cap, size);
		memset((char *)array + before * size, 0, (*cap - before) * size);
	}
	return array;
}
