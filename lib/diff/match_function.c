/* Pairs functions: by the line map, by name, and by their text. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "diff/identity.h"
#include "diff/match_parts.h"

/* With fewer lines, many functions are alike. */
#define LINES_MIN 4
/* Functions of different names with the same text are not rare up to here. */
#define TWINS_MAX 8
/* Sketches that share less say nothing. */
#define SHARED_MIN 0.4
/* One name in one file. */
#define CERTAIN 0.99

struct candidate {
	struct match_group *b, *h;
	double confidence;
	double sure; /* less what rivals take from it */
	bool renamed;
};

struct candidates {
	struct candidate *v;
	size_t n, cap;
};

/* The part of their lines that the two share, 0..1; -1 unknown. */
static double shared(const struct match_group *b, const struct match_group *h)
{
	size_t same = 0;

	if (!b->has_body || !h->has_body)
		return -1;
	if (b->body == h->body)
		return 1;
	for (size_t i = 0; i < SKETCH; i++)
		same += b->sketch[i] == h->sketch[i];
	return (double)same / SKETCH;
}

static const char *path_in_head(const struct match_group *b, const struct linemap *map)
{
	return map && b->any->path ? linemap_forward(map, b->any->path, 1).file : b->any->path;
}

/* Does the map lead from the one's first line to the other's? */
static bool by_map(const struct match_group *b, const struct match_group *h, const struct linemap *map)
{
	struct linemap_answer a;

	if (!map || !b->any->path || !h->any->path || !b->any->p->function_line || !h->any->p->function_line)
		return false;
	a = linemap_forward(map, b->any->path, b->any->p->function_line);
	return (a.fate == LINEMAP_SAME || (a.fate == LINEMAP_EDITED && a.similarity >= 0.6)) &&
	       match_same_text(a.file, h->any->path) && a.line == h->any->p->function_line;
}

static bool has_file(const struct match_sides *s, const char *path)
{
	for (size_t i = 0; path && i < s->ngroups; i++)
		if (match_same_text(s->group[i].any->path, path))
			return true;
	return false;
}

/* Is the file of either still there on the other side? */
static bool files_stay(const struct match_sides *base, const struct match_group *b, const struct match_sides *head,
		       const struct match_group *h, const struct linemap *map)
{
	const char *before = map && h->any->path ? linemap_backward(map, h->any->path, 1).file : h->any->path;

	return has_file(head, path_in_head(b, map)) || has_file(base, before);
}

/* Of two that have one name: `alone` when no others have; `stay`: files_stay. */
static double by_name(const struct match_group *b, const struct match_group *h, bool alone, bool stay, const struct linemap *map)
{
	bool path = match_same_text(path_in_head(b, map), h->any->path) || (!b->any->path && !h->any->path);
	double s = shared(b, h);

	if (alone && path)
		return CERTAIN;
	/* in another file it may be another one, of which the profile happens to have only one on each side */
	if (alone && stay)
		return s < 0 ? 0.5 : 0.4 + 0.3 * s;
	if (alone)
		return s < 0 ? 0.6 : 0.5 + 0.45 * s;
	/* lambdas, and functions that a condition chooses from: which is which is told by their text */
	if (s < 0)
		return b->any->p->function_line == h->any->p->function_line ? 0.6 : 0.4;
	return (path ? 0.4 : 0.3) + 0.58 * s;
}

static double by_body(const struct match_group *b, const struct match_group *h, const struct linemap *map)
{
	double s = shared(b, h);
	bool path = match_same_text(path_in_head(b, map), h->any->path);

	if (s < SHARED_MIN || b->lines < LINES_MIN || h->lines < LINES_MIN)
		return 0;
	/* the same to the letter; short ones have twins */
	if (s >= 1)
		return b->lines < TWINS_MAX ? 0.72 : path ? 0.96 : 0.8;
	return path ? 0.45 + 0.45 * s : 0.3 + 0.45 * s;
}

/* A first line that the map keeps, or nearly; where the name is another one, the text has a say. */
static double by_first_line(const struct match_group *b, const struct match_group *h, const struct linemap *map, bool named)
{
	double s = shared(b, h);

	if (!by_map(b, h, map))
		return 0;
	return named ? CERTAIN : s < 0 ? 0.9 : 0.6 + 0.38 * s;
}

static bool may_pair(const struct match_group *b, const struct match_group *h)
{
	return b->line == h->line && (b->line || match_same_text(b->any->p->scope, h->any->p->scope)) &&
	       match_same_module(b->any, h->any);
}

static void add(struct candidates *c, struct match_group *b, struct match_group *h, double confidence, bool renamed)
{
	if (confidence <= 0 || !may_pair(b, h))
		return;
	c->v = xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n++] = (struct candidate){ b, h, confidence, 0, renamed };
}

static int by_confidence(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;
	int d;

	if (a->confidence > b->confidence || a->confidence < b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	d = match_order_groups(a->b, b->b);
	return d ? d : match_order_groups(a->h, b->h);
}

/* The greatest confidence of what could be chosen instead of v[at]; what is before v[from] cannot. */
static double rival_of(const struct candidates *c, size_t at, size_t from)
{
	const struct candidate *own = &c->v[at];

	for (size_t k = from; k < c->n; k++)
		if (k != at && ((c->v[k].b == own->b && !c->v[k].h->pair) || (c->v[k].h == own->h && !c->v[k].b->pair)))
			return c->v[k].confidence;
	return 0;
}

static double contested(double confidence, double rival)
{
	double odds = confidence / (1 - confidence), other = rival / (1 - rival);

	return rival > 0 && confidence < CERTAIN ? odds / (1 + odds + other) : confidence;
}

/* The best first.  Of equals none is before another, when it is asked what could have been chosen instead. */
static void assign(struct candidates *c)
{
	if (c->n > 0)
		qsort(c->v, c->n, sizeof *c->v, by_confidence);
	for (size_t i = 0, weighed = 0; i < c->n; i++) {
		struct candidate *best = &c->v[i];

		for (size_t from = i; weighed < c->n && !(c->v[weighed].confidence < best->confidence); weighed++)
			c->v[weighed].sure = c->v[weighed].b->pair || c->v[weighed].h->pair ? 0 :
					     contested(best->confidence, rival_of(c, weighed, from));
		if (best->b->pair || best->h->pair)
			continue;
		best->b->pair = best->h;
		best->h->pair = best->b;
		best->b->confidence = best->h->confidence = best->sure;
		best->b->renamed = best->h->renamed = best->renamed;
	}
	free(c->v);
	*c = (struct candidates){ 0 };
}

/* ---- names ---------------------------------------------------------------- */

struct named {
	size_t n, cap;
	struct match_group **v;
};

static char *name_key(const struct match_group *g, bool parameters)
{
	size_t len = parameters ? strlen(g->any->function) : identity_name(g->any->function);

	return xasprintf("%s %.*s", g->any->p->scope ? g->any->p->scope : "", (int)len, g->any->function);
}

static struct map by_names(struct match_sides *s, bool parameters)
{
	struct map names = MAP_INIT;

	for (size_t i = 0; i < s->ngroups; i++) {
		struct match_group *g = &s->group[i];
		struct named **named;
		char *key;

		if (!g->any->function || g->pair)
			continue;
		key = name_key(g, parameters);
		named = (struct named **)map_at(&names, key);
		free(key);
		if (!*named)
			*named = xcalloc(1, sizeof **named);
		(*named)->v = xgrow((*named)->v, (*named)->n, &(*named)->cap, sizeof *(*named)->v);
		(*named)->v[(*named)->n++] = g;
	}
	return names;
}

static void release_names(struct map *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(((struct named *)names->entry[i].value)->v);
		free(names->entry[i].value);
	}
	map_release(names);
}

/* How many of them have this one's path. */
static size_t on_path(const struct named *named, const char *path)
{
	size_t n = 0;

	for (size_t i = 0; i < named->n; i++)
		n += match_same_text(named->v[i]->any->path, path);
	return n;
}

static void pair_by_name(struct match_sides *base, struct match_sides *head, const struct linemap *map, bool parameters)
{
	struct map names = by_names(base, parameters), others = by_names(head, parameters);
	struct candidates c = { 0 };

	for (size_t i = 0; i < names.n; i++) {
		const struct named *b = names.entry[i].value, *h = map_get(&others, names.entry[i].key);

		for (size_t k = 0; h && k < b->n; k++) {
			const char *path = path_in_head(b->v[k], map);

			for (size_t m = 0; m < h->n; m++) {
				bool same = match_same_text(path, h->v[m]->any->path);
				bool alone = same ? on_path(b, b->v[k]->any->path) == 1 && on_path(h, path) == 1 :
						    b->n == 1 && h->n == 1;
				bool stay = !same && alone && files_stay(base, b->v[k], head, h->v[m], map);
				double confidence = by_name(b->v[k], h->v[m], alone, stay, map);

				add(&c, b->v[k], h->v[m], parameters ? confidence : 0.9 * confidence, false);
			}
		}
	}
	release_names(&names);
	release_names(&others);
	assign(&c);
}

/* ---- the rest ------------------------------------------------------------- */

static void pair_rest(struct match_sides *base, struct match_sides *head, const struct linemap *map, bool named, bool bodies)
{
	struct candidates c = { 0 };

	for (size_t i = 0; i < base->ngroups; i++) {
		struct match_group *b = &base->group[i];

		for (size_t k = 0; !b->pair && b->any->function && k < head->ngroups; k++) {
			struct match_group *h = &head->group[k];

			if (h->pair || !h->any->function)
				continue;
			if (bodies)
				add(&c, b, h, by_body(b, h, map), true);
			else if (!named || match_same_text(b->any->function, h->any->function))
				add(&c, b, h, by_first_line(b, h, map, named), !named);
		}
	}
	assign(&c);
}

/* Places that are in no function, file by file. */
static void pair_files(struct match_sides *base, struct match_sides *head, const struct linemap *map)
{
	struct candidates c = { 0 };

	for (size_t i = 0; i < base->ngroups; i++) {
		struct match_group *b = &base->group[i];

		for (size_t k = 0; !b->any->function && k < head->ngroups; k++)
			if (!head->group[k].any->function && match_same_text(path_in_head(b, map), head->group[k].any->path))
				add(&c, b, &head->group[k], CERTAIN, false);
	}
	assign(&c);
}

void match_pair_groups(struct match_sides *base, struct match_sides *head, const struct linemap *map)
{
	pair_files(base, head, map);
	if (map)
		pair_rest(base, head, map, true, false);
	pair_by_name(base, head, map, true);
	if (map)
		pair_rest(base, head, map, false, false);
	pair_by_name(base, head, map, false);
	pair_rest(base, head, map, false, true);
}
