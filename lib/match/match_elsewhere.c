/* match_elsewhere: pairs lines whose text is in another function. */
#include <stdlib.h>

#include "base/alloc.h"
#include "match/match_assign.h"
#include "match/match_line_chance.h"
#include "match/match_parts.h"

/* Most lines with one text: if there are more, the text tells nothing. */
enum { ALIKE_MAX = 32 };

/* The lines of a side that have no partner yet, sorted by their text. */
struct rest {
	struct match_side **v; /* v[0..n), owned */
	size_t n;
};

static int by_text(const void *pa, const void *pb)
{
	const struct match_side *a = *(struct match_side *const *)pa, *b = *(struct match_side *const *)pb;

	return a->text < b->text ? -1 : a->text > b->text;
}

static struct rest rest_of(const struct match_sides *s)
{
	struct rest rest = { .v = xcalloc(s->n + 1, sizeof(*rest.v)) };

	for (size_t i = 0; i < s->n; i++)
		if (s->member[i]->line && s->member[i]->has_text && !s->member[i]->settled)
			rest.v[rest.n++] = s->member[i];
	if (rest.n > 0)
		qsort(rest.v, rest.n, sizeof *rest.v, by_text);
	return rest;
}

/* The number of lines, from `first` on, with this text. */
static size_t alike(const struct rest *r, size_t first, uint64_t text)
{
	size_t end = first;

	while (end < r->n && r->v[end]->text == text)
		end++;
	return end - first;
}

static void add_candidate(struct match_candidates *c, struct match_side *b, struct match_side *h, bool by_map)
{
	if (match_same_module(b, h))
		match_candidates_add(c, (struct match_candidate){ .base = b, .head = h, .kind = MATCH_TEXT,
								  .confidence = match_chance_elsewhere(b, h, by_map) });
}

void match_elsewhere(struct match_sides *base, struct match_sides *head, bool by_map, struct match_candidates *out)
{
	struct rest b = rest_of(base), h = rest_of(head);
	size_t nb, nh;

	for (size_t i = 0, j = 0; i < b.n; i += nb, j += nh) {
		uint64_t text = b.v[i]->text;

		while (j < h.n && h.v[j]->text < text)
			j++;
		nb = alike(&b, i, text);
		nh = alike(&h, j, text);
		if (nb > ALIKE_MAX || nh > ALIKE_MAX)
			continue;
		for (size_t x = i; x < i + nb; x++)
			for (size_t y = j; y < j + nh; y++)
				add_candidate(out, b.v[x], h.v[y], by_map);
	}
	free(b.v);
	free(h.v);
}
