/*
 * place: regions of an analysis as places to be matched.
 */
#ifndef ANDWEORC_DIFF_PLACE_H
#define ANDWEORC_DIFF_PLACE_H

#include "match/match.h"
#include "finding/finding.h"

/* The strings are the finding's. */
struct match_place place_of(const struct finding *f);

#endif
