/*
 * shrinkage: the standard errors of many comparisons of few runs each.
 *
 * With five runs, the relative error of a standard error is a third, so Student's
 * factor is large when many regions are tested.  But the regions of one point were
 * measured in the same runs with similar numbers of windows.  So their errors are
 * similar, and each of them gets additional degrees of freedom from the others (Smyth
 * 2004: empirical Bayes).  Their number depends on how similar the errors are.
 */
#ifndef ANDWEORC_DIFF_SHRINKAGE_H
#define ANDWEORC_DIFF_SHRINKAGE_H

#include <stddef.h>

#include "estimate/stats.h"

/*
 * Takes differences of one kind, all with 0 < se < infinity.  Raises standard errors
 * that are small by chance, never lowers any, and raises degrees of freedom; updates
 * the rest of each estimate.  Fewer than three are left unchanged.
 */
void shrink_errors(struct estimate **difference, size_t n);

#endif
