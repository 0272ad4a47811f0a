/*
 * why: the reasons for the gain of a region, from the waits in recorded events.
 *
 * Hot code gains little if no thread waits for it: then its own threads wait for
 * others.  Code that gains much makes other threads wait.  This module finds, for each
 * region, the longest waits, and the code that ends them.
 */
#ifndef ANDWEORC_PROFILE_WHY_H
#define ANDWEORC_PROFILE_WHY_H

#include <stddef.h>

#include "format/record.h"
#include "profile/context.h"
#include "replay/replay.h"

/*
 * The text for a `place` record, which the caller frees: "pzip.c:175 (queue_put in writer)"
 * if queue_put is inlined in writer.  For code that is inlined from a library, the place is
 * that of the call in the program.  For a library's own code, the text is just its name.
 */
char *why_place(struct record *rec);

/* The threads and waits of one run.  `o` and `r` are the caller's, until why_end. */
struct why;
struct why *why_begin(struct observed *o, const struct replay *r);

/* Adds the reasons for a region to the profile.  `region`: its place in the context. */
void why_add(struct why *w, struct context *c, size_t region);

void why_end(struct why *w);

#endif
