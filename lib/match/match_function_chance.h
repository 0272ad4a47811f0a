/*
 * match_function_chance: the confidence that two functions are one.
 *
 * Each function returns a confidence, 0..1; 0 without evidence.  `map` may be NULL.
 */
#ifndef ANDWEORC_MATCH_MATCH_FUNCTION_CHANCE_H
#define ANDWEORC_MATCH_MATCH_FUNCTION_CHANCE_H

#include "match/match_parts.h"

/* One name in one file. */
#define MATCH_FUNCTION_CERTAIN 0.99

/* The path of base's function in head, by the map; NULL unknown, or not there. */
const char *match_path_in_head(const struct match_group *base, const struct linemap *map);

/* Further facts about two functions of one name. */
struct match_namesakes {
	bool alone;      /* the name is unique: in the file of both, or else in all files */
	bool files_stay; /* the file of either exists on the other side, too */
};
double match_function_by_name(const struct match_group *base, const struct match_group *head, const struct linemap *map,
			      struct match_namesakes known);

/* By the first line, if the map leads from one to the other; the text counts, too, if the names differ. */
double match_function_by_first_line(const struct match_group *base, const struct match_group *head, const struct linemap *map);

/* By the text alone. */
double match_function_by_body(const struct match_group *base, const struct match_group *head, const struct linemap *map);

#endif
