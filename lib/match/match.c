#include "match/match.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "match/match_parts.h"
#include "match/roots.h"

/* Regions that are whole functions, classes, or of other kinds. */
static void add_functions(struct match_sides *base, struct match_out *out)
{
	for (size_t i = 0; i < base->ngroups; i++) {
		struct match_group *b = &base->group[i], *h = b->pair;

		if (b->line || !h)
			continue;
		for (size_t k = 0; k < b->n && k < h->n; k++) {
			enum match_kind kind = b->renamed ? MATCH_RENAMED :
					       text_same(b->any->path, h->any->path) ? MATCH_FUNCTION : MATCH_NAME;

			match_add(out, b->member[k], h->member[k], kind, b->confidence, false);
		}
	}
}

static struct map files_of(const struct match_place *p, size_t n)
{
	struct map files = MAP_INIT;

	for (size_t i = 0; i < n; i++)
		if (p[i].file)
			map_at(&files, p[i].file);
	return files;
}

static struct roots roots_of(const struct match_place *base, size_t nbase, const struct match_place *head,
				      size_t nhead, const struct linemap *map)
{
	struct map base_files = files_of(base, nbase), head_files = files_of(head, nhead);
	struct roots roots = roots_find(&base_files, &head_files, map ? &map->old_at : NULL,
							  map ? &map->new_at : NULL);

	map_release(&base_files);
	map_release(&head_files);
	return roots;
}

static int by_base(const void *pa, const void *pb)
{
	const struct match *a = pa, *b = pb;

	return a->base < b->base ? -1 : a->base > b->base;
}

size_t match_places(const struct match_place *base, size_t nbase, const struct match_place *head, size_t nhead,
		    const struct linemap *map, struct match **out)
{
	struct roots roots = roots_of(base, nbase, head, nhead, map);
	struct match_out pairs = { xcalloc((nbase < nhead ? nbase : nhead) + 1, sizeof *pairs.v), 0 };
	struct match_sides b, h;

	match_sides_init(&b, base, nbase, roots.base);
	match_sides_init(&h, head, nhead, roots.head);
	match_pair_groups(&b, &h, map);
	add_functions(&b, &pairs);
	match_lines(&b, &h, map, &pairs);
	if (pairs.n > 0)
		qsort(pairs.v, pairs.n, sizeof *pairs.v, by_base);
	match_sides_release(&b);
	match_sides_release(&h);
	roots_release(&roots);
	*out = pairs.v;
	return pairs.n;
}

const char *match_kind_name(enum match_kind kind)
{
	static const char *const NAME[MATCH_KINDS] = {
		[MATCH_SAME] = "same",       [MATCH_MOVED] = "moved",       [MATCH_TEXT] = "text",
		[MATCH_EDITED] = "edited",   [MATCH_CONTEXT] = "context",   [MATCH_OFFSET] = "offset",
		[MATCH_RENAMED] = "renamed", [MATCH_FUNCTION] = "function", [MATCH_NAME] = "name",
	};

	return NAME[kind];
}
