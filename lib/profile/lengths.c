#include "profile/lengths.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void release_buckets(struct lengths *h)
{
	free(h->at);
	*h = (struct lengths){ 0 };
}

/* Merges from the end, in place.  Buckets in both histograms are added. */
static void merge_buckets(struct lengths *h, const struct lengths_bucket *at, size_t n)
{
	size_t both = 0, to;

	for (size_t i = 0, j = 0; i < h->n && j < n;) {
		uint32_t a = h->at[i].bucket, b = at[j].bucket;

		both += a == b;
		i += a <= b;
		j += b <= a;
	}
	to = h->n + n - both;
	while (h->cap < to)
		h->at = xgrow(h->at, h->cap, &h->cap, sizeof *h->at);
	for (size_t i = h->n, j = n, k = to; j > 0;) {
		if (i > 0 && h->at[i - 1].bucket > at[j - 1].bucket) {
			h->at[--k] = h->at[--i];
		} else if (i > 0 && h->at[i - 1].bucket == at[j - 1].bucket) {
			h->at[--k] = h->at[--i];
			h->at[k].count += at[--j].count;
		} else {
			h->at[--k] = at[--j];
		}
	}
	h->n = to;
}

static uint64_t mix_hash(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

static uint64_t key_of(const struct lengths_of *o)
{
	uint64_t s;

	memcpy(&s, &o->s, sizeof s);
	return mix_hash(mix_hash(mix_hash(mix_hash(mix_hash(0x9e3779b97f4a7c15u, o->point), o->region), s), o->run), o->block);
}

static struct lengths *sum_of(struct lengths_table *t, struct lengths_of name)
{
	size_t at;

	/* The first of them represents all, so repeating this changes nothing. */
	if (t->shared >= SHARED_NEIGHBOURS)
		name.block -= name.block % LENGTHS_NEIGHBOURS;
	if (t->shared >= SHARED_BLOCKS)
		name.block = 0;
	if (t->shared >= SHARED_RUNS)
		name.run %= LENGTHS_RUNS;
	at = idmap_at(&t->at, key_of(&name), t->n);
	if (at == t->n) {
		t->of = xgrow(t->of, t->n, &t->cap, sizeof *t->of);
		name.sum = (struct lengths){ 0 };
		t->of[t->n++] = name;
	}
	return &t->of[at].sum;
}

static void add_histogram(struct lengths_table *t, const struct lengths_of *name, const struct lengths_bucket *at, size_t n)
{
	struct lengths *sum = sum_of(t, *name);

	t->buckets -= sum->n;
	merge_buckets(sum, at, n);
	t->buckets += sum->n;
}

static void share(struct lengths_table *t)
{
	struct lengths_table fewer = { .shared = t->shared + 1 };

	for (size_t i = 0; i < t->n; i++)
		add_histogram(&fewer, &t->of[i], t->of[i].sum.at, t->of[i].sum.n);
	lengths_table_release(t);
	*t = fewer;
}

void lengths_table_add(struct lengths_table *t, const struct lengths_of *name, const struct lengths_bucket *at, size_t n)
{
	add_histogram(t, name, at, n);
	while (t->buckets > LENGTHS_MOST && t->shared < SHARED_RUNS)
		share(t);
}

void lengths_table_release(struct lengths_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		release_buckets(&t->of[i].sum);
	free(t->of);
	idmap_release(&t->at);
	*t = (struct lengths_table){ 0 };
}

void lengths_table_points(struct lengths_table *t, const size_t *place)
{
	/* No further histogram is looked up by name. */
	idmap_release(&t->at);
	for (size_t i = 0; i < t->n; i++)
		t->of[i].point = place[t->of[i].point];
}
