/*
 * match_line_chance: how likely two lines are one, by what is alike about them.
 *
 * In functions that changed; of those that did not, the lines' order says all.
 * Each chance, 0..1, is how many of such pairs were right in histories of real
 * programs; t/bench/matching measures them.
 */
#ifndef ANDWEORC_MATCH_MATCH_LINE_CHANCE_H
#define ANDWEORC_MATCH_MATCH_LINE_CHANCE_H

#include "match/match_parts.h"

/* Of the lines directly before and after, how many are alike: 0..2. */
int match_neighbours(const struct match_side *base, const struct match_side *head);

/* Of equal text, in paired functions; distances: of match_anchors_distances, -1..2. */
double match_chance_equal(const struct match_side *base, const struct match_side *head, int distances);

/* Of other text; distances: 0..2. */
double match_chance_other(const struct match_side *base, const struct match_side *head, int distances);

/* Where the text of one is not known; distances: 0..2. */
double match_chance_unknown(int distances);

/* Where the line map has the one in the place of the other, and so alike (0..1); `renamed`: so was the function. */
double match_chance_edited(double similarity, bool renamed);

/* Of lines that the line map keeps; `across`: in functions that are not each other's, where nothing else explains them. */
double match_chance_kept(const struct match_side *base, const struct match_side *head, bool across);

/*
 * Of equal text in functions that are not each other's; `by_map`: there is a line
 * map, and it says that both lines changed.
 */
double match_chance_elsewhere(const struct match_side *base, const struct match_side *head, bool by_map);

#endif
