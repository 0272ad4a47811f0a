/* Pairs lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "diff/match_parts.h"

/* How sure a pair must be for others to be measured by its position. */
#define ANCHOR 0.9

struct candidate {
	struct match_side *b, *h;
	enum match_kind kind;
	double confidence;
	double sure;   /* less what rivals take from it */
	bool edited;
	size_t next_b, next_h; /* 1 + the next of the same side; 0 none */
};

struct anchor {
	unsigned long b, h;
};

struct lines {
	const struct linemap *map;
	struct match_out *out;
	struct candidate *v;
	size_t n, cap;
	size_t *first_b, *first_h; /* 1 + the first candidate of each place; 0 none */
	struct anchor *anchor; /* of the functions at hand, by both lines */
	size_t nanchors, cap_anchors;
};

/* ---- what is known of two lines ------------------------------------------- */

/* Chances that two lines are one, in functions that changed, by what is alike; measured by t/bench/matching. */

/*
 * Of equal text: [unique in the function on both sides; as many there, and the same one of them; else][neighbours]
 * [1 + distances; 0: in another order]
 */
static const double EQUAL[3][3][4] = {
	{ { 0.93, 0.94, 0.95, 0.98 }, { 0.98, 0.99, 0.985, 0.99 }, { 0.99, 0.995, 0.995, 0.995 } },
	{ { 0.12, 0.15, 0.70, 0.95 }, { 0.60, 0.94, 0.96, 0.985 }, { 0.80, 0.98, 0.99, 0.995 } },
	{ { 0, 0.18, 0.50, 0.60 }, { 0.02, 0.43, 0.60, 0.93 }, { 0.10, 0.60, 0.70, 0.97 } },
};
/* Of a line that the map keeps: [as for EQUAL][neighbours]; without texts */
static const double KEPT[3][3] = { { 0.97, 0.995, 0.995 }, { 0.90, 0.99, 0.995 }, { 0.50, 0.70, 0.99 } };
#define KEPT_ACROSS 0.7
#define KEPT_BLINDLY 0.99
/* Of other text: [neighbours][distances] */
static const double OTHER[3][3] = { { 0, 0, 0.20 }, { 0.10, 0.40, 0.70 }, { 0.60, 0.82, 0.96 } };
/* Of unknown text: [distances] */
static const double UNKNOWN[3] = { 0, 0.60, 0.80 };
/*
 * Of equal text in other functions: [lines around that are alike].  A profile has few lines, and what it has of two
 * copies of some code may be the one on one side and the other on the other; unless the map says that both changed.
 */
static const double ELSEWHERE[AROUND + 1] = { 0, 0, 0.25, 0.40, 0.55, 0.65, 0.70 };
static const double ELSEWHERE_BY_MAP[AROUND + 1] = { 0, 0.20, 0.50, 0.80, 0.90, 0.92, 0.94 };

/* Of the lines directly before and after: how many are alike. */
static int neighbours(const struct match_side *b, const struct match_side *h)
{
	int n = 0;

	for (size_t i = AROUND / 2 - 1; i <= AROUND / 2; i++)
		n += b->around[i] == h->around[i];
	return n;
}

static int around(const struct match_side *b, const struct match_side *h)
{
	int n = 0;

	for (size_t i = 0; i < AROUND; i++)
		n += b->around[i] == h->around[i] && b->around[i];
	return n;
}

/*
 * How many of the nearest known pairs, one before and one after, are at the same
 * distance from both lines; -1 when the lines stand on different sides of one.
 */
static int distances(const struct lines *l, const struct match_side *b, const struct match_side *h)
{
	size_t lo = 0, hi = l->nanchors;
	unsigned long x = b->p->line, y = h->p->line;
	int n = 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->anchor[mid].b <= x)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo > 0) {
		/* of two lines, both are at a known pair, or both behind it */
		if (l->anchor[lo - 1].h > y || (l->anchor[lo - 1].h == y) != (l->anchor[lo - 1].b == x))
			return -1;
		n += y - l->anchor[lo - 1].h == x - l->anchor[lo - 1].b;
	}
	if (lo < l->nanchors) {
		if (l->anchor[lo].h <= y)
			return -1;
		n += l->anchor[lo].h - y == l->anchor[lo].b - x;
	}
	return n;
}

static bool same_place(const struct match_side *b, const struct match_side *h)
{
	return b->p->line == h->p->line && (match_same_text(b->path, h->path) || (!b->path && !h->path));
}

static int occurrence(const struct match_side *b, const struct match_side *h)
{
	return b->n == 1 && h->n == 1 ? 0 : b->n == h->n && b->k == h->k ? 1 : 2;
}

/* In the place of the line, and so alike; all but blanks: 1. */
static double edited_text(double similarity, bool renamed)
{
	return similarity >= 1 ? 0.99 : (renamed ? 0.5 : 1) * (0.55 + 0.4 * similarity);
}

/* The line map's word on two that it does not call the same. */
static double edited(const struct lines *l, const struct match_side *b, const struct match_side *h)
{
	struct linemap_answer a;

	if (!l->map || !b->path || !h->path)
		return 0;
	a = linemap_forward(l->map, b->path, b->p->line);
	return a.fate == LINEMAP_EDITED && a.line == h->p->line && match_same_text(a.file, h->path) ? a.similarity : 0;
}

/* ---- candidates ----------------------------------------------------------- */

static void add(struct lines *l, const struct candidate *c)
{
	if (c->confidence <= 0)
		return;
	l->v = xgrow(l->v, l->n, &l->cap, sizeof *l->v);
	l->v[l->n++] = *c;
}

static int by_confidence(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;
	long da, db;
	int d;

	if (a->confidence > b->confidence || a->confidence < b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	da = labs((long)a->b->p->line - (long)a->h->p->line);
	db = labs((long)b->b->p->line - (long)b->h->p->line);
	if (da != db)
		return da < db ? -1 : 1;
	d = match_order_sides(a->b, b->b);
	return d ? d : match_order_sides(a->h, b->h);
}

/* Links the candidates of each place, so that rivals are found. */
static void link_rivals(struct lines *l)
{
	for (size_t i = l->n; i-- > 0;) {
		l->v[i].next_b = l->first_b[l->v[i].b->index];
		l->v[i].next_h = l->first_h[l->v[i].h->index];
		l->first_b[l->v[i].b->index] = l->first_h[l->v[i].h->index] = i + 1;
	}
}

static double odds(double confidence)
{
	return confidence / (1 - fmin(confidence, 0.999));
}

/* Its confidence less what the best that could have been chosen instead takes from it. */
static double contested(const struct lines *l, const struct candidate *c)
{
	double rival = 0;

	for (size_t k = l->first_b[c->b->index]; k; k = l->v[k - 1].next_b)
		if (!l->v[k - 1].h->settled && l->v[k - 1].h != c->h)
			rival = fmax(rival, odds(l->v[k - 1].confidence));
	for (size_t k = l->first_h[c->h->index]; k; k = l->v[k - 1].next_h)
		if (!l->v[k - 1].b->settled && l->v[k - 1].b != c->b)
			rival = fmax(rival, odds(l->v[k - 1].confidence));
	return odds(c->confidence) / (1 + odds(c->confidence) + rival);
}

/* Takes the best of all candidates, one after the other; those that are not at least `least` sure wait for the next time. */
static void assign(struct lines *l, double least)
{
	size_t weighed = 0;

	if (l->n > 0)
		qsort(l->v, l->n, sizeof *l->v, by_confidence);
	link_rivals(l);
	for (size_t i = 0; i < l->n; i++) {
		struct candidate *c = &l->v[i];

		/* Of equals none is before another, when it is asked what could have been chosen. */
		for (; weighed < l->n && !(l->v[weighed].confidence < c->confidence); weighed++)
			l->v[weighed].sure = contested(l, &l->v[weighed]);
		if (c->b->settled || c->h->settled || c->sure < least)
			continue;
		match_add(l->out, c->b, c->h, c->kind, c->sure, c->edited);
		if (c->sure >= ANCHOR) {
			l->anchor = xgrow(l->anchor, l->nanchors, &l->cap_anchors, sizeof *l->anchor);
			l->anchor[l->nanchors++] = (struct anchor){ c->b->p->line, c->h->p->line };
		}
	}
	for (size_t i = 0; i < l->n; i++)
		l->first_b[l->v[i].b->index] = l->first_h[l->v[i].h->index] = 0;
	l->n = 0;
}

/* ---- inside paired functions ---------------------------------------------- */

static int by_lines(const void *pa, const void *pb)
{
	const struct anchor *a = pa, *b = pb;

	if (a->b != b->b)
		return a->b < b->b ? -1 : 1;
	return a->h < b->h ? -1 : a->h > b->h;
}

/* Sorts them, and leaves out those that are in another order than those before. */
static void settle_anchors(struct lines *l)
{
	size_t n = 0;

	if (l->nanchors > 0)
		qsort(l->anchor, l->nanchors, sizeof *l->anchor, by_lines);
	for (size_t i = 0; i < l->nanchors; i++)
		if (n == 0 || (l->anchor[i].b > l->anchor[n - 1].b && l->anchor[i].h > l->anchor[n - 1].h))
			l->anchor[n++] = l->anchor[i];
	l->nanchors = n;
}

static void begin_anchors(struct lines *l, const struct match_group *b, const struct match_group *h)
{
	unsigned long x = b->any->p->function_line, y = h->any->p->function_line;

	l->nanchors = 0;
	if (!x || !y)
		return;
	l->anchor = xgrow(l->anchor, 0, &l->cap_anchors, sizeof *l->anchor);
	l->anchor[l->nanchors++] = (struct anchor){ x, y };
}

/* One pair of lines of paired functions. */
static void judge(struct lines *l, const struct match_group *bg, struct match_side *b, struct match_side *h, bool last)
{
	const struct match_group *hg = bg->pair;
	struct candidate c = { .b = b, .h = h };
	bool texts = b->has_text && h->has_text, equal = texts && b->text == h->text;
	int near = distances(l, b, h);
	double similarity;

	if (equal)
		c.kind = bg->renamed ? MATCH_RENAMED : same_place(b, h) ? MATCH_SAME : MATCH_TEXT;
	if (equal && bg->has_body && hg->has_body && bg->body == hg->body) {
		c.confidence = b->k == h->k && b->n == h->n ? 0.999 : 0;
	} else if (equal) {
		c.confidence = EQUAL[occurrence(b, h)][neighbours(b, h)][near + 1];
	} else if ((similarity = edited(l, b, h)) > 0) {
		c.kind = MATCH_EDITED;
		c.edited = true;
		c.confidence = edited_text(similarity, bg->renamed);
	} else if (last && near >= 0 && !l->map && !bg->renamed) {
		c.kind = MATCH_OFFSET;
		if (texts) {
			c.edited = true;
			c.kind = neighbours(b, h) ? MATCH_CONTEXT : MATCH_OFFSET;
			c.confidence = OTHER[neighbours(b, h)][near];
		} else {
			/* With nothing else to measure from, it is the begin of the file. */
			c.confidence = UNKNOWN[l->nanchors == 0 && b->p->line == h->p->line ? 1 : near];
		}
	}
	c.confidence *= bg->confidence;
	add(l, &c);
}

static void judge_all(struct lines *l, const struct match_group *b, bool last)
{
	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; !b->member[i]->settled && k < b->pair->n; k++)
			if (!b->pair->member[k]->settled)
				judge(l, b, b->member[i], b->pair->member[k], last);
	}
}

static void inside(struct lines *l, struct match_group *b)
{
	begin_anchors(l, b, b->pair);
	judge_all(l, b, false);
	assign(l, ANCHOR);
	settle_anchors(l);
	judge_all(l, b, false);
	assign(l, MATCH_SURE);
	settle_anchors(l);
	judge_all(l, b, true);
	assign(l, 0);
}

/* ---- by the line map ------------------------------------------------------ */

/* One region of a line for each module; a module that is not known is like any. */
static char *place_key(const char *path, unsigned long line, const char *module)
{
	return xasprintf("%lu\t%s\t%s", line, module ? module : "", path);
}

static struct map by_place(const struct match_sides *s)
{
	struct map places = MAP_INIT;

	for (size_t i = 0; i < s->n; i++) {
		struct match_side *side = s->member[i];
		char *key;

		if (!side->line || !side->path || !side->p->line)
			continue;
		key = place_key(side->path, side->p->line, side->module);
		if (!*map_at(&places, key))
			*map_at(&places, key) = side;
		free(key);
	}
	return places;
}

static struct match_side *at_place(const struct map *places, const char *path, unsigned long line, const char *module)
{
	char *key = place_key(path, line, module);
	struct match_side *side = map_get(places, key);

	free(key);
	return side;
}

static bool is_mapped(const struct match_side *s)
{
	return s->line && s->path && s->p->line;
}

/* Files of the base of which the map says that lines are the same which are not: it is of other trees. */
static struct map find_false(const struct match_sides *base, const struct map *there, const struct linemap *map)
{
	struct map files = MAP_INIT;

	for (size_t i = 0; i < base->n; i++) {
		const struct match_side *b = base->member[i], *h;
		struct linemap_answer a;

		if (!is_mapped(b) || !b->has_text)
			continue;
		a = linemap_forward(map, b->path, b->p->line);
		h = a.fate == LINEMAP_SAME ? at_place(there, a.file, a.line, b->module) : NULL;
		if (h && h->has_text && h->text != b->text)
			*map_at(&files, b->path) = &files;
	}
	return files;
}

/*
 * Diffs are short before they are right: what functions have in common, braces
 * above all, is kept across them when one is moved, copied or written anew.
 */
static bool is_across(const struct match_sides *base, const struct match_sides *head, const struct match_side *b,
		      const struct match_side *h)
{
	const struct match_group *bg = &base->group[b->group], *hg = &head->group[h->group];

	return b->function && h->function && strcmp(b->function, h->function) != 0 && (bg->pair || hg->pair) && bg->pair != hg;
}

static double kept(const struct match_side *b, const struct match_side *h)
{
	return b->has_text && h->has_text ? KEPT[occurrence(b, h)][neighbours(b, h)] : KEPT_BLINDLY;
}

/* What the map keeps across functions, and nothing else explains. */
static void by_map_across(struct match_sides *base, struct match_sides *head, const struct linemap *map, struct match_out *out)
{
	struct map there = by_place(head);

	for (size_t i = 0; i < base->n; i++) {
		struct match_side *b = base->member[i], *h;
		struct linemap_answer a;

		if (!is_mapped(b) || b->settled)
			continue;
		a = linemap_forward(map, b->path, b->p->line);
		h = a.fate == LINEMAP_SAME ? at_place(&there, a.file, a.line, b->module) : NULL;
		if (h && !h->settled && is_across(base, head, b, h))
			match_add(out, b, h, MATCH_MOVED, KEPT_ACROSS, false);
	}
	map_release(&there);
}

static void by_map(struct match_sides *base, struct match_sides *head, const struct linemap *map, struct match_out *out)
{
	struct map there = by_place(head), here = by_place(base), lies = find_false(base, &there, map);

	for (size_t i = 0; i < base->n; i++) {
		struct match_side *b = base->member[i], *h;
		struct linemap_answer a;

		if (!is_mapped(b) || map_get(&lies, b->path))
			continue;
		a = linemap_forward(map, b->path, b->p->line);
		if (a.fate != LINEMAP_SAME)
			continue;
		h = at_place(&there, a.file, a.line, b->module);
		if (h && is_across(base, head, b, h))
			continue;
		if (h && !h->settled)
			match_add(out, b, h, same_place(b, h) ? MATCH_SAME : MATCH_MOVED, kept(b, h), false);
		b->settled = true;
	}
	/* What was the same line of the base, where it was not measured, is no other line's partner. */
	for (size_t i = 0; i < head->n; i++) {
		struct match_side *h = head->member[i], *b;
		struct linemap_answer a;

		if (!is_mapped(h) || h->settled)
			continue;
		a = linemap_backward(map, h->path, h->p->line);
		if (a.fate != LINEMAP_SAME || map_get(&lies, a.file))
			continue;
		b = at_place(&here, a.file, a.line, h->module);
		h->settled = !b || !is_across(base, head, b, h);
	}
	map_release(&there);
	map_release(&here);
	map_release(&lies);
}

/* ---- in other functions --------------------------------------------------- */

static int by_text(const void *pa, const void *pb)
{
	const struct match_side *a = *(struct match_side *const *)pa, *b = *(struct match_side *const *)pb;

	return a->text < b->text ? -1 : a->text > b->text;
}

static size_t left(struct match_sides *s, struct match_side **v)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->member[i]->line && s->member[i]->has_text && !s->member[i]->settled)
			v[n++] = s->member[i];
	if (n > 0)
		qsort(v, n, sizeof *v, by_text);
	return n;
}

/* Too many of one text tell nothing. */
#define ALIKE_MAX 32

static void elsewhere(struct lines *l, struct match_sides *base, struct match_sides *head)
{
	struct match_side **b = xcalloc(base->n + 1, sizeof *b), **h = xcalloc(head->n + 1, sizeof *h);
	const double *chance = l->map ? ELSEWHERE_BY_MAP : ELSEWHERE;
	size_t nb = left(base, b), nh = left(head, h), j = 0;

	for (size_t i = 0, end; i < nb; i = end) {
		size_t first;

		for (end = i; end < nb && b[end]->text == b[i]->text;)
			end++;
		while (j < nh && h[j]->text < b[i]->text)
			j++;
		for (first = j; j < nh && h[j]->text == b[i]->text;)
			j++;
		if (end - i > ALIKE_MAX || j - first > ALIKE_MAX)
			continue;
		for (size_t x = i; x < end; x++)
			for (size_t y = first; y < j; y++)
				if (match_same_module(b[x], h[y]))
					add(l, &(struct candidate){ b[x], h[y], MATCH_TEXT, chance[around(b[x], h[y])], 0, false, 0, 0 });
	}
	free(b);
	free(h);
}

void match_lines(struct match_sides *base, struct match_sides *head, const struct linemap *map, struct match_out *out)
{
	struct lines l = { .map = map, .out = out };

	l.first_b = xcalloc(base->n + 1, sizeof *l.first_b);
	l.first_h = xcalloc(head->n + 1, sizeof *l.first_h);

	if (map)
		by_map(base, head, map, out);
	for (size_t i = 0; i < base->ngroups; i++)
		if (base->group[i].line && base->group[i].pair)
			inside(&l, &base->group[i]);
	elsewhere(&l, base, head);
	assign(&l, 0);
	if (map)
		by_map_across(base, head, map, out);
	free(l.v);
	free(l.anchor);
	free(l.first_b);
	free(l.first_h);
}
