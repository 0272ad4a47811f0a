#include "replay/replay_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { SLOTS_FIRST = 64 };

uint64_t keys_mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static size_t slot_of(const struct keys *k, uint64_t key)
{
	size_t at = (size_t)keys_mix(key, 0) & (k->nslots - 1);

	while (k->number[at] != NOBODY && k->slot[at] != key)
		at = (at + 1) & (k->nslots - 1);
	return at;
}

static void grow(struct keys *k)
{
	struct keys bigger = { .nslots = k->nslots ? k->nslots * 2 : SLOTS_FIRST, .n = k->n };

	bigger.slot = xcalloc(bigger.nslots, sizeof(*bigger.slot));
	bigger.number = xcalloc(bigger.nslots, sizeof(*bigger.number));
	for (size_t i = 0; i < bigger.nslots; i++)
		bigger.number[i] = NOBODY;
	for (size_t i = 0; i < k->nslots; i++) {
		size_t at;

		if (k->number[i] == NOBODY)
			continue;
		at = slot_of(&bigger, k->slot[i]);
		bigger.slot[at] = k->slot[i];
		bigger.number[at] = k->number[i];
	}
	keys_release(k);
	*k = bigger;
}

uint32_t keys_number(struct keys *k, uint64_t key)
{
	size_t at;

	if (k->n * 2 >= k->nslots)
		grow(k);
	at = slot_of(k, key);
	if (k->number[at] == NOBODY) {
		k->slot[at] = key;
		k->number[at] = (uint32_t)k->n++;
	}
	return k->number[at];
}

void keys_release(struct keys *k)
{
	free(k->slot);
	free(k->number);
	*k = (struct keys){ 0 };
}
