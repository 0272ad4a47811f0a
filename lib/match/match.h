/*
 * match: pairs regions of the base commit with regions of the head.
 *
 * A place is a region as an analysis describes it.  Places are paired one to one, by
 * the line map of the two trees, hashes of the source text, and the position inside the
 * function.  Each pair has a kind, which tells the reason for it, and a confidence.
 *
 * The pairs depend on the places alone, not on their order, and are the same
 * with base and head exchanged (and the map read the other way round).
 */
#ifndef ANDWEORC_MATCH_MATCH_H
#define ANDWEORC_MATCH_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "source/linemap.h"

/*
 * Strings are borrowed, as in the records `impact` of andweorc(5); NULL is not
 * known.  A file is as the compiler named it or relative to its tree.
 */
struct match_place {
	const char *scope;         /* "line", "function", "class" ...: only like ones are paired */
	const char *function;      /* name for people */
	const char *symbol;        /* linkage name */
	const char *file;
	const char *module;        /* path */
	unsigned long line;        /* 0 none */
	unsigned long function_line; /* where the function begins; 0 unknown */
	const char *line_hash;     /* of the line's text */
	const char *context_hash;  /* of the lines around it */
	const char *function_hash; /* of the function's text */
};

/* The reason for a pair, the strongest first. */
enum match_kind {
	MATCH_SAME,     /* nothing about it changed, its position included */
	MATCH_MOVED,    /* by the line map: text unchanged, at another line or in a renamed file */
	MATCH_TEXT,     /* text unchanged, found by its hash in the same function */
	MATCH_EDITED,   /* by the line map: the line itself was edited */
	MATCH_CONTEXT,  /* the line itself was edited, the lines around it were not */
	MATCH_OFFSET,   /* same distance from the begin of the function, without other evidence */
	MATCH_RENAMED,  /* in a function with another name that has the same text, or nearly */
	MATCH_FUNCTION, /* a function, by its name */
	MATCH_NAME,     /* by its name alone: a class, or code without file and line */
	MATCH_KINDS
};

struct match {
	size_t base, head;  /* indices of places */
	enum match_kind kind;
	double confidence;  /* 0..1: the share of such cases in which the pair is right */
	bool edited;        /* the line's own text changed */
};

/* Pairs with less confidence are not compared as one region. */
#define MATCH_SURE 0.75

/*
 * Pairs the places.  `map` leads from the base's tree to the head's; NULL when
 * there is none.  *out is sorted by base and is the caller's to free.  Returns the
 * number of pairs.  A place in no pair has vanished, or is new.
 */
size_t match_places(const struct match_place *base, size_t nbase, const struct match_place *head, size_t nhead,
		    const struct linemap *map, struct match **out);

/* "same", "moved", ...; static storage. */
const char *match_kind_name(enum match_kind kind);

#endif
