/*
 * untried: code that has CPU samples, and was in no experiment.
 *
 * A sample is known by its innermost address.  What is charged to a region by the
 * stack, as a library is to the line that calls it, does not show there; so only
 * modules that have regions of their own are looked at, and only lines and
 * functions in no region's ranges.
 */
#ifndef ANDWEORC_PROFILE_UNTRIED_H
#define ANDWEORC_PROFILE_UNTRIED_H

#include <stdint.h>

#include "base/map.h"
#include "format/record.h"
#include "base/idmap.h"

/* Samples of a context at one address. */
struct untried_leaf {
	uint64_t module, offset, count;
	uint64_t *sum; /* samples of what the address is called, in the profile; NULL: it has no name */
};

struct untried {
	struct idmap at; /* by address */
	struct untried_leaf *leaf;
	size_t n, cap;
};

struct context;

/* Adds a `sample` record of `count` CPU samples; bad ones add nothing. */
void untried_add(struct context *c, struct record *rec, uint64_t count);

/* Part of closing: adds to the profile's map what no region of the context holds, and empties it. */
void untried_close(struct context *c);

void untried_free(struct untried *u);

/* Greatest first; at most n names with their samples. Returns how many. */
struct untried_name {
	const char *name;
	uint64_t samples;
};
size_t untried_most(const struct map *names, struct untried_name *out, size_t n);

#endif
