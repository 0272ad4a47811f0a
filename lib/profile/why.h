/*
 * why: why a region gains what it gains, by the waits of recorded events.
 *
 * Hot code that nobody waits for gains little: the threads that run it wait for
 * others.  Code that gains much makes other threads wait.  Which waits are
 * the longest, and what ends them, is said of each region.
 */
#ifndef ANDWEORC_PROFILE_WHY_H
#define ANDWEORC_PROFILE_WHY_H

#include <stddef.h>

#include "format/record.h"
#include "profile/context.h"
#include "replay/replay.h"

/*
 * The place of a `place` record in words, which the caller frees: "pzip.c:175 (queue_put in
 * writer)" where queue_put is inlined in writer.  What is inlined from a library is where the
 * program calls it; a library's own code has its name alone.
 */
char *why_place(struct record *rec);

/* The threads and waits of one run.  `o` and `r` are the caller's, until why_end. */
struct why;
struct why *why_begin(struct observed *o, const struct replay *r);

/* Adds to the profile what there is to say of the region, by its place in the context. */
void why_add(struct why *w, struct context *c, size_t region);

void why_end(struct why *w);

#endif
