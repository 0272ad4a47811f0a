/*
 * shrinkage: the standard errors of many comparisons of few runs each.
 *
 * With five runs, a standard error is known to a third of itself, and Student's
 * factor pays for that dearly where many regions are tested.  But the regions
 * of one point were measured in the same runs with like numbers of windows, so
 * their errors are alike, and what the others show about one is worth degrees of
 * freedom (Smyth 2004: empirical Bayes).  How many depends on how alike they are.
 */
#ifndef ANDWEORC_DIFF_SHRINKAGE_H
#define ANDWEORC_DIFF_SHRINKAGE_H

#include <stddef.h>

#include "estimate/stats.h"

/*
 * Differences of one kind, all with 0 < se < infinity.  Raises standard errors
 * that are small by luck, never lowers any, and raises degrees of freedom; the
 * rest of the estimate follows.  Fewer than three are left as they are.
 */
void shrink_errors(struct estimate **difference, size_t n);

#endif
