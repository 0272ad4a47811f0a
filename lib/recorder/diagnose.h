/*
 * diagnose: an empty result is never silent.
 */
#ifndef ANDWEORC_RECORDER_DIAGNOSE_H
#define ANDWEORC_RECORDER_DIAGNOSE_H

#include "recorder/conductor.h"

/*
 * Says, after a run of `command`, what kept it from being measured (well), with
 * a remedy: as warnings in the log, and on standard error after the first run.
 */
void diagnose(struct conductor *c, const char *command);

/* The same for the recording as a whole, after its last run. */
void diagnose_end(struct conductor *c);

/*
 * What gives the program more time, beyond what was given already: "-d SECONDS",
 * "a longer -d than 6", or "a greater -n than 3".  The caller frees it.
 */
char *diagnose_longer(const struct plan *p);

#endif
