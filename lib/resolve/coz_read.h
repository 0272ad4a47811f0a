/*
 * coz_read: converts profiles of Coz to logs.
 *
 * Coz writes lines of words with tabs between them, and its newest version a JSON object
 * a line; both have the same content.  An experiment and the visits in it become the
 * records `experiment` and `visits`, a selected line becomes a `region`, a start of the
 * program a `run`.  An experiment at speedup 0 is a baseline, whichever line was
 * selected.
 */
#ifndef ANDWEORC_RESOLVE_COZ_READ_H
#define ANDWEORC_RESOLVE_COZ_READ_H

#include <stdbool.h>
#include <stdio.h>

/* Does the file begin like such a profile?  False for a file that can be read only once (a pipe), or not at all. */
bool coz_is_profile(const char *path);

/* Writes the log.  An invalid line is an error, reported with its number, and left out. */
void coz_read(const char *path, FILE *out);

#endif
