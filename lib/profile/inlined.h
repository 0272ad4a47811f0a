/*
 * inlined: the frames of the value inlined_by= of andweorc(5), "FUNCTION@FILE:LINE;...", the innermost first.
 */
#ifndef ANDWEORC_PROFILE_INLINED_H
#define ANDWEORC_PROFILE_INLINED_H

#include <stdbool.h>

struct inlined {
	char *function;
	char *place; /* "FILE:LINE"; NULL: not known */
};

/*
 * Takes the next frame off *chain, which is changed for that; the texts in `f` are parts of it.  False: there is none, or
 * *chain is NULL.
 */
bool inlined_next(char **chain, struct inlined *f);

#endif
