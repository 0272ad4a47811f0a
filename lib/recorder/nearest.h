/*
 * nearest: what may have been meant by a name that nothing has.
 */
#ifndef ANDWEORC_RECORDER_NEAREST_H
#define ANDWEORC_RECORDER_NEAREST_H

#include "recorder/mapping.h"

/*
 * A sentence that says that nothing has the name (`called`: as the sentence puts
 * it, such as 'name' or so), and what comes nearest: lines with code in the file,
 * functions with similar names, other classes.  The caller's.
 */
char *nearest_text(struct mappings *m, const char *name, const char *called);

#endif
