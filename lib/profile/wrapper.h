/*
 * wrapper: functions that do little more than call another one.
 *
 * Such a function has the same gain as the other one, and a reader needs only one of
 * them.  The recorder leaves them out of its experiments (regions/regions_pick.c);
 * here they are left out of replay.
 */
#ifndef ANDWEORC_PROFILE_WRAPPER_H
#define ANDWEORC_PROFILE_WRAPPER_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/observed.h"

/*
 * For each region, by place in the context: is it a function that is redundant beside
 * another one?  Of a chain of wrappers the innermost with a name is kept.  Only those
 * that are asked for are looked at.  stack_ns is the time in each stack, by its number - 1.  The caller frees the result.
 */
bool *wrapper_find(const struct context *c, const struct observed *o, const bool *asked, const double *stack_ns);

#endif
