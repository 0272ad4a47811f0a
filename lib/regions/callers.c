#include "regions/callers.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/*
 * About 4 MB of log for each limit, for a program whose samples all have different chains of calls.  Most
 * programs have some hundreds or thousands of chains.
 */
enum { CALLS_MAX = 1 << 16, COUNTS_MAX = 1 << 16 };

void callers_release(struct callers *c)
{
	idmap_release(&c->place_at);
	idmap_release(&c->call_at);
	idmap_release(&c->count_at);
	free(c->call);
	free(c->count);
	*c = (struct callers){ 0 };
}

void callers_new_run(struct callers *c)
{
	idmap_release(&c->count_at);
	c->ncounts = 0;
}

/*
 * Both numbers are less than 2^31, so the keys of all pairs differ.  The lower half, which decides the place in the
 * map, must also differ for one place after different calls, as in a recursion.
 */
static uint64_t pair(uint32_t by, size_t place)
{
	return (uint64_t)by << 32 | (by ^ (uint32_t)place);
}

/* The number of the call from that place, reached by the call `by`; 0: no room. */
static uint32_t call_number(struct callers *c, uint64_t place, uint32_t by, bool more)
{
	uint64_t key = pair(by, idmap_number(&c->place_at, place)) | (uint64_t)more << 63;
	size_t at = idmap_find(&c->call_at, key);

	if (at == IDMAP_NONE && c->ncalls == CALLS_MAX)
		return 0;
	if (at == IDMAP_NONE) {
		at = idmap_at(&c->call_at, key, c->ncalls);
		c->call = xgrow(c->call, c->ncalls, &c->cap_calls, sizeof *c->call);
		c->call[c->ncalls++] = (struct caller){ .place = place, .by = by, .more = more };
	}
	return (uint32_t)at + 1;
}

/* The number of the innermost call of the chain; 0: no calls, or no room. */
static uint32_t chain_number(struct callers *c, const uint64_t *call, size_t n, bool more)
{
	uint32_t by = 0;

	for (size_t i = n; i-- > 0;) {
		by = call_number(c, call[i], by, more);
		if (!by)
			return 0;
		more = false;
	}
	return by;
}

void callers_count(struct callers *c, const uint64_t *place, size_t n, bool more, enum arena_class class, uint64_t weight)
{
	uint32_t by = chain_number(c, place + 1, n - 1, more);
	size_t address = idmap_number(&c->place_at, place[0]), at = idmap_find(&c->count_at, pair(by, address));

	if (at == IDMAP_NONE && c->ncounts >= COUNTS_MAX)
		by = 0;
	at = idmap_at(&c->count_at, pair(by, address), c->ncounts);
	if (at == c->ncounts) {
		c->count = xgrow(c->count, c->ncounts, &c->cap_counts, sizeof *c->count);
		c->count[c->ncounts++] = (struct caller_count){ .place = place[0], .by = by };
	}
	c->count[at].count[class] += weight;
}
