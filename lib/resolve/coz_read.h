/*
 * coz_read: profiles of Coz become logs.
 *
 * Coz writes lines of words with tabs between them, and its newest version a JSON object
 * a line; both say the same things.  An experiment and what was visited meanwhile become
 * the records `experiment` and `visits`, a line that was selected becomes a `region`,
 * a start of the program a `run`.  An experiment at speedup 0 is a baseline, whichever
 * line was selected.
 */
#ifndef ANDWEORC_RESOLVE_COZ_READ_H
#define ANDWEORC_RESOLVE_COZ_READ_H

#include <stdbool.h>
#include <stdio.h>

/* Does the file begin as such a profile does?  False for what can be read only once (a pipe), or not at all. */
bool coz_is_profile(const char *path);

/* Writes the log.  A line that makes no sense is an error, said with its number, and left out. */
void coz_read(const char *path, FILE *out);

#endif
