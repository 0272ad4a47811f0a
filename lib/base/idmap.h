/*
 * idmap: maps the ids of a log, which are numbers local to one header, to places in
 * arrays.
 */
#ifndef ANDWEORC_BASE_IDMAP_H
#define ANDWEORC_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#define IDMAP_INIT { 0 }

struct idmap {
	uint64_t *id;
	size_t *place; /* 1 + place, 0 = empty; as long as id */
	size_t nslots; /* a power of two, or 0 */
	size_t n;
};

void idmap_release(struct idmap *m); /* m is as after IDMAP_INIT, ready for the next header */

/* The place of id. A new id gets `next`, the place where the caller is about to put it. */
size_t idmap_at(struct idmap *m, uint64_t id, size_t next);

#define IDMAP_NONE SIZE_MAX

/* The place of id; IDMAP_NONE when it is not there. */
size_t idmap_find(const struct idmap *m, uint64_t id);

/* The number of id: 0, 1, 2.. in the order in which the ids came. */
static inline size_t idmap_number(struct idmap *m, uint64_t id)
{
	return idmap_at(m, id, m->n);
}

/*
 * Makes room in an array of entries, one for each number given so far; new entries are all zeros:
 *     i = idmap_number(&m, id); v = idmap_room(&m, v, &cap, sizeof *v); v[i]...
 * The array begins as NULL, with a cap of 0, and is the caller's to free.
 */
void *idmap_room(const struct idmap *m, void *array, size_t *cap, size_t size);

#endif
