/*
 * match_parts: places as the files of match use them.
 *
 * Matching proceeds from certain to less certain pairs.  First functions are paired
 * (match_function.c), then lines: those that the line map keeps (match_map.c); then,
 * inside paired functions, by their text, and between those that were found by the
 * lines around them and by position (match_line.c); then by their text in other
 * functions (match_elsewhere.c).
 */
#ifndef ANDWEORC_MATCH_MATCH_PARTS_H
#define ANDWEORC_MATCH_MATCH_PARTS_H

#include <stdint.h>

#include "match/match.h"
#include "source/source.h"

enum { AROUND = 2 * SOURCE_AROUND, SKETCH = SOURCE_SKETCH };

/* A place, with its fields in comparable form. */
struct match_side {
	const struct match_place *p;
	size_t index;
	const char *path;      /* in its tree; NULL unknown */
	const char *module;    /* without directories; NULL unknown */
	char *function;        /* identity_function; owned; NULL unknown */
	bool line;             /* scope */
	bool has_text;
	uint64_t text;         /* line_hash */
	unsigned long k, n;    /* the kth of n in its function; 1 of 1 */
	uint32_t around[AROUND]; /* lines before and after; 0 none */
	size_t group;          /* of its function */
	bool settled;          /* matched, or known to have no partner */
};

/* The places of one function. */
struct match_group {
	const struct match_side *any; /* one of its places: function, path, module, function_line */
	bool line;                    /* scope of its places */
	bool has_body;
	uint64_t body;                /* function_hash: hash of its text, number of lines, and sketch */
	unsigned long lines;
	unsigned char sketch[SKETCH];
	struct match_side **member;   /* member[0..n), by line */
	size_t n;
	struct match_group *pair;     /* NULL none */
	double confidence;            /* of the pair */
	bool renamed;                 /* the two have different names */
};

struct match_sides {
	struct match_side *v;         /* v[0..n), in the order of the places; owned, as all of this */
	size_t n;
	struct match_group *group;
	size_t ngroups;
	struct match_side **member;   /* member[0..n): of all groups, one after the other */
};

/* Where pairs go. */
struct match_out {
	struct match *v;
	size_t n;
};

void match_sides_init(struct match_sides *s, const struct match_place *p, size_t n, const char *root);
void match_sides_release(struct match_sides *s);

/* Total orders by content, so that the order of the input does not matter; 0 only for identical elements. */
int match_order_sides(const struct match_side *a, const struct match_side *b);
int match_order_groups(const struct match_group *a, const struct match_group *b);

/* Are both the same line of the same file, or of files that are not known? */
bool match_same_place(const struct match_side *a, const struct match_side *b);

/* Do their modules allow that the two are one? */
bool match_same_module(const struct match_side *a, const struct match_side *b);

/* Takes the pair, and settles both. */
void match_add(struct match_out *out, struct match_side *base, struct match_side *head, enum match_kind kind, double confidence,
	       bool edited);

/* Pairs functions: sets `pair`, `confidence` and `renamed` of groups. */
void match_pair_groups(struct match_sides *base, struct match_sides *head, const struct linemap *map);

/* Pairs lines, after functions.  `map` may be NULL. */
void match_lines(struct match_sides *base, struct match_sides *head, const struct linemap *map, struct match_out *out);

/*
 * The parts of match_lines that use the line map.  match_map_lines pairs the lines that
 * the map keeps, and settles those that were not measured on the other side.  It leaves
 * out lines that the map keeps across functions; match_map_across pairs these if
 * nothing else did.
 */
void match_map_lines(struct match_sides *base, struct match_sides *head, const struct linemap *map, struct match_out *out);
void match_map_across(struct match_sides *base, struct match_sides *head, const struct linemap *map, struct match_out *out);

struct match_candidates;

/* Adds pairs of lines with the same text, in any functions; `by_map`: by a line map, all these lines changed. */
void match_elsewhere(struct match_sides *base, struct match_sides *head, bool by_map, struct match_candidates *out);

#endif
