#include "diff/match.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "diff/identity.h"

/* A place, with its names made comparable. */
struct side {
	const struct match_place *p;
	size_t index;
	char *function;   /* identity; owned; NULL unknown */
	const char *path; /* in its tree */
	const char *module;
	size_t taken;     /* by pair + 1 */
};

struct candidate {
	struct side *b, *h;
	enum match_kind kind;
	double confidence;
	bool edited;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static int order_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

static int order_number(unsigned long a, unsigned long b)
{
	return a < b ? -1 : a > b;
}

static int order_place(const struct side *a, const struct side *b)
{
	int d = order_text(a->path, b->path);

	d = d ? d : order_number(a->p->line, b->p->line);
	d = d ? d : order_text(a->function, b->function);
	d = d ? d : order_text(a->module, b->module);
	return d ? d : order_text(a->p->scope, b->p->scope);
}

static unsigned long distance(const struct candidate *c)
{
	unsigned long a = c->b->p->line, b = c->h->p->line;

	return a > b ? a - b : b - a;
}

static int by_confidence(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;
	int d;

	if (a->confidence > b->confidence || a->confidence < b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	d = order_number(distance(a), distance(b));
	d = d ? d : order_place(a->b, b->b);
	return d ? d : order_place(a->h, b->h);
}

static int by_base(const void *pa, const void *pb)
{
	const struct match *a = pa, *b = pb;

	return order_number(a->base, b->base);
}

/* What the line map says of the two; false when it says nothing, *c set when it says they are one. */
static bool by_map(struct candidate *c, const struct linemap *map)
{
	struct linemap_answer a;

	if (!map || !c->b->path || !c->h->path || !c->b->p->line)
		return false;
	a = linemap_forward(map, c->b->path, c->b->p->line);
	if (a.fate == LINEMAP_UNKNOWN)
		return false;
	c->confidence = 0;
	if (a.fate == LINEMAP_GONE || !same(a.file, c->h->path) || a.line != c->h->p->line)
		return true;
	c->edited = a.fate == LINEMAP_EDITED;
	if (c->edited) {
		c->kind = MATCH_EDITED;
		c->confidence = a.similarity;
	} else {
		c->kind = a.line == c->b->p->line && same(c->b->path, c->h->path) ? MATCH_SAME : MATCH_MOVED;
		c->confidence = 0.99;
	}
	return true;
}

static void judge_line(struct candidate *c, const struct linemap *map)
{
	const struct match_place *b = c->b->p, *h = c->h->p;
	bool function = same(c->b->function, c->h->function);

	if (by_map(c, map))
		return;
	if (b->line_hash && h->line_hash) {
		if (strcmp(b->line_hash, h->line_hash) != 0)
			return;
		c->kind = b->line == h->line ? MATCH_SAME : MATCH_TEXT;
		c->confidence = same(b->context_hash, h->context_hash) ? 0.9 : 0.6;
		c->confidence *= function ? 1 : 0.7;
	} else if (function && b->function_line && h->function_line &&
		   b->line - b->function_line == h->line - h->function_line) {
		c->kind = b->line == h->line ? MATCH_SAME : MATCH_OFFSET;
		c->confidence = 0.5;
	} else if (function && b->line == h->line) {
		c->kind = MATCH_SAME;
		c->confidence = 0.5;
	}
}

static void judge_function(struct candidate *c)
{
	if (same(c->b->function, c->h->function)) {
		c->kind = same(c->b->path, c->h->path) ? MATCH_FUNCTION : MATCH_NAME;
		c->confidence = same(c->b->path, c->h->path) ? 0.98 : 0.8;
	} else if (same(c->b->p->function_hash, c->h->p->function_hash)) {
		c->kind = MATCH_RENAMED;
		c->confidence = 0.9;
	}
}

static bool judge(struct candidate *c, const struct linemap *map)
{
	if (!same(c->b->p->scope, c->h->p->scope) || (c->b->module && c->h->module && !same(c->b->module, c->h->module)))
		return false;
	if (!strcmp(c->b->p->scope, "line"))
		judge_line(c, map);
	else
		judge_function(c);
	return c->confidence > 0;
}

static struct side *sides(const struct match_place *p, size_t n, const char *root)
{
	struct side *v = xcalloc(n + 1, sizeof *v);

	for (size_t i = 0; i < n; i++) {
		v[i] = (struct side){ .p = &p[i], .index = i, .function = identity_function(p[i].symbol, p[i].function) };
		v[i].path = p[i].file ? identity_path(p[i].file, root) : NULL;
		v[i].module = p[i].module ? base_name(p[i].module) : NULL;
	}
	return v;
}

static void release_sides(struct side *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i].function);
	free(v);
}

static struct map files_of(const struct match_place *p, size_t n)
{
	struct map files = MAP_INIT;

	for (size_t i = 0; i < n; i++)
		if (p[i].file)
			map_at(&files, p[i].file);
	return files;
}

static struct identity_roots roots_of(const struct match_place *base, size_t nbase, const struct match_place *head,
				      size_t nhead, const struct linemap *map)
{
	struct map base_files = files_of(base, nbase), head_files = files_of(head, nhead);
	struct identity_roots roots = identity_find_roots(&base_files, &head_files, map ? &map->old_at : NULL,
							  map ? &map->new_at : NULL);

	map_release(&base_files);
	map_release(&head_files);
	return roots;
}

size_t match_places(const struct match_place *base, size_t nbase, const struct match_place *head, size_t nhead,
		    const struct linemap *map, struct match **out)
{
	struct identity_roots roots = roots_of(base, nbase, head, nhead, map);
	struct side *b = sides(base, nbase, roots.base), *h = sides(head, nhead, roots.head);
	struct candidate *v = NULL;
	size_t n = 0, cap = 0, pairs = 0;

	for (size_t i = 0; i < nbase; i++) {
		for (size_t k = 0; k < nhead; k++) {
			struct candidate c = { .b = &b[i], .h = &h[k] };

			if (!judge(&c, map))
				continue;
			v = xgrow(v, n, &cap, sizeof *v);
			v[n++] = c;
		}
	}
	if (n > 0)
		qsort(v, n, sizeof *v, by_confidence);
	*out = xcalloc((nbase < nhead ? nbase : nhead) + 1, sizeof **out);
	for (size_t i = 0; i < n; i++) {
		if (v[i].b->taken || v[i].h->taken)
			continue;
		v[i].b->taken = v[i].h->taken = 1;
		(*out)[pairs++] = (struct match){ v[i].b->index, v[i].h->index, v[i].kind, v[i].confidence, v[i].edited };
	}
	qsort(*out, pairs, sizeof **out, by_base);
	free(v);
	release_sides(b, nbase);
	release_sides(h, nhead);
	identity_roots_release(&roots);
	return pairs;
}

const char *match_kind_name(enum match_kind kind)
{
	static const char *const NAME[MATCH_KINDS] = {
		[MATCH_SAME] = "same",       [MATCH_MOVED] = "moved",     [MATCH_TEXT] = "text",
		[MATCH_EDITED] = "edited",   [MATCH_CONTEXT] = "context", [MATCH_OFFSET] = "offset",
		[MATCH_RENAMED] = "renamed", [MATCH_FUNCTION] = "function", [MATCH_NAME] = "name",
	};

	return NAME[kind];
}
