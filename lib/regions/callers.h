/*
 * callers: the chains of calls of samples.
 *
 * The chains are kept as a tree that grows from the outermost frames: it has a node for
 * each call and each chain of calls that led there, with the number of the call before
 * it.  A sample is counted by its innermost address and the number of the call that
 * reached it.  So a chain takes few bytes of the log, however deep it is.
 *
 * Calls are numbered from 1, through all runs of a recording; counts are those of a run.
 * The number of calls is limited.  Beyond that, new calls get no number, and samples
 * that were reached by them are counted without a caller.
 */
#ifndef ANDWEORC_REGIONS_CALLERS_H
#define ANDWEORC_REGIONS_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "runtime/arena.h"

struct caller {
	uint64_t place; /* address of the last byte of the call */
	uint32_t by;    /* number of the call that led there; 0: this is the outermost known one */
	bool more;      /* further callers are not known, because the stack is deeper than the limit */
};

struct caller_count {
	uint64_t place;    /* the innermost address */
	uint32_t by;       /* number of the call that led there; 0: not known */
	uint64_t count[CLASSES]; /* samples, in periods */
};

struct callers {
	struct idmap place_at, call_at, count_at;
	struct caller *call; /* owned; call[0..ncalls), call number n at [n - 1] */
	size_t ncalls, cap_calls;
	size_t nlogged;      /* number of calls that are in the log */
	struct caller_count *count; /* owned; counts of this run */
	size_t ncounts, cap_counts;
};

void callers_release(struct callers *c);

/* Forgets the counts, for the next run. */
void callers_new_run(struct callers *c);

/*
 * Counts a sample of the class.  place[0] is its innermost address, place[1..n) are the
 * calls that led there, the outermost last.  `more`: further calls are missing.
 */
void callers_count(struct callers *c, const uint64_t *place, size_t n, bool more, enum arena_class class, uint64_t weight);

#endif
