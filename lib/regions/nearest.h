/*
 * nearest: suggestions for a name that was not found.
 */
#ifndef ANDWEORC_REGIONS_NEAREST_H
#define ANDWEORC_REGIONS_NEAREST_H

#include "regions/mapping.h"

/*
 * A sentence which says that the name was not found (`called`: the name as it appears
 * there, such as 'name'), with suggestions: lines with code in the file, functions with
 * similar names, other classes.  The caller frees it.
 */
char *nearest_text(struct mappings *m, const char *name, const char *called);

#endif
