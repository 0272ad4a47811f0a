/* match_map: pairs the lines that the line map keeps. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "match/match_line_chance.h"
#include "match/match_parts.h"

/* ---- places --------------------------------------------------------------- */

/* A line has one region for each module; an unknown module equals any. */
static char *place_key(const char *path, unsigned long line, const char *module)
{
	return xasprintf("%lu\t%s\t%s", line, module ? module : "", path);
}

static bool has_place(const struct match_side *s)
{
	return s->line && s->path && s->p->line;
}

static struct map by_place(const struct match_sides *s)
{
	struct map places = MAP_INIT;

	for (size_t i = 0; i < s->n; i++) {
		struct match_side *side = s->member[i];
		char *key;

		if (!has_place(side))
			continue;
		key = place_key(side->path, side->p->line, side->module);
		if (!*map_at(&places, key))
			*map_at(&places, key) = side;
		free(key);
	}
	return places;
}

/* NULL: the other side has no place there. */
static struct match_side *at_place(const struct map *places, const struct linemap_answer *a, const char *module)
{
	char *key = place_key(a->file, a->line, module);
	struct match_side *side = map_get(places, key);

	free(key);
	return side;
}

/* ---- questions to the map ---------------------------------------------------- */

/* Is base's line in head, unchanged?  Where, then. */
static bool is_kept(const struct linemap *map, const struct match_side *b, struct linemap_answer *in_head)
{
	if (!has_place(b))
		return false;
	*in_head = linemap_forward(map, b->path, b->p->line);
	return in_head->fate == LINEMAP_SAME;
}

/* Was head's line in base, unchanged? */
static bool was_kept(const struct linemap *map, const struct match_side *h, struct linemap_answer *in_base)
{
	if (!has_place(h))
		return false;
	*in_base = linemap_backward(map, h->path, h->p->line);
	return in_base->fate == LINEMAP_SAME;
}

/* Files of the base in which lines differ that are equal by the map: then the map is for other trees. */
static struct map find_false(const struct match_sides *base, const struct map *there, const struct linemap *map)
{
	struct map files = MAP_INIT;

	for (size_t i = 0; i < base->n; i++) {
		const struct match_side *b = base->member[i], *h;
		struct linemap_answer a;

		h = b->has_text && is_kept(map, b, &a) ? at_place(there, &a, b->module) : NULL;
		if (h && h->has_text && h->text != b->text)
			*map_at(&files, b->path) = &files;
	}
	return files;
}

/*
 * Diffs are made as short as possible, not as correct as possible: when a function is
 * moved, copied or rewritten, lines that many functions share, such as braces, are kept
 * across functions.
 */
static bool is_across(const struct match_sides *base, const struct match_sides *head, const struct match_side *b,
		      const struct match_side *h)
{
	const struct match_group *bg = &base->group[b->group], *hg = &head->group[h->group];

	return b->function && h->function && strcmp(b->function, h->function) != 0 && (bg->pair || hg->pair) && bg->pair != hg;
}

/* ---- pairs ---------------------------------------------------------------- */

void match_map_lines(struct match_sides *base, struct match_sides *head, const struct linemap *map, struct match_out *out)
{
	struct map there = by_place(head), here = by_place(base), lies = find_false(base, &there, map);
	struct linemap_answer a;

	for (size_t i = 0; i < base->n; i++) {
		struct match_side *b = base->member[i], *h;

		if (!is_kept(map, b, &a) || map_get(&lies, b->path))
			continue;
		h = at_place(&there, &a, b->module);
		if (h && is_across(base, head, b, h))
			continue;
		if (h && !h->settled)
			match_add(out, b, h, match_same_place(b, h) ? MATCH_SAME : MATCH_MOVED, match_chance_kept(b, h, false), false);
		b->settled = true;
	}
	/* A line of head that was an unmeasured line of base must not be paired with another line. */
	for (size_t i = 0; i < head->n; i++) {
		struct match_side *h = head->member[i], *b;

		if (h->settled || !was_kept(map, h, &a) || map_get(&lies, a.file))
			continue;
		b = at_place(&here, &a, h->module);
		h->settled = !b || !is_across(base, head, b, h);
	}
	map_release(&there);
	map_release(&here);
	map_release(&lies);
}

void match_map_across(struct match_sides *base, struct match_sides *head, const struct linemap *map, struct match_out *out)
{
	struct map there = by_place(head);

	for (size_t i = 0; i < base->n; i++) {
		struct match_side *b = base->member[i], *h;
		struct linemap_answer a;

		h = !b->settled && is_kept(map, b, &a) ? at_place(&there, &a, b->module) : NULL;
		if (h && !h->settled && is_across(base, head, b, h))
			match_add(out, b, h, MATCH_MOVED, match_chance_kept(b, h, true), false);
	}
	map_release(&there);
}
