/*
 * match_assign: chooses pairs of lines, one to one, from all candidates.
 *
 * The most certain pair is chosen first.  Its confidence depends on its rivals, too: if
 * a line could equally well belong to another one, half of the confidence is lost.
 */
#ifndef ANDWEORC_MATCH_MATCH_ASSIGN_H
#define ANDWEORC_MATCH_MATCH_ASSIGN_H

#include "match/match_parts.h"

/* A confidence, reduced by that of the best rival, both 0..1: at most one of them is right. */
double match_contested(double confidence, double rival);

struct match_candidate {
	struct match_side *base, *head;
	enum match_kind kind;
	double confidence;           /* 0..1: without regard to rivals */
	bool edited;                 /* as in struct match */
	double contested;            /* the confidence, reduced by rivals */
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
 * Adds the best pairs of unsettled lines to `out`, and removes all candidates.  Lines
 * whose confidence with rivals is below `least` stay unsettled, for a later pass with
 * more evidence.
 */
void match_candidates_assign(struct match_candidates *c, double least, struct match_out *out);

#endif
