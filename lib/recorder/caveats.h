/*
 * caveats: what the recorder saw that makes answers wrong.
 *
 * Some programs cannot be slowed down evenly: time runs on outside of them while
 * their threads pause.  Each such thing that takes enough of the run to matter
 * becomes a warning in the log.
 */
#ifndef ANDWEORC_RECORDER_CAVEATS_H
#define ANDWEORC_RECORDER_CAVEATS_H

#include "recorder/conductor.h"

/* Calls say(c, what, text) for each; text is owned by whom is told. */
void caveats(struct conductor *c, void (*say)(struct conductor *c, const char *what, char *text));

#endif
