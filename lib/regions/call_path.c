/*
 * call_path: the elements of a call path, and their code as the handler looks it up.
 *
 * Functions are inlined into each other, so that one frame of the stack may have
 * several of them, in an order that only the debug information knows.  This file
 * computes which elements each frame contributes, for each range of code with one
 * inline chain (struct arena_link); the handler looks frames up in that table.
 *
 * A function that has made a tail call is not on the stack.  But the call that entered
 * it is (regions_find_calls), in the frame of its caller.
 */
#include "regions/call_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "base/text.h"

enum { INLINE_DEPTH = 32 };

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

struct region_path *call_path_new(const char *name)
{
	struct region_path *p = xcalloc(1, sizeof(*p));

	while (p->n < ARENA_PATH) {
		struct path_element *e = &p->element[p->n++];
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

bool call_path_has(const struct path_element *e, const struct region *g)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->v[i] == g)
			return true;
	return false;
}

const char *regions_path_leaf(const struct region *g)
{
	const struct path_element *last = &g->path->element[g->path->n - 1];

	return last->line || last->n == 0 ? NULL : last->v[0]->function;
}

/* ---- the table --------------------------------------------------------------------------- */

/* A range of code of an element. */
struct part {
	uint64_t lo, hi; /* places */
	unsigned element;
	bool inner;      /* not the function itself: a call that enters it, or its wrapper */
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

/* `tails`: calls that enter it count, too. */
static void add_region(struct parts *p, const struct region *g, unsigned element, bool tails)
{
	for (size_t i = 0; i < g->nranges; i++)
		add_part(p, arena_place(g->module, g->ranges[i].lo), arena_place(g->module, g->ranges[i].hi), element, false);
	for (size_t i = 0; i < g->ncalls && tails; i++)
		add_part(p, arena_place(g->module, g->calls[i].lo), arena_place(g->module, g->calls[i].hi), element, true);
	for (size_t i = 0; i < g->nstand_ins; i++)
		add_part(p, g->stand_ins[i].lo, g->stand_ins[i].hi, element, true);
}

/* The elements at each position in the inline chain of a piece of code; position 0 is inside the whole chain. */
struct chain {
	size_t n; /* positions 1..n are frames */
	bool at[ARENA_PATH][INLINE_DEPTH + 1];
};

static bool is_at(const struct path_element *e, const struct frame *frame)
{
	if (!e->line)
		return frame->function && called_so(&e->called, frame->function) >= CALLED_PART;
	for (size_t i = 0; i < e->n; i++)
		if (frame->line == e->v[i]->line && text_same(frame->file, e->v[i]->file))
			return true;
	return false;
}

/* `here`, `inner`: bits of the elements that contain the code. */
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
		/* The debug information has another name for it: it is the function itself. */
		if ((here >> e & 1) && !any)
			c->at[e][c->n] = true;
	}
}

/* How many elements, of `left`, are still to be found after that frame. */
static uint8_t left_after(const struct region_path *p, const struct chain *c, size_t left)
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
		link.left[left] = left_after(p, c, left);
	if (last && last->hi == lo && memcmp(last->left, link.left, sizeof(link.left)) == 0) {
		last->hi = hi;
		return;
	}
	p->link = xgrow(p->link, p->nlinks, &p->links_cap, sizeof(*p->link));
	p->link[p->nlinks++] = link;
}

/* [lo, hi) is in one module, with the same elements everywhere. */
static void add_piece(struct regions *r, struct region_path *p, uint64_t lo, uint64_t hi, unsigned here, unsigned inner)
{
	struct mapping *mod = mapping_of(r->modules, arena_module_of(lo));

	while (lo < hi) {
		uint64_t off = arena_offset_of(lo), until = UINT64_MAX, to = hi;
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

/* One call that passes through the function would count as two elements. */
static bool is_twice(const struct region_path *p, const struct region *g)
{
	size_t n = 0;

	for (size_t e = 0; e < p->n; e++)
		n += call_path_has(&p->element[e], g);
	return n > 1;
}

size_t call_path_calls(const struct region_path *p)
{
	size_t n = 0;

	for (size_t e = 0; e < p->n; e++)
		for (size_t i = 0; i < p->element[e].n; i++)
			n += p->element[e].v[i]->ncalls;
	return n;
}

void call_path_link(struct regions *r, struct region_path *p, bool tails)
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

/* ---- samples ------------------------------------------------------------------------- */

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

/* Is it code that lines are charged with? */
static bool is_charged(struct regions *r, uint64_t place)
{
	const struct mapping *mod = mapping_of(r->modules, arena_module_of(place));

	return mod && mod->own && !mapping_passes(mod, arena_offset_of(place));
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
