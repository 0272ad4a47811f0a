/*
 * robust: windows that something hit, and nobody marked.
 *
 * A neighbour on the machine can make single windows many times slower.  They
 * are told by how far they lie from what their stratum and their speedup let
 * expect, and get less weight.  A program's own phases can look the same, and
 * are part of its time: so weights change only where there is evidence beyond
 * the time itself.  METHOD.md, "Disturbed windows", has the rules.
 */
#ifndef ANDWEORC_PROFILE_ROBUST_H
#define ANDWEORC_PROFILE_ROBUST_H

#include "profile/profile.h"

/* Sets the weights of v[0..n), the visits of one point, and what is known of slow ones, whatever their order. */
void robust_weigh(const struct profile *p, struct profile_visits *v, size_t n);

#endif
