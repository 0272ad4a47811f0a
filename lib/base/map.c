#include "base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* FNV-1a, with its high bits folded in: the table takes the low ones. */
static size_t hash(const char *key)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 0x100000001b3u;
	return (size_t)(h ^ h >> 32);
}

/* The slot that holds key, or the empty one where it belongs.  There is always an empty one. */
static size_t *find_slot(const struct map *m, const char *key)
{
	size_t mask = m->nslots - 1;

	for (size_t i = hash(key) & mask;; i = (i + 1) & mask)
		if (!m->slot[i] || !strcmp(m->entry[m->slot[i] - 1].key, key))
			return &m->slot[i];
}

/* At most half of the slots are taken. */
static void make_room(struct map *m)
{
	if (m->n < m->nslots / 2)
		return;
	m->nslots = m->nslots ? 2 * m->nslots : 16;
	free(m->slot);
	m->slot = xcalloc(m->nslots, sizeof *m->slot);
	for (size_t i = 0; i < m->n; i++)
		*find_slot(m, m->entry[i].key) = i + 1;
}

void map_release(struct map *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->entry[i].key);
	free(m->entry);
	free(m->slot);
	*m = (struct map)MAP_INIT;
}

static const struct map_entry *entry_of(const struct map *m, const char *key)
{
	size_t *slot = m->n ? find_slot(m, key) : NULL;

	return slot && *slot ? &m->entry[*slot - 1] : NULL;
}

void *map_get(const struct map *m, const char *key)
{
	const struct map_entry *e = entry_of(m, key);

	return e ? e->value : NULL;
}

bool map_has(const struct map *m, const char *key)
{
	return entry_of(m, key) != NULL;
}

void **map_at(struct map *m, const char *key)
{
	size_t *slot;

	make_room(m);
	slot = find_slot(m, key);
	if (!*slot) {
		m->entry = xgrow(m->entry, m->n, &m->cap, sizeof *m->entry);
		m->entry[m->n] = (struct map_entry){ .key = xstrdup(key) };
		*slot = ++m->n;
	}
	return &m->entry[*slot - 1].value;
}
