/*
 * load: functions that add a record to a context, by record type.  Private to loading
 * (load.c).  A bad record is reported and adds nothing.
 */
#ifndef ANDWEORC_PROFILE_LOAD_H
#define ANDWEORC_PROFILE_LOAD_H

#include "format/record.h"
#include "profile/context.h"

/* Records of code, and of time spent there. */
void load_module(struct context *c, struct record *rec);
void load_region(struct context *c, struct record *rec);
void load_share(struct context *c, struct record *rec);
void load_sample(struct context *c, struct record *rec);

/*
 * Records of spans; and the fields about spans in `visits` records of kind latency, which
 * were added as visits[visits].
 */
void load_latency(struct context *c, struct record *rec);
void load_ends(struct context *c, struct record *rec, size_t visits);

/* The place of the point of that name. */
size_t load_point(struct profile *p, const char *name);
bool load_knows_point(const struct profile *p, const char *name);

#endif
