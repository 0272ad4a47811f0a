/*
 * pending: records that wait for one that comes later.
 *
 * A log may be permuted, and a filter keeps its order: a sample that comes
 * before its module waits, and all that is behind it.  Logs as andweorc-record
 * writes them never make anything wait.
 */
#ifndef ANDWEORC_RESOLVE_PENDING_H
#define ANDWEORC_RESOLVE_PENDING_H

#include <stdbool.h>
#include <stddef.h>

#include "format/record.h"

/* What may wait, so that memory stays bounded. */
#define HOLD_MAX ((size_t)64 << 20) /* bytes of text */

struct hold {
	struct record **v; /* v[first..n), owned */
	size_t first, n, cap;
	size_t bytes;
};

void hold_init(struct hold *h);
void hold_release(struct hold *h);

bool hold_is_empty(const struct hold *h);
bool hold_is_full(const struct hold *h);

/* Adds a copy. */
void hold_add(struct hold *h, const struct record *rec);

/* The one that waits longest (valid until hold_drop), or NULL. */
struct record *hold_first(struct hold *h);
void hold_drop(struct hold *h);

#endif
