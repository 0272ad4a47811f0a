/*
 * kind: what a visit of a progress point is, as `kind` says in `visits` and in an analysis.
 *
 * This is the one table of them.  Which kinds of points the runtime knows is in
 * runtime/arena.h, and what they are called in a log in recorder/points.c.
 */
#ifndef ANDWEORC_FORMAT_KIND_H
#define ANDWEORC_FORMAT_KIND_H

#include <stdbool.h>

/* A mask, as logs may disagree. */
enum kind {
	KIND_THROUGHPUT = 1 << 0,
	KIND_LATENCY = 1 << 1, /* visits are the ends of spans */
	KIND_RUN = 1 << 2,     /* a whole run of the program */
};

/* As in the format; NULL when `kinds` is not exactly one. */
const char *kind_name(unsigned kinds);

/* The kind of that name; 0 when it is none. */
unsigned kind_named(const char *name);

#endif
