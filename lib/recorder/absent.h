/*
 * absent: names of regions and points that were not found.
 *
 * A name that is not found is mostly misspelt, and the recording would not answer the
 * user's question.  So the recording is refused if no process can get more code,
 * because none imports a function that loads shared objects or starts programs.
 * Otherwise the name may belong to code that comes later (a plugin, a program that a
 * shell starts): the recording goes on, with a warning.
 */
#ifndef ANDWEORC_RECORDER_ABSENT_H
#define ANDWEORC_RECORDER_ABSENT_H

#include <stdbool.h>

#include "recorder/conductor.h"

/* Call after a search.  True, and sets c->refused, when the recording is refused. */
bool absent_refuse(struct conductor *c);

/*
 * Writes why the recording was refused, if it was, to standard error and into the log.
 * This takes time, so end the program before.
 */
void absent_end(struct conductor *c);

/* Reports names that were not found within some seconds, once.  Call it several times a second. */
void absent_warn(struct conductor *c);

/* Calls fn for each name that has not been found in any run: with the kind of warning, and a text. */
void absent_tell(struct conductor *c, void (*fn)(struct conductor *c, const char *what, const char *text));

#endif
