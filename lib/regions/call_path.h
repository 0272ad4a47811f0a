/*
 * call_path: the elements of a call path, and their code.  Private to regions.
 */
#ifndef ANDWEORC_REGIONS_CALL_PATH_H
#define ANDWEORC_REGIONS_CALL_PATH_H

#include "regions/regions_parts.h"

/* An element of a path: all functions, or lines, of that name. */
struct path_element {
	char *name;          /* owned */
	struct called_name called; /* the name, to be compared with those of functions */
	bool line;           /* a line, not a function */
	enum naming known;
	struct region **v;   /* v[0..n); owned, but not the regions */
	size_t n, cap;
};

struct region_path {
	struct path_element element[ARENA_PATH]; /* the outermost first */
	size_t n;
	struct arena_link *link; /* owned; sorted, disjoint */
	size_t nlinks, links_cap;
};

/* The path of that name, without code so far.  Free it with regions_path_free. */
struct region_path *call_path_new(const char *name);

/* Is the region one of the element's? */
bool call_path_has(const struct path_element *e, const struct region *g);

/* The number of calls that enter elements of the path. */
size_t call_path_calls(const struct region_path *p);

/*
 * Makes the table of links, from the regions of the elements.  With `tails`, calls that enter
 * a function count, too; without, functions that made a tail call are not found.
 */
void call_path_link(struct regions *r, struct region_path *p, bool tails);

#endif
