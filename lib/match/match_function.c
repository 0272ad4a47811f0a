/* match_function: pairs functions by the line map, by name, and by their text. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/text.h"
#include "match/identity.h"
#include "match/match_assign.h"
#include "match/match_function_chance.h"
#include "match/match_parts.h"

/* Factor for the confidence of a name without its parameters. */
#define WITHOUT_PARAMETERS 0.9

struct candidate {
	struct match_group *b, *h;
	double confidence; /* 0..1: without regard to rivals */
	double contested;  /* the confidence, reduced by rivals */
	bool renamed;
};

struct pairing {
	struct match_sides *base, *head;
	const struct linemap *map;   /* NULL none */
	struct candidate *candidate; /* candidate[0..n), owned */
	size_t n, cap;
};

static bool may_pair(const struct match_group *b, const struct match_group *h)
{
	return b->line == h->line && (b->line || text_same(b->any->p->scope, h->any->p->scope)) &&
	       match_same_module(b->any, h->any);
}

static void add_pairing(struct pairing *p, struct match_group *b, struct match_group *h, double confidence, bool renamed)
{
	if (confidence <= 0 || !may_pair(b, h))
		return;
	p->candidate = xgrow(p->candidate, p->n, &p->cap, sizeof *p->candidate);
	p->candidate[p->n++] = (struct candidate){ b, h, confidence, 0, renamed };
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

/* The greatest confidence of the alternatives to candidate[at], from candidate[from] on. */
static double rival_of(const struct pairing *p, size_t at, size_t from)
{
	const struct candidate *own = &p->candidate[at];

	for (size_t k = from; k < p->n; k++) {
		const struct candidate *other = &p->candidate[k];

		if (k != at && ((other->b == own->b && !other->h->pair) || (other->h == own->h && !other->b->pair)))
			return other->confidence;
	}
	return 0;
}

/* A certain pair has no rivals. */
static double contested(double confidence, double rival)
{
	return rival > 0 && confidence < MATCH_FUNCTION_CERTAIN ? match_contested(confidence, rival) : confidence;
}

static void take_pairing(struct match_group *b, struct match_group *h, double confidence, bool renamed)
{
	b->pair = h;
	h->pair = b;
	b->confidence = h->confidence = confidence;
	b->renamed = h->renamed = renamed;
}

/* The best first.  Among equal candidates, each is an alternative to the other. */
static void assign(struct pairing *p)
{
	struct candidate *c = p->candidate;

	if (p->n > 0)
		qsort(c, p->n, sizeof *c, by_confidence);
	for (size_t i = 0, weighed = 0; i < p->n; i++) {
		for (size_t from = i; weighed < p->n && !(c[weighed].confidence < c[i].confidence); weighed++)
			c[weighed].contested = contested(c[i].confidence, rival_of(p, weighed, from));
		if (!c[i].b->pair && !c[i].h->pair)
			take_pairing(c[i].b, c[i].h, c[i].contested, c[i].renamed);
	}
	p->n = 0;
}

/* ---- by name -------------------------------------------------------------- */

/* The functions of a side with one name, and without a partner so far. */
struct named {
	struct match_group **v; /* v[0..n), owned */
	size_t n, cap;
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

/* The number of them in the file of this one. */
static size_t on_path(const struct named *named, const char *path)
{
	size_t n = 0;

	for (size_t i = 0; i < named->n; i++)
		n += text_same(named->v[i]->any->path, path);
	return n;
}

/* Has the side a file of this path? */
static bool has_file(const struct match_sides *s, const char *path)
{
	for (size_t i = 0; path && i < s->ngroups; i++)
		if (text_same(s->group[i].any->path, path))
			return true;
	return false;
}

static bool files_stay(const struct pairing *p, const struct match_group *b, const struct match_group *h)
{
	const char *before = p->map && h->any->path ? linemap_backward(p->map, h->any->path, 1).file : h->any->path;

	return has_file(p->head, match_path_in_head(b, p->map)) || has_file(p->base, before);
}

/* Two groups of functions with one name: are they the only ones of that name, and do their files stay? */
static struct match_namesakes namesakes(const struct pairing *p, const struct named *bs, const struct match_group *b,
					const struct named *hs, const struct match_group *h)
{
	const char *path = match_path_in_head(b, p->map);

	if (text_same(path, h->any->path))
		return (struct match_namesakes){ .alone = on_path(bs, b->any->path) == 1 && on_path(hs, path) == 1 };
	if (bs->n > 1 || hs->n > 1)
		return (struct match_namesakes){ .alone = false };
	return (struct match_namesakes){ .alone = true, .files_stay = files_stay(p, b, h) };
}

/* Without `parameters`, names are weaker evidence. */
static void pair_by_name(struct pairing *p, bool parameters)
{
	struct map base_names = by_names(p->base, parameters), head_names = by_names(p->head, parameters);

	for (size_t i = 0; i < base_names.n; i++) {
		const struct named *b = base_names.entry[i].value, *h = map_get(&head_names, base_names.entry[i].key);

		for (size_t k = 0; h && k < b->n; k++)
			for (size_t m = 0; m < h->n; m++) {
				struct match_namesakes known = namesakes(p, b, b->v[k], h, h->v[m]);
				double confidence = match_function_by_name(b->v[k], h->v[m], p->map, known);

				add_pairing(p, b->v[k], h->v[m], parameters ? confidence : WITHOUT_PARAMETERS * confidence, false);
			}
	}
	release_names(&base_names);
	release_names(&head_names);
	assign(p);
}

/* ---- by other evidence ------------------------------------------------ */

/* Places that are in no function, file by file. */
static double by_file(const struct match_group *b, const struct match_group *h, const struct linemap *map)
{
	bool same = !b->any->function && !h->any->function && text_same(match_path_in_head(b, map), h->any->path);

	return same ? MATCH_FUNCTION_CERTAIN : 0;
}

static double by_name_and_first_line(const struct match_group *b, const struct match_group *h, const struct linemap *map)
{
	return text_same(b->any->function, h->any->function) ? match_function_by_first_line(b, h, map) : 0;
}

static double by_first_line(const struct match_group *b, const struct match_group *h, const struct linemap *map)
{
	return b->any->function && h->any->function ? match_function_by_first_line(b, h, map) : 0;
}

static double by_body(const struct match_group *b, const struct match_group *h, const struct linemap *map)
{
	return b->any->function && h->any->function ? match_function_by_body(b, h, map) : 0;
}

/* `by` returns the confidence that two are one, 0..1. */
static void pair_rest(struct pairing *p,
		      double (*by)(const struct match_group *b, const struct match_group *h, const struct linemap *map), bool renamed)
{
	for (size_t i = 0; i < p->base->ngroups; i++) {
		struct match_group *b = &p->base->group[i];

		for (size_t k = 0; !b->pair && k < p->head->ngroups; k++) {
			struct match_group *h = &p->head->group[k];

			if (!h->pair)
				add_pairing(p, b, h, by(b, h, p->map), renamed);
		}
	}
	assign(p);
}

void match_pair_groups(struct match_sides *base, struct match_sides *head, const struct linemap *map)
{
	struct pairing p = { .base = base, .head = head, .map = map };

	pair_rest(&p, by_file, false);
	if (map)
		pair_rest(&p, by_name_and_first_line, false);
	pair_by_name(&p, true);
	if (map)
		pair_rest(&p, by_first_line, true);
	pair_by_name(&p, false);
	pair_rest(&p, by_body, true);
	free(p.candidate);
}
