/*
 * map: strings to pointers, iterated in the order of insertion.
 *
 * Insertion order makes every tool's output a function of its input alone.
 * Keys are copied; values are the caller's.  No removal: nothing here needs it.
 */
#ifndef ANDWEORC_BASE_MAP_H
#define ANDWEORC_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct map_entry {
	char *key;   /* owned by the map */
	void *value; /* the caller's */
};

struct map {
	struct map_entry *entry; /* entry[0..n), in insertion order */
	size_t n;
	size_t cap;
	size_t *slot;    /* open addressing; 1 + index into entry, 0 = empty */
	size_t nslots;   /* a power of two, or 0 */
};

#define MAP_INIT { 0 }

void map_release(struct map *m); /* frees keys, not values */
void *map_get(const struct map *m, const char *key); /* NULL when absent */
bool map_has(const struct map *m, const char *key);  /* whatever its value */

/* The place of key's value, which is NULL when the key is new.  Valid until the next insertion. */
void **map_at(struct map *m, const char *key);

#endif
