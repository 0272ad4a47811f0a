/*
 * unit: the table of one compile unit, from address to line and inline chain.
 */
#ifndef ANDWEORC_BINARY_UNIT_H
#define ANDWEORC_BINARY_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "binary/image.h"

#define NODE_NONE UINT32_MAX

/* A function's own code (parent NODE_NONE) or one inlined copy of it. */
struct node {
	Dwarf_Die die;
	const char *name;      /* node_name's memory */
	const char *call_file; /* interned; NULL unknown, or not inlined */
	unsigned call_line;
	uint32_t parent;
	bool named;            /* node_name was here */
	bool settled;          /* image_node_name was here */
	bool limited, allowed; /* the image's limit was evaluated for it, with this result */
};

/* From lo up to the next span's lo. */
struct span {
	uint64_t lo;
	const char *file; /* interned; NULL unknown */
	unsigned line;
	uint32_t node;    /* the innermost, or NODE_NONE */
};

/* Maps the abstract instance of a function to the node with its own code. */
struct own {
	const void *origin;
	uint32_t node;
};

struct unit {
	struct span *span; /* span[0..n), sorted; the last one is a gap (no file, no node) */
	size_t n;
	struct node *node; /* parents before children */
	size_t nnodes;
	struct range *part;  /* the ranges of all nodes, inner code included, in order of nodes */
	uint32_t *part_node; /* part_node[i]: the node of the range part[i] */
	size_t nparts;
	bool in_c;           /* the language: names are linkage names there */
	struct own *own;     /* own[0..nown), by origin; built by node_own */
	size_t nown;
	bool own_built;
};

/*
 * Builds the table of the unit with this DIE (a skeleton brings in its split
 * half).  `files` interns paths: key = value.  Code outside code[0..ncode), the
 * file's executable sections, was thrown away by the linker and is left out.
 */
struct unit *unit_build(Dwarf_Die *cu, struct map *files, const struct range *code, size_t ncode);
void unit_free(struct unit *u); /* NULL is allowed */

/* May the unit have code of a file that is, or ends in, `tail`?  Costs less than building it. */
bool unit_mentions(Dwarf_Die *cu, const char *tail);

/* Is its language C, in which linkage names are plain names? */
bool unit_is_c(Dwarf_Die *cu);

/* The span that holds off, or NULL. */
const struct span *unit_find(const struct unit *u, uint64_t off);

/* Linkage name of a node, or its source name; NULL when it has none. */
const char *node_name(struct unit *u, uint32_t node);

/* The line on which the function of a node is declared in `file`; 0 when that is unknown, or in another file. */
unsigned node_line(struct unit *u, uint32_t node, const char *file);

/*
 * The node with the own code of the function of which `node` is an inlined copy, or
 * NODE_NONE if there are only inlined copies.
 */
uint32_t node_own(struct unit *u, uint32_t node);

/* The first range of a node's code; false when it was thrown away by the linker. */
bool node_code(const struct unit *u, uint32_t node, struct range *range);

/* Is off in one of range[0..n), which are sorted and disjoint? */
bool range_holds(const struct range *range, size_t n, uint64_t off);

#endif
