/*
 * environment: were base and head measured alike?
 */
#ifndef ANDWEORC_DIFF_ENVIRONMENT_H
#define ANDWEORC_DIFF_ENVIRONMENT_H

#include <stdbool.h>

#include "diff/report.h"
#include "diff/side.h"

/*
 * Notes each thing that differs, `unlike` for those that make a comparison
 * worthless, and adds the rows `meta` about what is alike.  With `paired`, runs
 * of one block are held against each other; else all runs.
 */
void environment_compare(struct report *r, const struct side *base, const struct side *head, bool paired);

/* Does the report say that the sides are unlike? */
bool environment_is_unlike(const struct report *r);

#endif
