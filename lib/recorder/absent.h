/*
 * absent: what was asked for by name, and is nowhere.
 *
 * A name that nothing has is mostly a slip of the pen, and the recording would
 * answer another question than was asked.  So it ends before it begins, if no
 * process of it can get more code: none imports a function that loads shared
 * objects or starts programs.  Otherwise the name may belong to what comes later
 * (a plugin; what a shell starts): the recording goes on, and says so.
 */
#ifndef ANDWEORC_RECORDER_ABSENT_H
#define ANDWEORC_RECORDER_ABSENT_H

#include <stdbool.h>

#include "recorder/conductor.h"

/* After a search.  True, and c->refused is, when the recording is refused. */
bool absent_refuse(struct conductor *c);

/* Says why it was refused, if so, on standard error and in the log.  That takes time: the program is to be ended by then. */
void absent_end(struct conductor *c);

/* Says what has not been found for some seconds, once.  To be called several times a second. */
void absent_warn(struct conductor *c);

/* Calls fn for each name that has not been found in any run: with the kind of warning, and a text. */
void absent_tell(struct conductor *c, void (*fn)(struct conductor *c, const char *what, const char *text));

#endif
