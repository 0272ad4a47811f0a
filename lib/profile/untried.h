/*
 * untried: code with CPU samples that was in no experiment.
 *
 * A sample has only its innermost address.  It does not show regions that are charged
 * by the stack, as a line is for a library that it calls.  So only modules with regions
 * of their own are examined, and only lines and functions outside all regions' ranges.
 *
 * Memory is bounded, however many addresses a log has: beyond UNTRIED_LEAVES in a
 * context, neighbouring addresses share a sum, and names of code are dropped; so they
 * are if they are longer than UNTRIED_TEXT together.  This depends on the whole input,
 * not on its order.
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
	size_t bytes;  /* total length of the names */
	bool too_many; /* there were too many: the map is empty, and stays so */
};

/* Samples of a context at one address. */
struct untried_leaf {
	uint64_t module, offset, count;
	uint64_t *sum; /* an element of names: the name of the address; NULL: none, or dropped */
};

struct untried {
	struct idmap at; /* by address */
	struct untried_leaf *leaf;
	size_t n, cap;
	unsigned shift;  /* so many low bits of addresses are ignored */
	struct untried_names names;
};

struct context;

/* Adds a `sample` record of `count` CPU samples; bad ones add nothing. */
void untried_add(struct context *c, struct record *rec, uint64_t count);

/* Part of closing: adds code outside all regions of the context to the profile's names, and empties it. */
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
