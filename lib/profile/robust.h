/*
 * robust: finds disturbed windows that the recorder has not marked.
 *
 * A neighbour on the machine can make single windows many times slower.  Such windows
 * are far from the value that is expected for their stratum and speedup, and get less
 * weight.  A program's own phases can look the same, and are part of its time.  So
 * weights change only if there is evidence beside the time itself.  METHOD.md,
 * "Disturbed windows", has the rules.
 */
#ifndef ANDWEORC_PROFILE_ROBUST_H
#define ANDWEORC_PROFILE_ROBUST_H

#include "profile/profile.h"

/* Sets the weights and the marks of slow windows in v[0..n), the visits of one point, in any order. */
void robust_weigh(const struct profile *p, struct profile_visits *v, size_t n);

#endif
