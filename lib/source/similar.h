/*
 * similar: pairs lines of one text with the lines of another that they became.
 */
#ifndef ANDWEORC_SOURCE_SIMILAR_H
#define ANDWEORC_SOURCE_SIMILAR_H

#include <stddef.h>
#include <stdint.h>

#include "source/patch.h"

/*
 * Pairs old[0..n) with new[0..m), in order: partner[i] is 1 + the index of the
 * line that old[i] became, or 0, and similarity[i] how alike the two are, 0..1:
 * common pairs of neighbouring bytes, blanks left out.  Lines with a similarity below
 * SIMILAR_MIN are not paired.  The time is bounded by a constant times the length of
 * the lines.
 */
void similar_align(const struct patch_text *old, size_t n, const struct patch_text *new, size_t m, uint32_t *partner,
		   float *similarity);

#define SIMILAR_MIN 0.3

#endif
