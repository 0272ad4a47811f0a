/*
 * environment: were base and head measured alike?
 */
#ifndef ANDWEORC_DIFF_ENVIRONMENT_H
#define ANDWEORC_DIFF_ENVIRONMENT_H

#include <stdbool.h>

#include "diff/report.h"
#include "diff/side.h"

/*
 * Notes each property that differs, as `unlike` if it makes a comparison worthless, and
 * adds `meta` rows about equal ones.  With `paired`, runs of one block are compared
 * with each other; else all runs.
 */
void environment_compare(struct report *r, const struct side *base, const struct side *head, bool paired);

/* Does the report contain an `unlike` note? */
bool environment_is_unlike(const struct report *r);

#endif
