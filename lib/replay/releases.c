#include "replay/releases.h"

#include <stdlib.h>

#include "base/alloc.h"

static int by_object_and_time(const void *va, const void *vb)
{
	const struct release *a = va, *b = vb;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

void releases_list(const struct burst *b, enum burst_kind kind, struct releases *out)
{
	for (size_t t = 0; t < b->n; t++) {
		for (size_t i = 0; i < b->thread[t].n; i++) {
			const struct burst_event *e = &b->thread[t].event[i];

			if (e->kind != kind)
				continue;
			out->v = xgrow(out->v, out->n, &out->cap, sizeof(*out->v));
			out->v[out->n++] = (struct release){ .object = e->object, .site = e->site, .thread = t, .at_ns = e->at_ns };
		}
	}
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_object_and_time);
}

void releases_free(struct releases *all)
{
	free(all->v);
	*all = (struct releases){ 0 };
}

size_t releases_until(const struct releases *all, uint32_t object, int64_t until)
{
	const struct release key = { .object = object, .at_ns = until };
	size_t low = 0, high = all->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_object_and_time(&all->v[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
