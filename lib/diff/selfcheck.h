/*
 * selfcheck: measures the rate of false alarms in this data.  Runs of one program are
 * dealt out to two sides at random, repeatedly, and compared: every change that is
 * found is a false alarm.
 *
 * The deals share their runs, so they describe this machine and this program, not every
 * future comparison.
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
