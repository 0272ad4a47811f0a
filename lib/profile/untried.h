/*
 * untried: code that has CPU samples, and was in no experiment.
 *
 * A sample is known by its innermost address.  What is charged to a region by the
 * stack, as a library is to the line that calls it, does not show there; so only
 * modules that have regions of their own are looked at, and only lines and
 * functions in no region's ranges.
 *
 * Memory is bounded, however many addresses a log has: beyond UNTRIED_LEAVES in a
 * context, neighbouring addresses share a sum, and code is not named any more; nor is
 * it when names are longer than UNTRIED_TEXT together.  Whether that is so depends on
 * all of the input, not on its order.
 */
#ifndef ANDWEORC_PROFILE_UNTRIED_H
#define ANDWEORC_PROFILE_UNTRIED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/map.h"
#include "format/record.h"

enum { UNTRIED_LEAVES = 1 << 18, UNTRIED_TEXT = 1 << 24 };

/* Names of code -> uint64_t *, their CPU samples. */
struct untried_names {
	struct map sum;
	size_t bytes;  /* of the names */
	bool too_many; /* there were: it is empty, and stays so */
};

/* Samples of a context at one address. */
struct untried_leaf {
	uint64_t module, offset, count;
	uint64_t *sum; /* of names: what the address is called; NULL: it has no name, or none any more */
};

struct untried {
	struct idmap at; /* by address */
	struct untried_leaf *leaf;
	size_t n, cap;
	unsigned shift;  /* addresses that differ in so many low bits only are one */
	struct untried_names names;
};

struct context;

/* Adds a `sample` record of `count` CPU samples; bad ones add nothing. */
void untried_add(struct context *c, struct record *rec, uint64_t count);

/* Part of closing: adds to the profile's names what no region of the context holds, and empties it. */
void untried_close(struct context *c);

void untried_free(struct untried *u);
void untried_names_release(struct untried_names *names);

/* Greatest first; at most n names with their samples. Returns how many. */
struct untried_name {
	const char *name;
	uint64_t samples;
};
size_t untried_most(const struct map *names, struct untried_name *out, size_t n);

#endif
