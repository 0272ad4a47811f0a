/*
 * context_regions: maps regions of a context to those of the profile.  The same code in
 * several contexts is one region.
 */
#include "format/region_class.h"
#include "profile/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/text.h"

struct keyed {
	char *key;
	struct context_region *region;
};

/* Modules are compared by file name only, because shards of a CI matrix build in different directories. */
static char *region_key(const struct profile_region *r)
{
	const char *module = r->module ? path_name(r->module) : "";
	const char *name = r->symbol ? r->symbol : r->function ? r->function : "";
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s\t%s\t%s\t", r->scope ? r->scope : "", module, r->file ? r->file : "");
	if (region_is_line(r->scope) && r->file)
		buf_addf(&b, "%llu", (unsigned long long)r->line);
	else
		buf_adds(&b, *name ? name : r->ranges ? r->ranges : "");
	return buf_detach(&b);
}

static int compare_keyed(const void *va, const void *vb)
{
	const struct keyed *a = va, *b = vb;
	int by = strcmp(a->key, b->key);

	return by ? by : text_order(a->region->region.ranges, b->region->region.ranges);
}

/* Of two spellings, keeps the first in the alphabet, so that the order of files does not matter. */
static void merge_text(char **into, char **from)
{
	if (*from && (!*into || strcmp(*from, *into) < 0)) {
		char *old = *into;

		*into = *from;
		*from = old;
	}
}

static void merge_region(struct profile_region *into, struct profile_region *from)
{
	merge_text(&into->function, &from->function);
	merge_text(&into->symbol, &from->symbol);
	merge_text(&into->also, &from->also);
	merge_text(&into->ranges, &from->ranges);
	merge_text(&into->module, &from->module);
	merge_text(&into->line_hash, &from->line_hash);
	merge_text(&into->context_hash, &from->context_hash);
	merge_text(&into->function_hash, &from->function_hash);
	if (!into->line || (from->line && from->line < into->line))
		into->line = from->line;
	if (!into->function_line || (from->function_line && from->function_line < into->function_line))
		into->function_line = from->function_line;
}

/* The place of the region in the profile, which takes its strings.  `key` is the same for the same code. */
static size_t place_region(struct profile *p, const char *key, struct profile_region *r)
{
	void **place = map_at(&p->region_at, key);

	if (*place) {
		merge_region(&p->region[(uintptr_t)*place - 1], r);
		profile_release_region(r);
	} else {
		p->region = xgrow(p->region, p->nregions, &p->cap_regions, sizeof *p->region);
		p->region[p->nregions++] = *r;
		*place = (void *)(uintptr_t)p->nregions;
	}
	*r = (struct profile_region){ 0 };
	return (uintptr_t)*place - 1;
}

/*
 * A context never names one region twice.  So two regions of one name are different ones,
 * and are distinguished by their order.
 */
void context_add_regions(struct context *c)
{
	struct keyed *keyed = xcalloc(c->nregions + 1, sizeof *keyed);
	size_t n = 0, same = 0;

	for (size_t i = 0; i < c->nregions; i++) {
		if (c->region[i].defined)
			keyed[n++] = (struct keyed){ region_key(&c->region[i].region), &c->region[i] };
		else
			profile_release_region(&c->region[i].region);
		c->region[i].place = PROFILE_NONE;
	}
	qsort(keyed, n, sizeof *keyed, compare_keyed);
	for (size_t i = 0; i < n; i++) {
		char *key;

		same = i && !strcmp(keyed[i].key, keyed[i - 1].key) ? same + 1 : 0;
		key = xasprintf("%s\t%zu", keyed[i].key, same);
		keyed[i].region->place = place_region(c->p, key, &keyed[i].region->region);
		free(key);
	}
	for (size_t i = 0; i < n; i++)
		free(keyed[i].key);
	free(keyed);
}
