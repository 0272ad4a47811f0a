/*
 * wrapper: functions that do hardly more than call another one.
 *
 * What such a function gains is what the other one gains, and one of them is enough for
 * a reader.  The recorder leaves them out of its experiments (recorder/regions_pick.c);
 * here they are left out of what is asked of bursts.
 */
#ifndef ANDWEORC_PROFILE_WRAPPER_H
#define ANDWEORC_PROFILE_WRAPPER_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/observed.h"

/*
 * By place in the context: is the region a function that says nothing that another one
 * does not say?  Of a chain of them the innermost that has a name is kept.  stack_ns is
 * the time in each stack, by its number - 1.  The caller frees the result.
 */
bool *wrapper_find(const struct context *c, const struct observed *o, const double *stack_ns);

#endif
