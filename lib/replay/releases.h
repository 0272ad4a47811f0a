/* releases: all events of a burst by which threads let go of objects, to look up the last one before a moment. */
#ifndef ANDWEORC_REPLAY_RELEASES_H
#define ANDWEORC_REPLAY_RELEASES_H

#include "replay/burst.h"

struct release {
	uint32_t object, site;
	size_t thread; /* its index in the burst */
	int64_t at_ns;
};

struct releases {
	struct release *v; /* by object and time; owned */
	size_t n, cap;
};

/* Lists the events of that kind. */
void releases_list(const struct burst *b, enum burst_kind kind, struct releases *out);

void releases_free(struct releases *all);

/* The number of releases up to the last one of the object that is not after `until`. */
size_t releases_until(const struct releases *all, uint32_t object, int64_t until);

/* Is release k one of the object, after `from`? */
static inline bool releases_in(const struct releases *all, size_t k, uint32_t object, int64_t from)
{
	return all->v[k].object == object && all->v[k].at_ns > from;
}

#endif
