#include "resolve/pending.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void hold_init(struct hold *h)
{
	*h = (struct hold){ 0 };
}

void hold_release(struct hold *h)
{
	while (hold_first(h))
		hold_drop(h);
	free(h->v);
	hold_init(h);
}

bool hold_is_empty(const struct hold *h)
{
	return h->first == h->n;
}

bool hold_is_full(const struct hold *h)
{
	return h->bytes >= HOLD_MAX;
}

void hold_add(struct hold *h, const struct record *rec)
{
	struct record *copy = xcalloc(1, sizeof *copy);

	*copy = *rec;
	copy->path = xstrdup(rec->path);
	copy->raw = xstrndup(rec->raw, rec->raw_len);
	copy->type = xstrdup(rec->type);
	copy->field = xcalloc(rec->n ? rec->n : 1, sizeof *copy->field);
	for (size_t i = 0; i < rec->n; i++) {
		copy->field[i] = rec->field[i];
		copy->field[i].key = xstrdup(rec->field[i].key);
		copy->field[i].value = xstrdup(rec->field[i].value);
	}
	h->v = xgrow(h->v, h->n, &h->cap, sizeof *h->v);
	h->v[h->n++] = copy;
	h->bytes += rec->raw_len;
}

struct record *hold_first(struct hold *h)
{
	return hold_is_empty(h) ? NULL : h->v[h->first];
}

void hold_drop(struct hold *h)
{
	struct record *rec = h->v[h->first++];

	h->bytes -= rec->raw_len;
	for (size_t i = 0; i < rec->n; i++) {
		free(rec->field[i].key);
		free(rec->field[i].value);
	}
	free(rec->field);
	free((void *)(uintptr_t)rec->path);
	free((void *)(uintptr_t)rec->raw);
	free((void *)(uintptr_t)rec->type);
	free(rec);
	if (h->first == h->n)
		h->first = h->n = 0;
}
