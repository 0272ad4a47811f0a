/*
 * kind: kinds of progress points, as in the key `kind` of `visits` and of an analysis.
 *
 * This is the one table of them.  The runtime's kinds are in runtime/arena.h;
 * recorder/points.c has their names in a log.
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

/* The name in the format; NULL when `kinds` is not exactly one. */
const char *kind_name(unsigned kinds);

/* The kind of that name; 0 for another name. */
unsigned kind_named(const char *name);

#endif
