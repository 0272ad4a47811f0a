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

/* Limits on waiting records, so that memory stays bounded. */
#define PENDING_MAX ((size_t)64 << 20) /* bytes of text */

struct pending {
	struct record **v; /* v[first..n), owned */
	size_t first, n, cap;
	size_t bytes;
};

void pending_init(struct pending *h);
void pending_release(struct pending *h);

bool pending_is_empty(const struct pending *h);
bool pending_is_full(const struct pending *h);

/* Adds a copy. */
void pending_add(struct pending *h, const struct record *rec);

/* The one that waits longest (valid until pending_drop), or NULL. */
struct record *pending_first(struct pending *h);
void pending_drop(struct pending *h);

#endif
