#include "resolve/pending.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void pending_init(struct pending *h)
{
	*h = (struct pending){ 0 };
}

void pending_release(struct pending *h)
{
	while (pending_first(h))
		pending_drop(h);
	free(h->v);
	pending_init(h);
}

bool pending_is_empty(const struct pending *h)
{
	return h->first == h->n;
}

bool pending_is_full(const struct pending *h)
{
	return h->bytes >= PENDING_MAX;
}

void pending_add(struct pending *h, const struct record *rec)
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

struct record *pending_first(struct pending *h)
{
	return pending_is_empty(h) ? NULL : h->v[h->first];
}

void pending_drop(struct pending *h)
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
