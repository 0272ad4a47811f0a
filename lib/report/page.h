/*
 * page: the report as one HTML document that needs nothing else: no network, no other
 * file, no script.  Where scripts are on, columns of its tables can be sorted.
 *
 * Names come from programs under test.  They are escaped, and the document allows only
 * its own style and script, so that a name cannot execute anything.
 */
#ifndef ANDWEORC_REPORT_PAGE_H
#define ANDWEORC_REPORT_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "analysis/impact.h"

/* At most `top` regions for each point, as in the report. */
void page_write(const struct analysis *a, size_t top, FILE *out);

#endif
