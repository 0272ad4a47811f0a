/*
 * stacks: the time of all threads, by chains of calls.
 *
 * To get them, set `stacks` of a profile before logs are loaded.  Then the `call` and
 * `sample` records of all runs that count are gathered here, as a tree whose nodes are
 * addresses.  Logs without `call` records give a tree of one level.
 */
#ifndef ANDWEORC_PROFILE_STACKS_H
#define ANDWEORC_PROFILE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/map.h"

#define STACKS_NONE SIZE_MAX

/* How a thread spent its time. */
enum stack_class { STACK_CPU, STACK_LOCK, STACK_IO, STACK_SLEEP, STACK_RUNQUEUE, STACK_OTHER, STACK_CLASSES };

/* "io", as in the format; "waiting" for blocked time of unknown kind. */
const char *stack_class_name(enum stack_class class);

/* Strings are those of struct stacks. */
struct stack_frame {
	const char *function; /* for people; never NULL */
	const char *file;     /* NULL: not known */
	uint64_t line;        /* 0: not known */
};

struct stack_module {
	const char *path;
	const char *build_id; /* "" : not known */
};

/* Code of one address, or a call. */
struct stack_address {
	size_t module;
	uint64_t offset;
	struct stack_frame *frame; /* owned; frame[0..nframes), nframes > 0: the innermost first, then the functions that it is inlined into */
	size_t nframes;
	size_t *region;            /* owned; regions of the profile that contain it */
	size_t nregions, cap_regions;
	bool own;                  /* it is in the program's own source, in a module that has regions */
};

/* A chain of calls, with the innermost address. */
struct stack_node {
	size_t parent;   /* its caller, at a lower index; STACKS_NONE: the outermost known frame */
	size_t address;
	unsigned depth;  /* nodes above it */
	bool more;       /* there are callers that are not known */
	uint64_t ns[STACK_CLASSES]; /* time spent there, without its callees */
};

struct stacks {
	struct map text;
	struct map module_at;
	struct stack_module *module;   /* owned, as all below */
	size_t nmodules, cap_modules;
	struct idmap *address_at;      /* addresses of each module, by offset */
	struct stack_address *address;
	size_t naddresses, cap_addresses;
	struct idmap node_at, more_at; /* by parent and address; the latter of nodes with `more` */
	struct stack_node *node;
	size_t nnodes, cap_nodes;
	bool calls;                    /* there were call records */
	bool periodless;               /* a run did not state its period, so a millisecond was assumed */
};

void stacks_release(struct stacks *s);

/* A text that lives as long as s, the same for the same bytes. */
const char *stacks_text(struct stacks *s, const char *text);

/* The places of an address and of a node; created if there is none.  A new address has no frames. */
size_t stacks_module(struct stacks *s, const char *path, const char *build_id);
size_t stacks_address(struct stacks *s, size_t module, uint64_t offset);
size_t stacks_node(struct stacks *s, size_t parent, size_t address, bool more);

/* Writes warnings about the stacks, before they are used. */
void stacks_warn(const struct stacks *s);

#endif
