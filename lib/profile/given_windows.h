/*
 * given_windows: windows in which another region was faster all the time
 * (andweorc-record --given).
 *
 * They tell the effect of a region under that condition, and must never be compared
 * with other windows.  Points are never compared with each other.  So the visits of a
 * point in such windows belong to a separate point: "frame (given decode 30 % faster)".
 */
#ifndef ANDWEORC_PROFILE_GIVEN_WINDOWS_H
#define ANDWEORC_PROFILE_GIVEN_WINDOWS_H

#include "profile/context.h"

/* Part of closing: moves visits and spans in such windows to such points. */
void given_split(struct context *c);

#endif
