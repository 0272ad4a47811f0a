/*
 * match_anchor: positions in a changed function, relative to lines that are paired.
 *
 * An anchor is a pair of lines that is certain.  Code between two anchors mostly moves
 * as a whole, so lines with the same distance from the nearest anchor on both sides are
 * likely the same.
 */
#ifndef ANDWEORC_MATCH_MATCH_ANCHOR_H
#define ANDWEORC_MATCH_MATCH_ANCHOR_H

#include <stddef.h>

/* Numbers of lines, from 1. */
struct match_anchor {
	unsigned long base, head;
};

struct match_anchors {
	struct match_anchor *v; /* v[0..n), owned; after match_anchors_settle by both lines */
	size_t n, cap;
};

/* Removes all anchors, and makes the functions' first lines the first one, if both are known (not 0). */
void match_anchors_begin(struct match_anchors *a, unsigned long base, unsigned long head);

/* Adds an anchor.  After the last one, call match_anchors_settle. */
void match_anchors_add(struct match_anchors *a, unsigned long base, unsigned long head);

/* Sorts them, and leaves out those that are in another order in head than in base. */
void match_anchors_settle(struct match_anchors *a);

void match_anchors_release(struct match_anchors *a);

/*
 * How many of the nearest anchors, one before and one after, are at the same
 * distance from both lines: 0..2; MATCH_OUT_OF_ORDER when an anchor is before
 * the one and behind the other.
 */
enum { MATCH_OUT_OF_ORDER = -1, MATCH_DISTANCES = 2 };
int match_anchors_distances(const struct match_anchors *a, unsigned long base, unsigned long head);

#endif
