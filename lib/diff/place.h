/*
 * place: regions of an analysis as places to be matched.
 */
#ifndef ANDWEORC_DIFF_PLACE_H
#define ANDWEORC_DIFF_PLACE_H

#include "finding/finding.h"
#include "match/match.h"

/* The strings are the finding's. */
struct match_place place_of(const struct finding *f);

#endif
