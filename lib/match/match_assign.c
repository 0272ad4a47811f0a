#include "match/match_assign.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

void match_candidates_init(struct match_candidates *c, size_t nbase, size_t nhead)
{
	*c = (struct match_candidates){
		.first_base = xcalloc(nbase + 1, sizeof *c->first_base),
		.first_head = xcalloc(nhead + 1, sizeof *c->first_head),
	};
}

void match_candidates_release(struct match_candidates *c)
{
	free(c->v);
	free(c->first_base);
	free(c->first_head);
	*c = (struct match_candidates){ .v = NULL };
}

void match_candidates_add(struct match_candidates *c, struct match_candidate candidate)
{
	if (candidate.confidence <= 0)
		return;
	c->v = xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n++] = candidate;
}

static long candidate_distance(const struct match_candidate *c)
{
	return labs((long)c->base->p->line - (long)c->head->p->line);
}

static int by_confidence(const void *pa, const void *pb)
{
	const struct match_candidate *a = pa, *b = pb;
	int d;

	if (a->confidence > b->confidence || a->confidence < b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	if (candidate_distance(a) != candidate_distance(b))
		return candidate_distance(a) < candidate_distance(b) ? -1 : 1;
	d = match_order_sides(a->base, b->base);
	return d ? d : match_order_sides(a->head, b->head);
}

/* Links the candidates of each line, so that rivals are found. */
static void link_rivals(struct match_candidates *c)
{
	for (size_t i = c->n; i-- > 0;) {
		size_t *base = &c->first_base[c->v[i].base->index], *head = &c->first_head[c->v[i].head->index];

		c->v[i].next_base = *base;
		c->v[i].next_head = *head;
		*base = *head = i + 1;
	}
}

static void forget_settled(struct match_candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->first_base[c->v[i].base->index] = c->first_head[c->v[i].head->index] = 0;
	c->n = 0;
}

static double odds(double confidence)
{
	return confidence / (1 - fmin(confidence, 0.999));
}

double match_contested(double confidence, double rival)
{
	return odds(confidence) / (1 + odds(confidence) + odds(rival));
}

/* The greatest confidence of the alternatives. */
static double rival_of(const struct match_candidates *c, const struct match_candidate *own)
{
	double rival = 0;

	for (size_t k = c->first_base[own->base->index]; k; k = c->v[k - 1].next_base)
		if (!c->v[k - 1].head->settled && c->v[k - 1].head != own->head)
			rival = fmax(rival, c->v[k - 1].confidence);
	for (size_t k = c->first_head[own->head->index]; k; k = c->v[k - 1].next_head)
		if (!c->v[k - 1].base->settled && c->v[k - 1].base != own->base)
			rival = fmax(rival, c->v[k - 1].confidence);
	return rival;
}

void match_candidates_assign(struct match_candidates *c, double least, struct match_out *out)
{
	size_t weighed = 0;

	if (c->n > 0)
		qsort(c->v, c->n, sizeof *c->v, by_confidence);
	link_rivals(c);
	for (size_t i = 0; i < c->n; i++) {
		struct match_candidate *best = &c->v[i];

		/* Among equal candidates, each is an alternative to the other. */
		for (; weighed < c->n && !(c->v[weighed].confidence < best->confidence); weighed++)
			c->v[weighed].contested = match_contested(c->v[weighed].confidence, rival_of(c, &c->v[weighed]));
		if (!best->base->settled && !best->head->settled && best->contested >= least)
			match_add(out, best->base, best->head, best->kind, best->contested, best->edited);
	}
	forget_settled(c);
}
