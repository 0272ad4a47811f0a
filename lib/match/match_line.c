/* match_line: pairs lines: the order of the passes, and those inside paired functions. */
#include "base/text.h"
#include "match/match_anchor.h"
#include "match/match_assign.h"
#include "match/match_line_chance.h"
#include "match/match_parts.h"

/* Least confidence of a pair to be an anchor. */
#define ANCHOR 0.9
/* Confidence for the kth of equal lines in an unchanged body. */
#define UNCHANGED 0.999

struct lines {
	const struct match_sides *base, *head;
	const struct linemap *map; /* NULL none */
	struct match_out *out;
	struct match_candidates candidates;
	struct match_anchors anchors; /* anchors of the two functions */
};

static bool has_same_body(const struct match_group *b)
{
	return b->has_body && b->pair->has_body && b->body == b->pair->body;
}

/*
 * The similarity of two lines of which, by the map, one was edited into the other; 0: the
 * map does not have the pair.
 */
static double edited_similarity(const struct linemap *map, const struct match_side *b, const struct match_side *h)
{
	struct linemap_answer a;

	if (!map || !b->path || !h->path)
		return 0;
	a = linemap_forward(map, b->path, b->p->line);
	return a.fate == LINEMAP_EDITED && a.line == h->p->line && text_same(a.file, h->path) ? a.similarity : 0;
}

static void judge_by_text(struct match_candidate *c, const struct match_group *group, int distances)
{
	const struct match_side *b = c->base, *h = c->head;

	c->kind = group->renamed ? MATCH_RENAMED : match_same_place(b, h) ? MATCH_SAME : MATCH_TEXT;
	if (has_same_body(group))
		c->confidence = b->k == h->k && b->n == h->n ? UNCHANGED : 0;
	else
		c->confidence = match_chance_equal(b, h, distances);
}

static void judge_by_position(struct match_candidate *c, const struct match_anchors *anchors, int distances)
{
	const struct match_side *b = c->base, *h = c->head;

	c->kind = MATCH_OFFSET;
	if (b->has_text && h->has_text) {
		c->edited = true;
		c->kind = match_neighbours(b, h) ? MATCH_CONTEXT : MATCH_OFFSET;
		c->confidence = match_chance_other(b, h, distances);
	} else {
		/* Without other anchors, the begin of the file is used. */
		c->confidence = match_chance_unknown(anchors->n == 0 && b->p->line == h->p->line ? 1 : distances);
	}
}

/* Adds the candidate of two lines of paired functions.  `last`: only position is left as evidence. */
static void judge_lines(struct lines *l, const struct match_group *group, struct match_side *b, struct match_side *h, bool last)
{
	struct match_candidate c = { .base = b, .head = h };
	int distances = match_anchors_distances(&l->anchors, b->p->line, h->p->line);
	double similarity;

	if (b->has_text && h->has_text && b->text == h->text) {
		judge_by_text(&c, group, distances);
	} else if ((similarity = edited_similarity(l->map, b, h)) > 0) {
		c.kind = MATCH_EDITED;
		c.edited = true;
		c.confidence = match_chance_edited(similarity, group->renamed);
	} else if (last && !l->map && !group->renamed && distances != MATCH_OUT_OF_ORDER) {
		judge_by_position(&c, &l->anchors, distances);
	}
	c.confidence *= group->confidence;
	match_candidates_add(&l->candidates, c);
}

static void judge_all(struct lines *l, const struct match_group *b, bool last)
{
	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; !b->member[i]->settled && k < b->pair->n; k++)
			if (!b->pair->member[k]->settled)
				judge_lines(l, b, b->member[i], b->pair->member[k], last);
	}
}

/* Chooses the best pairs, and uses the most certain of them as anchors for others. */
static void take_best_pairs(struct lines *l, double least)
{
	size_t first = l->out->n;

	match_candidates_assign(&l->candidates, least, l->out);
	for (size_t i = first; i < l->out->n; i++) {
		const struct match *pair = &l->out->v[i];

		if (pair->confidence >= ANCHOR)
			match_anchors_add(&l->anchors, l->base->v[pair->base].p->line, l->head->v[pair->head].p->line);
	}
	match_anchors_settle(&l->anchors);
}

static void pair_inside(struct lines *l, const struct match_group *b)
{
	match_anchors_begin(&l->anchors, b->any->p->function_line, b->pair->any->p->function_line);
	judge_all(l, b, false);
	take_best_pairs(l, ANCHOR);
	judge_all(l, b, false);
	take_best_pairs(l, MATCH_SURE);
	judge_all(l, b, true);
	take_best_pairs(l, 0);
}

void match_lines(struct match_sides *base, struct match_sides *head, const struct linemap *map, struct match_out *out)
{
	struct lines l = { .base = base, .head = head, .map = map, .out = out };

	match_candidates_init(&l.candidates, base->n, head->n);
	if (map)
		match_map_lines(base, head, map, out);
	for (size_t i = 0; i < base->ngroups; i++)
		if (base->group[i].line && base->group[i].pair)
			pair_inside(&l, &base->group[i]);
	match_elsewhere(base, head, map, &l.candidates);
	match_candidates_assign(&l.candidates, 0, out);
	if (map)
		match_map_across(base, head, map, out);
	match_candidates_release(&l.candidates);
	match_anchors_release(&l.anchors);
}
