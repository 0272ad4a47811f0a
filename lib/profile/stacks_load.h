/*
 * stacks_load: from the records of one context to stacks.  Private to loading (load.c, context.c).
 * Each function does nothing if stacks are not wanted.
 */
#ifndef ANDWEORC_PROFILE_STACKS_LOAD_H
#define ANDWEORC_PROFILE_STACKS_LOAD_H

#include "format/record.h"
#include "profile/context.h"

/* Add a `call`, a `module`, or a `sample` record.  `run`: its place in the context. */
void stacks_load_call(struct context *c, struct record *rec);
void stacks_load_module(struct context *c, struct record *rec);
void stacks_load_sample(struct context *c, struct record *rec, size_t run, uint64_t count);

/*
 * Two parts of closing: the first before regions give their strings to the profile, the
 * second after they have their places.  `path` is for messages.
 */
void stacks_find_regions(struct context *c);
void stacks_close(struct context *c, const char *path);

#endif
