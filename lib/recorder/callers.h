/*
 * callers: the chains of calls that samples came by.
 *
 * The chains are kept as a tree that grows from the outermost frames: each call stands in
 * it once for each chain of calls that led to it, with the number of the call before it.
 * A sample is counted at its innermost address and the call that this was reached by.  A
 * log so takes few bytes for a chain, however deep it is.
 *
 * Calls are numbered from 1, through all runs of a recording; counts are those of a run.
 * The room is bounded: calls that are new when there is none are not told apart, and
 * samples that came by them are counted without a caller.
 */
#ifndef ANDWEORC_RECORDER_CALLERS_H
#define ANDWEORC_RECORDER_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "runtime/arena.h"

struct caller {
	uint64_t place; /* of the last byte of the call */
	uint32_t by;    /* number of the call that led there; 0: it is the outermost one that is known */
	bool more;      /* there are callers that are not known, as the stack is deeper than is kept */
};

struct caller_count {
	uint64_t place;    /* the innermost address */
	uint32_t by;       /* number of the call that led there; 0: not known */
	uint64_t count[CLASSES]; /* in periods */
};

struct callers {
	struct idmap place_at, call_at, count_at;
	struct caller *call; /* owned; call[0..ncalls), call number n at [n - 1] */
	size_t ncalls, cap_calls;
	size_t nlogged;      /* so many of them are in the log */
	struct caller_count *count; /* owned; of this run */
	size_t ncounts, cap_counts;
};

void callers_release(struct callers *c);

/* Forgets the counts, for the next run. */
void callers_new_run(struct callers *c);

/*
 * Counts a sample of the class.  place[0] is its innermost address, place[1..n) are the
 * calls that led there, the outermost one last; `more`: not all of them.
 */
void callers_count(struct callers *c, const uint64_t *place, size_t n, bool more, enum arena_class class, uint64_t weight);

#endif
