/* match_side: makes sides and groups from places. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/text.h"
#include "match/identity.h"
#include "match/match_parts.h"
#include "match/roots.h"

static int order_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

static int order_number(unsigned long a, unsigned long b)
{
	return a < b ? -1 : a > b;
}

bool match_same_place(const struct match_side *a, const struct match_side *b)
{
	return a->p->line == b->p->line && (text_same(a->path, b->path) || (!a->path && !b->path));
}

bool match_same_module(const struct match_side *a, const struct match_side *b)
{
	return !a->module || !b->module || !strcmp(a->module, b->module);
}

/* Compares by function, which defines a group. */
static int order_function(const struct match_side *a, const struct match_side *b)
{
	int d = order_text(a->p->scope, b->p->scope);

	d = d ? d : order_text(a->module, b->module);
	d = d ? d : order_text(a->path, b->path);
	d = d ? d : order_number(a->p->function_line, b->p->function_line);
	return d ? d : order_text(a->function, b->function);
}

int match_order_sides(const struct match_side *a, const struct match_side *b)
{
	int d = order_function(a, b);

	d = d ? d : order_number(a->p->line, b->p->line);
	d = d ? d : order_text(a->p->symbol, b->p->symbol);
	d = d ? d : order_text(a->p->function, b->p->function);
	d = d ? d : order_text(a->p->line_hash, b->p->line_hash);
	d = d ? d : order_text(a->p->context_hash, b->p->context_hash);
	return d ? d : order_text(a->p->function_hash, b->p->function_hash);
}

int match_order_groups(const struct match_group *a, const struct match_group *b)
{
	return order_function(a->any, b->any);
}

static int by_order(const void *pa, const void *pb)
{
	const struct match_side *a = *(struct match_side *const *)pa, *b = *(struct match_side *const *)pb;
	int d = match_order_sides(a, b);

	return d ? d : order_number(a->index, b->index);
}

/* ---- hashes --------------------------------------------------------------- */

/* "HASH" or "HASH.K/N"; anything else is no hash. */
static void read_text(struct match_side *s, const char *hash)
{
	char *end;

	s->k = s->n = 1;
	if (!hash)
		return;
	s->text = strtoull(hash, &end, 16);
	s->has_text = end - hash == 16 && (!*end || *end == '.');
	if (s->has_text && *end == '.') {
		s->k = strtoul(end + 1, &end, 10);
		s->n = *end == '/' ? strtoul(end + 1, NULL, 10) : s->k;
	}
}

static void read_around(struct match_side *s, const char *hashes)
{
	for (size_t i = 0; hashes && i < AROUND; i++) {
		char *end;

		s->around[i] = (uint32_t)strtoul(hashes, &end, 16);
		hashes = *end == '.' ? end + 1 : NULL;
	}
}

static int hash_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "HASH.LINES.SKETCH" */
static void read_body(struct match_group *g, const char *hash)
{
	char *end;

	if (!hash)
		return;
	g->body = strtoull(hash, &end, 16);
	if (end - hash != 16 || *end != '.')
		return;
	g->lines = strtoul(end + 1, &end, 10);
	if (*end != '.' || strlen(end + 1) != 2 * SKETCH)
		return;
	for (size_t i = 0; i < SKETCH; i++) {
		int hi = hash_digit(end[1 + 2 * i]), lo = hash_digit(end[2 + 2 * i]);

		if (hi < 0 || lo < 0)
			return;
		g->sketch[i] = (unsigned char)(hi << 4 | lo);
	}
	g->has_body = true;
}

/* ---- all of them ---------------------------------------------------------- */

static void make_groups(struct match_sides *s)
{
	s->member = xcalloc(s->n + 1, sizeof *s->member);
	s->group = xcalloc(s->n + 1, sizeof *s->group);
	for (size_t i = 0; i < s->n; i++)
		s->member[i] = &s->v[i];
	if (s->n > 0)
		qsort(s->member, s->n, sizeof *s->member, by_order);
	for (size_t i = 0; i < s->n; i++) {
		struct match_group *g;

		/* Without a function, a file's places are one group. */
		if (i == 0 || order_function(s->member[i - 1], s->member[i]) != 0) {
			g = &s->group[s->ngroups++];
			*g = (struct match_group){ .any = s->member[i], .line = s->member[i]->line, .member = &s->member[i] };
		}
		g = &s->group[s->ngroups - 1];
		g->n++;
		s->member[i]->group = s->ngroups - 1;
		if (!g->has_body)
			read_body(g, s->member[i]->p->function_hash);
	}
}

void match_sides_init(struct match_sides *s, const struct match_place *p, size_t n, const char *root)
{
	*s = (struct match_sides){ .v = xcalloc(n + 1, sizeof *s->v), .n = n };
	for (size_t i = 0; i < n; i++) {
		struct match_side *side = &s->v[i];

		*side = (struct match_side){ .p = &p[i], .index = i, .function = identity_function(p[i].symbol, p[i].function) };
		side->path = p[i].file ? roots_path(p[i].file, root) : NULL;
		side->module = p[i].module ? path_name(p[i].module) : NULL;
		side->line = text_same(p[i].scope, "line");
		read_text(side, p[i].line_hash);
		read_around(side, p[i].context_hash);
	}
	make_groups(s);
}

void match_sides_release(struct match_sides *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].function);
	free(s->v);
	free(s->group);
	free(s->member);
}

void match_add(struct match_out *out, struct match_side *b, struct match_side *h, enum match_kind kind, double confidence,
	       bool edited)
{
	b->settled = h->settled = true;
	out->v[out->n++] = (struct match){ b->index, h->index, kind, confidence, edited };
}
