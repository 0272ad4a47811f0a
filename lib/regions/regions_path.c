/*
 * regions_path: regions by name; call paths as regions, -r 'a;b;c'.
 *
 * A sample is in such a region when its stack has, from the innermost frame outwards,
 * c, then b, then a, with any other frames before, between and after them.  So the time
 * of c is divided by its direct or indirect callers.  call_path.c tells whether a stack
 * has them; here, elements are looked up by name.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "regions/call_path.h"

/* Looks an element up in modules that have not been searched.  Returns whether there is something new. */
static bool find_element(struct regions *r, struct path_element *e)
{
	struct region **found;
	size_t n = regions_called(r, e->name, &e->known, &found), before = e->n;

	for (size_t i = 0; i < n; i++) {
		if (call_path_has(e, found[i]))
			continue;
		e->v = xgrow(e->v, e->n, &e->cap, sizeof(struct region *));
		e->v[e->n++] = found[i];
		if (!found[i]->has_calls) {
			regions_find_calls(r, found[i]);
			found[i]->only_part = found[i]->has_calls;
		}
	}
	free(found);
	return e->n > before;
}

char *regions_missing(struct regions *r, const char *name)
{
	const struct region *g = regions_is_path(name) ? regions_path(r, name) : NULL;

	for (size_t i = 0; g && g->path && i < g->path->n; i++)
		if (g->path->element[i].n == 0)
			return xstrdup(g->path->element[i].name);
	return xstrdup(name);
}

/* For the log: the code of the last element. */
static void describe_path(struct region *g, const struct region *last)
{
	g->module = last->module;
	if (last->scope == REGION_LINE && !g->file) {
		g->file = xstrdup(last->file);
		g->line = last->line;
	}
	regions_widen(g, last->ranges, last->nranges);
}

static enum naming name_path(struct regions *r, const char *name, enum naming known)
{
	struct region *g = regions_path(r, name);
	bool complete = true, news = false, tails;

	if (!g->path) {
		g->path = call_path_new(name);
		r->npaths++;
	}
	for (size_t i = 0; i < g->path->n; i++) {
		news |= find_element(r, &g->path->element[i]);
		complete &= g->path->element[i].n > 0;
	}
	if (!complete || !news)
		return complete ? NAMED_FULL : known;
	tails = call_path_calls(g->path) <= ARENA_LINKS;
	call_path_link(r, g->path, tails);
	if (tails && g->path->nlinks > ARENA_LINKS)
		call_path_link(r, g->path, tails = false);
	if (!tails)
		msg_warn("'%s' has functions that are called from very many places: where one of them left by a jump, as optimised code does, it is "
			 "not seen",
			 name);
	if (g->path->nlinks > ARENA_LINKS) {
		msg_warn("'%s' has code in %zu places, of which %d are looked at: name functions that are not inlined so often", name,
			 g->path->nlinks, ARENA_LINKS);
		g->path->nlinks = ARENA_LINKS;
	}
	describe_path(g, g->path->element[g->path->n - 1].v[0]);
	regions_ask(r, g);
	return NAMED_FULL;
}

enum naming regions_name(struct regions *r, const char *name, enum naming known)
{
	return regions_is_path(name) ? name_path(r, name, known) : regions_name_code(r, name, known);
}
