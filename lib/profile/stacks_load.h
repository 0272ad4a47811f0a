/*
 * stacks_load: from the records of one context to stacks.  Private to loading (load.c, context.c).
 * Each function does nothing when nobody wants stacks.
 */
#ifndef ANDWEORC_PROFILE_STACKS_LOAD_H
#define ANDWEORC_PROFILE_STACKS_LOAD_H

#include "format/record.h"
#include "profile/context.h"

/* A `call`, a `module`, and a `sample` of the run at that place in the context. */
void stacks_load_call(struct context *c, struct record *rec);
void stacks_load_module(struct context *c, struct record *rec);
void stacks_load_sample(struct context *c, struct record *rec, size_t run, uint64_t count);

/* Before regions give their strings away, and after they have their places; `path` is for messages. */
void stacks_find_regions(struct context *c);
void stacks_close(struct context *c, const char *path);

#endif
