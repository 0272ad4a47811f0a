/*
 * selfcheck: would this data cry wolf?  Runs of what is known to be one program
 * are dealt out to two sides at random, again and again, and compared: every
 * change that is found is a false one.
 *
 * The deals share their runs, so they say how this machine and this program
 * behave, not how each comparison to come will.
 */
#ifndef ANDWEORC_DIFF_SELFCHECK_H
#define ANDWEORC_DIFF_SELFCHECK_H

#include <stdbool.h>

#include "diff/comparisons.h"

/*
 * With `other` NULL, the runs of one analysis are dealt out; else those of two,
 * within their blocks where they have some in common.  Adds rows `meta`, aa_*.
 * False, after a message, when there are too few runs.
 */
bool selfcheck(struct report *r, const struct side *one, const struct side *other, const struct comparisons_options *o);

/* The result in sentences. */
void selfcheck_write_text(const struct report *r, FILE *out);

#endif
