/*
 * load: what each record type adds to a context.  Private to loading (load.c).
 * A bad record is reported and adds nothing.
 */
#ifndef ANDWEORC_PROFILE_LOAD_H
#define ANDWEORC_PROFILE_LOAD_H

#include "format/record.h"
#include "profile/context.h"

/* Code, and the time that was spent there. */
void load_module(struct context *c, struct record *rec);
void load_region(struct context *c, struct record *rec);
void load_share(struct context *c, struct record *rec);
void load_sample(struct context *c, struct record *rec);

#endif
