/*
 * match_line_chance: the confidence that two lines are one, by their similarities.
 *
 * For functions that changed; in others, the order of lines is enough.  Each
 * confidence, 0..1, is the share of such pairs that were right in histories of real
 * programs; t/bench/matching measures it.
 */
#ifndef ANDWEORC_MATCH_MATCH_LINE_CHANCE_H
#define ANDWEORC_MATCH_MATCH_LINE_CHANCE_H

#include "match/match_parts.h"

/* How many of the lines directly before and after are alike: 0..2. */
int match_neighbours(const struct match_side *base, const struct match_side *head);

/* For equal text, in paired functions; distances: from match_anchors_distances, -1..2. */
double match_chance_equal(const struct match_side *base, const struct match_side *head, int distances);

/* For different text; distances: 0..2. */
double match_chance_other(const struct match_side *base, const struct match_side *head, int distances);

/* If one text is unknown; distances: 0..2. */
double match_chance_unknown(int distances);

/* If the line map pairs them as edited, with this similarity (0..1); `renamed`: the function was renamed. */
double match_chance_edited(double similarity, bool renamed);

/* For lines that the line map keeps; `across`: in functions that are not paired, without another explanation. */
double match_chance_kept(const struct match_side *base, const struct match_side *head, bool across);

/*
 * For equal text in functions that are not paired; `by_map`: by the line map, both
 * lines changed.
 */
double match_chance_elsewhere(const struct match_side *base, const struct match_side *head, bool by_map);

#endif
