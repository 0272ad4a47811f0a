#include "profile/untried.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/num.h"
#include "base/path.h"
#include "profile/context.h"

/* "function  file.c:12", or the known part of it; NULL when nothing is known. */
static char *name_of(struct record *rec)
{
	const char *function = record_get(rec, "function"), *file = record_get(rec, "file"), *line = record_get(rec, "line");
	struct buf b = BUF_INIT;

	if (!file || !line)
		return function ? xstrdup(function) : NULL;
	buf_addf(&b, "%s:%s", path_name(file), line);
	if (function)
		buf_addf(&b, " in %s", function);
	return buf_detach(&b);
}

void untried_names_release(struct untried_names *names)
{
	for (size_t i = 0; i < names->sum.n; i++)
		free(names->sum.entry[i].value);
	map_release(&names->sum);
	*names = (struct untried_names){ .sum = MAP_INIT };
}

static void give_names_up(struct untried_names *names)
{
	untried_names_release(names);
	names->too_many = true;
}

/* The sum of that name; NULL when there are too many names. */
static uint64_t *sum_of(struct untried_names *names, const char *name)
{
	void **place;

	if (names->too_many)
		return NULL;
	place = map_at(&names->sum, name);
	if (*place)
		return *place;
	names->bytes += strlen(name);
	*place = xcalloc(1, sizeof(uint64_t));
	if (names->bytes <= UNTRIED_TEXT && names->sum.n <= UNTRIED_LEAVES)
		return *place;
	give_names_up(names);
	return NULL;
}

static void forget_names(struct untried *u)
{
	give_names_up(&u->names);
	for (size_t i = 0; i < u->n; i++)
		u->leaf[i].sum = NULL;
}

static void name_leaf(struct untried *u, struct untried_leaf *leaf, struct record *rec)
{
	char *name = u->names.too_many ? NULL : name_of(rec);

	if (!name)
		return;
	leaf->sum = sum_of(&u->names, name);
	if (!leaf->sum)
		forget_names(u);
	free(name);
}

/* The leaf at that address; *is_new when there was none. */
static struct untried_leaf *leaf_at(struct untried *u, uint64_t module, uint64_t offset, bool *is_new)
{
	/* modules are few, and code is smaller than 2^48 */
	size_t at = idmap_at(&u->at, module << 48 ^ offset >> u->shift, u->n);

	*is_new = at == u->n;
	if (*is_new) {
		u->leaf = xgrow(u->leaf, u->n, &u->cap, sizeof *u->leaf);
		u->leaf[u->n++] = (struct untried_leaf){ .module = module, .offset = offset >> u->shift << u->shift };
	}
	return &u->leaf[at];
}

/* Too many addresses: ignores one more low bit, and joins those that are then equal. */
static void coarsen(struct untried *u)
{
	size_t n = u->n;

	forget_names(u);
	idmap_release(&u->at);
	u->shift++;
	u->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct untried_leaf from = u->leaf[i];
		bool is_new;

		leaf_at(u, from.module, from.offset, &is_new)->count += from.count;
	}
}

void untried_add(struct context *c, struct record *rec, uint64_t count)
{
	struct untried *u = &c->untried;
	bool is_new;
	struct untried_leaf *leaf = leaf_at(u, record_get_u64(rec, "module"), record_get_u64(rec, "offset"), &is_new);

	leaf->count += count;
	if (!is_new)
		return;
	name_leaf(u, leaf, rec);
	while (u->n > UNTRIED_LEAVES)
		coarsen(u);
}

struct range {
	uint64_t module, lo, hi; /* hi: the first address behind it */
};

static int compare_ranges(const void *va, const void *vb)
{
	const struct range *a = va, *b = vb;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->lo > b->lo) - (a->lo < b->lo);
}

/* Parses "0x10" up to `end`, as the field of a record. */
static bool number(const char *s, size_t len, uint64_t *out)
{
	char text[24];

	if (len >= sizeof text)
		return false;
	memcpy(text, s, len);
	text[len] = '\0';
	return num_u64(text, out);
}

/* "0xLO-0xHI,0xLO-0xHI"; invalid ranges are ignored. */
static void add_ranges(struct range **v, size_t *n, size_t *cap, uint64_t module, const char *text)
{
	while (text && *text) {
		size_t len = strcspn(text, ","), dash = strcspn(text, "-,");
		struct range r = { .module = module };

		if (dash < len && number(text, dash, &r.lo) && number(text + dash + 1, len - dash - 1, &r.hi)) {
			*v = xgrow(*v, *n, cap, sizeof **v);
			(*v)[(*n)++] = r;
		}
		text += len + (text[len] == ',');
	}
}

/* The last range that begins at or before the leaf, in any module up to its own; ranges of a module may overlap. */
static size_t count_up_to(const struct range *v, size_t n, const struct untried_leaf *leaf)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].module < leaf->module || (v[mid].module == leaf->module && v[mid].lo <= leaf->offset))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Overlapping and touching ranges become one. */
static size_t join_ranges(struct range *v, size_t n)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		if (used && v[used - 1].module == v[i].module && v[i].lo <= v[used - 1].hi)
			v[used - 1].hi = v[i].hi > v[used - 1].hi ? v[i].hi : v[used - 1].hi;
		else
			v[used++] = v[i];
	}
	return used;
}

static bool is_tried(const struct range *v, size_t n, const struct untried_leaf *leaf, bool *own_module)
{
	size_t before = count_up_to(v, n, leaf);

	*own_module = (before && v[before - 1].module == leaf->module) || (before < n && v[before].module == leaf->module);
	return before && v[before - 1].module == leaf->module && leaf->offset < v[before - 1].hi;
}

/* If code of one context has no names, named code of other contexts would seem to have larger shares. */
static void add_names(struct untried_names *into, const struct untried_names *from)
{
	if (from->too_many && !into->too_many)
		give_names_up(into);
	for (size_t i = 0; i < from->sum.n; i++) {
		uint64_t samples = *(const uint64_t *)from->sum.entry[i].value, *sum;

		sum = samples ? sum_of(into, from->sum.entry[i].key) : NULL;
		if (sum)
			*sum += samples;
	}
}

void untried_close(struct context *c)
{
	struct untried *u = &c->untried;
	struct range *range = NULL;
	size_t n = 0, cap = 0;

	/* a run that is in the input twice counts once, and so do its samples */
	for (size_t i = 0; i < c->nruns; i++)
		if (c->run[i].place == PROFILE_NONE)
			u->n = 0;
	for (size_t i = 0; i < c->nregions; i++)
		if (c->region[i].defined && c->region[i].module_id != CONTEXT_NOWHERE)
			add_ranges(&range, &n, &cap, c->region[i].module_id, c->region[i].region.ranges);
	if (n)
		qsort(range, n, sizeof *range, compare_ranges);
	n = join_ranges(range, n);
	for (size_t i = 0; i < u->n; i++) {
		bool own_module;

		if (is_tried(range, n, &u->leaf[i], &own_module))
			c->p->inside += u->leaf[i].count;
		else if (u->leaf[i].sum && own_module)
			*u->leaf[i].sum += u->leaf[i].count;
	}
	free(range);
	add_names(&c->p->untried, &u->names);
	untried_free(u);
}

void untried_free(struct untried *u)
{
	untried_names_release(&u->names);
	idmap_release(&u->at);
	free(u->leaf);
	*u = (struct untried){ 0 };
}

static bool is_before(const struct map_entry *e, const struct untried_name *than)
{
	uint64_t samples = *(const uint64_t *)e->value;

	return samples != than->samples ? samples > than->samples : strcmp(e->key, than->name) < 0;
}

size_t untried_most(const struct map *names, struct untried_name *out, size_t n)
{
	size_t used = 0;

	for (size_t i = 0; i < names->n; i++) {
		const struct map_entry *e = &names->entry[i];
		size_t at = used;

		if (!*(const uint64_t *)e->value)
			continue;
		while (at && is_before(e, &out[at - 1]))
			at--;
		if (at == n)
			continue;
		used += used < n;
		memmove(&out[at + 1], &out[at], (used - at - 1) * sizeof *out);
		out[at] = (struct untried_name){ e->key, *(const uint64_t *)e->value };
	}
	return used;
}
