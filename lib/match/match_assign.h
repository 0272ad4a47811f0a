/*
 * match_assign: lines one to one, out of all pairs that they could make.
 *
 * The surest pair is taken first.  How sure it is depends on its rivals, too:
 * where a line could as well have become another one, half of the confidence is
 * gone.
 */
#ifndef ANDWEORC_MATCH_MATCH_ASSIGN_H
#define ANDWEORC_MATCH_MATCH_ASSIGN_H

#include "match/match_parts.h"

/* What its best rival leaves of a confidence, 0..1 both: either is the one, or neither. */
double match_contested(double confidence, double rival);

struct match_candidate {
	struct match_side *base, *head;
	enum match_kind kind;
	double confidence;           /* 0..1: without regard to rivals */
	bool edited;                 /* as in struct match */
	double contested;            /* what rivals leave of the confidence */
	size_t next_base, next_head; /* 1 + the next candidate of the same line; 0 none */
};

struct match_candidates {
	struct match_candidate *v;   /* v[0..n), owned */
	size_t n, cap;
	size_t *first_base, *first_head; /* by match_side.index: 1 + the line's first candidate; 0 none; owned */
};

/* For nbase places of base, and nhead of head. */
void match_candidates_init(struct match_candidates *c, size_t nbase, size_t nhead);
void match_candidates_release(struct match_candidates *c);

/* Sets base, head, kind, confidence and edited from `candidate`; passes over one without any confidence. */
void match_candidates_add(struct match_candidates *c, struct match_candidate candidate);

/*
 * Adds the best pairs of lines that are not settled to `out`, and forgets all
 * candidates.  Who is contested below `least` stays unsettled, for a next time
 * at which more is known.
 */
void match_candidates_assign(struct match_candidates *c, double least, struct match_out *out);

#endif
