/*
 * given_windows: windows in which another region was faster all the time
 * (andweorc-record --given).
 *
 * They say what a region would be worth then, and must never be compared with
 * other windows.  Points are never compared with each other, so what a point did
 * in such windows is a point of its own: "frame (given decode 30 % faster)".
 */
#ifndef ANDWEORC_PROFILE_GIVEN_WINDOWS_H
#define ANDWEORC_PROFILE_GIVEN_WINDOWS_H

#include "profile/context.h"

/* Part of closing: visits and spans in such windows become those of such points. */
void given_split(struct context *c);

#endif
