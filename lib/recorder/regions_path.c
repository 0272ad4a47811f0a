/*
 * regions_path: call paths as regions, -r 'a;b;c'.
 *
 * A sample is in such a region when its stack has, from the innermost frame outwards,
 * c, then b, then a, with whatever else before, between and behind them.  So the time
 * of c is told apart by who has called it, at any distance.
 *
 * Functions are inlined into each other, so that one frame of the stack may have
 * several of them, in an order that only the debug information knows.  What a frame
 * does to the search is found out here, for each piece of code whose inline chain is
 * the same (struct arena_link); the handler looks frames up in that table.
 *
 * A function that leaves for another one by a jump is not on the stack; the call that
 * it was entered by is (regions_find_calls), and lies within the frame of its caller.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/text.h"
#include "recorder/regions_parts.h"

enum { INLINE_DEPTH = 32 };

/* A function or line of a path: all that is called so. */
struct element {
	char *name;          /* owned */
	struct called_name called; /* of a function */
	bool line;
	enum naming known;
	struct region **v;   /* v[0..n); owned, the regions are not */
	size_t n, cap;
};

struct region_path {
	struct element element[ARENA_PATH]; /* the outermost first */
	size_t n;
	struct arena_link *link; /* owned; sorted, disjoint */
	size_t nlinks, links_cap;
};

/* ---- names ------------------------------------------------------------------------------- */

static bool names_a_line(const char *name)
{
	const char *colon = strrchr(name, ':');
	uint64_t line;

	return colon && num_u64(colon + 1, &line);
}

bool regions_is_path(const char *name)
{
	return strchr(name, ';') != NULL;
}

const char *regions_bad_path(const char *name)
{
	const char *at = name;
	size_t n = 1;

	if (!regions_is_path(name))
		return NULL;
	for (;; at += strcspn(at, ";") + 1, n++) {
		if (!*at || *at == ';' || (*at == ':' && at[1] != ':'))
			return "call path of functions and lines";
		if (!strchr(at, ';'))
			break;
	}
	return n > ARENA_PATH ? "call path (it is too long)" : NULL;
}

static struct region_path *make_path(const char *name)
{
	struct region_path *p = xcalloc(1, sizeof(*p));

	while (p->n < ARENA_PATH) {
		struct element *e = &p->element[p->n++];
		size_t len = strcspn(name, ";");

		e->name = xstrndup(name, len);
		e->line = names_a_line(e->name);
		called_init(&e->called, e->name);
		if (!name[len])
			break;
		name += len + 1;
	}
	return p;
}

void regions_path_free(struct region_path *p)
{
	for (size_t i = 0; p && i < p->n; i++) {
		called_release(&p->element[i].called);
		free(p->element[i].name);
		free(p->element[i].v);
	}
	if (p)
		free(p->link);
	free(p);
}

static bool has(const struct element *e, const struct region *g)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->v[i] == g)
			return true;
	return false;
}

/* Looks it up where that has not been done yet.  Returns whether something is new. */
static bool find(struct regions *r, struct element *e)
{
	struct region **found;
	size_t n = regions_called(r, e->name, &e->known, &found), before = e->n;

	for (size_t i = 0; i < n; i++) {
		if (has(e, found[i]))
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

const char *regions_path_leaf(const struct region *g)
{
	const struct element *last = &g->path->element[g->path->n - 1];

	return last->line || last->n == 0 ? NULL : last->v[0]->function;
}

/* ---- the table --------------------------------------------------------------------------- */

/* Code of an element. */
struct part {
	uint64_t lo, hi; /* places */
	unsigned element;
	bool inner;      /* on behalf of the function: a call that leads to it, or what stands in for it */
};

struct parts {
	struct part *v;
	size_t n, cap;
};

static void add_part(struct parts *p, uint64_t lo, uint64_t hi, unsigned element, bool inner)
{
	p->v = xgrow(p->v, p->n, &p->cap, sizeof(*p->v));
	p->v[p->n++] = (struct part){ lo, hi, element, inner };
}

/* `tails`: calls that lead to it count, too. */
static void add_region(struct parts *p, const struct region *g, unsigned element, bool tails)
{
	for (size_t i = 0; i < g->nranges; i++)
		add_part(p, arena_place(g->module, g->ranges[i].lo), arena_place(g->module, g->ranges[i].hi), element, false);
	for (size_t i = 0; i < g->ncalls && tails; i++)
		add_part(p, arena_place(g->module, g->calls[i].lo), arena_place(g->module, g->calls[i].hi), element, true);
	for (size_t i = 0; i < g->nstand_ins; i++)
		add_part(p, g->stand_ins[i].lo, g->stand_ins[i].hi, element, true);
}

/* Which elements are where in the inline chain of a piece of code; position 0 is further in than all of that chain. */
struct chain {
	size_t n; /* positions 1..n are frames */
	bool at[ARENA_PATH][INLINE_DEPTH + 1];
};

static bool is_at(const struct element *e, const struct frame *frame)
{
	if (!e->line)
		return frame->function && called_so(&e->called, frame->function) >= CALLED_PART;
	for (size_t i = 0; i < e->n; i++)
		if (frame->line == e->v[i]->line && text_same(frame->file, e->v[i]->file))
			return true;
	return false;
}

/* `here`, `inner`: bits of the elements that have the code. */
static void find_chain(const struct region_path *p, struct mapping *mod, uint64_t off, unsigned here, unsigned inner, struct chain *c)
{
	struct frame frame[INLINE_DEPTH];
	size_t n = mod && mapping_image(mod) ? image_frames(mod->image, off, frame, INLINE_DEPTH) : 0;

	memset(c, 0, sizeof(*c));
	c->n = n < INLINE_DEPTH ? n : INLINE_DEPTH;
	for (size_t e = 0; e < p->n; e++) {
		bool any = false;

		c->at[e][0] = inner >> e & 1;
		for (size_t i = 0; (here >> e & 1) && i < c->n; i++)
			any |= c->at[e][i + 1] = is_at(&p->element[e], &frame[i]);
		/* Known to the debug information by another name: the function itself. */
		if ((here >> e & 1) && !any)
			c->at[e][c->n] = true;
	}
}

/* How many elements are left of `left` behind that frame. */
static uint8_t pass(const struct region_path *p, const struct chain *c, size_t left)
{
	size_t from = 0;

	for (; left > 0; left--) {
		while (from <= c->n && !c->at[left - 1][from])
			from++;
		if (from > c->n)
			break;
		/* A line is in the function that it is in. */
		from += !p->element[left - 1].line;
	}
	return (uint8_t)left;
}

static void add_link(struct region_path *p, uint64_t lo, uint64_t hi, const struct chain *c)
{
	struct arena_link link = { .lo = lo, .hi = hi }, *last = p->nlinks ? &p->link[p->nlinks - 1] : NULL;

	for (size_t left = 0; left <= p->n; left++)
		link.left[left] = pass(p, c, left);
	if (last && last->hi == lo && memcmp(last->left, link.left, sizeof(link.left)) == 0) {
		last->hi = hi;
		return;
	}
	p->link = xgrow(p->link, p->nlinks, &p->links_cap, sizeof(*p->link));
	p->link[p->nlinks++] = link;
}

/* [lo, hi) are of one module, and have the same elements all over. */
static void add_piece(struct regions *r, struct region_path *p, uint64_t lo, uint64_t hi, unsigned here, unsigned inner)
{
	struct mapping *mod = mapping_of(r->modules, (unsigned)(lo >> PLACE_MODULE_SHIFT));

	while (lo < hi) {
		uint64_t off = lo & ((1ull << PLACE_MODULE_SHIFT) - 1), until = UINT64_MAX, to = hi;
		struct chain c;

		if (mod && mapping_image(mod))
			until = image_same_until(mod->image, off);
		if (until > off && until - off < hi - lo)
			to = lo + (until - off);
		find_chain(p, mod, off, here, inner, &c);
		add_link(p, lo, to, &c);
		lo = to;
	}
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* One call by way of the function would pass for two of it. */
static bool is_twice(const struct region_path *p, const struct region *g)
{
	size_t n = 0;

	for (size_t e = 0; e < p->n; e++)
		n += has(&p->element[e], g);
	return n > 1;
}

/* How many calls lead to parts of the path. */
static size_t count_calls(const struct region_path *p)
{
	size_t n = 0;

	for (size_t e = 0; e < p->n; e++)
		for (size_t i = 0; i < p->element[e].n; i++)
			n += p->element[e].v[i]->ncalls;
	return n;
}

/* Without `tails`, functions that left by a jump are not found. */
static void make_links(struct regions *r, struct region_path *p, bool tails)
{
	struct parts parts = { 0 };
	uint64_t *border;

	p->nlinks = 0;
	for (unsigned e = 0; e < p->n; e++)
		for (size_t i = 0; i < p->element[e].n; i++)
			add_region(&parts, p->element[e].v[i], e, tails && !is_twice(p, p->element[e].v[i]));
	border = xcalloc(2 * parts.n + 1, sizeof(*border));
	for (size_t i = 0; i < parts.n; i++) {
		border[2 * i] = parts.v[i].lo;
		border[2 * i + 1] = parts.v[i].hi;
	}
	qsort(border, 2 * parts.n, sizeof(*border), by_number);
	for (size_t k = 0; k + 1 < 2 * parts.n; k++) {
		unsigned here = 0, inner = 0;

		for (size_t i = 0; i < parts.n && border[k] < border[k + 1]; i++)
			if (parts.v[i].lo <= border[k] && border[k] < parts.v[i].hi)
				*(parts.v[i].inner ? &inner : &here) |= 1u << parts.v[i].element;
		if (here || inner)
			add_piece(r, p, border[k], border[k + 1], here, inner);
	}
	free(border);
	free(parts.v);
}

/* ---- the region -------------------------------------------------------------------------- */

/* For the log: where the code is that the path ends in. */
static void describe(struct region *g, const struct region *last)
{
	g->module = last->module;
	if (last->scope == REGION_LINE && !g->file) {
		g->file = xstrdup(last->file);
		g->line = last->line;
	}
	regions_widen(g, last->ranges, last->nranges);
}

enum naming regions_name_path(struct regions *r, const char *name, enum naming known)
{
	struct region *g = regions_path(r, name);
	bool complete = true, news = false, tails;

	if (!g->path) {
		g->path = make_path(name);
		r->npaths++;
	}
	for (size_t i = 0; i < g->path->n; i++) {
		news |= find(r, &g->path->element[i]);
		complete &= g->path->element[i].n > 0;
	}
	if (!complete || !news)
		return complete ? NAMED_FULL : known;
	tails = count_calls(g->path) <= ARENA_LINKS;
	make_links(r, g->path, tails);
	if (tails && g->path->nlinks > ARENA_LINKS)
		make_links(r, g->path, tails = false);
	if (!tails)
		msg_warn("'%s' has functions that are called from very many places: where one of them left by a jump, as optimised code does, it is "
			 "not seen",
			 name);
	if (g->path->nlinks > ARENA_LINKS) {
		msg_warn("'%s' has code in %zu places, of which %d are looked at: name functions that are not inlined so often", name,
			 g->path->nlinks, ARENA_LINKS);
		g->path->nlinks = ARENA_LINKS;
	}
	describe(g, g->path->element[g->path->n - 1].v[0]);
	regions_ask(r, g);
	return NAMED_FULL;
}

static bool is_inclusive(const struct region_path *p)
{
	return !p->element[p->n - 1].line;
}

void regions_path_target(const struct region *g, struct arena_target *target)
{
	const struct region_path *p = g->path;

	target->inclusive = is_inclusive(p);
	target->path = (uint32_t)p->n;
	target->nlinks = (uint32_t)p->nlinks;
	memcpy(target->link, p->link, p->nlinks * sizeof(*p->link));
}

/* Is it code that lines are charged for? */
static bool is_charged(struct regions *r, uint64_t place)
{
	const struct mapping *mod = mapping_of(r->modules, (unsigned)(place >> PLACE_MODULE_SHIFT));
	uint64_t off = place & ((1ull << PLACE_MODULE_SHIFT) - 1);

	for (size_t i = 0; mod && i < mod->npassed; i++)
		if (off >= mod->passed[i].lo && off < mod->passed[i].hi)
			return false;
	return mod && mod->own;
}

bool regions_path_holds(struct regions *r, const struct region *g, const struct arena_sample *s)
{
	const struct region_path *p = g->path;
	uint32_t left = (uint32_t)p->n;
	bool decided = false;

	for (uint32_t i = 0; i < s->nframes && i < ARENA_FRAMES && left > 0; i++) {
		if (is_inclusive(p) || !decided || left != p->n)
			left = arena_path_left(p->link, p->nlinks, left, s->place[i]);
		decided = decided || is_charged(r, s->place[i]);
	}
	return left == 0;
}
