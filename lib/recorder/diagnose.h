/*
 * diagnose: an empty result is never silent.
 */
#ifndef ANDWEORC_RECORDER_DIAGNOSE_H
#define ANDWEORC_RECORDER_DIAGNOSE_H

#include "recorder/conductor.h"

/*
 * Reports, after a run of `command`, what prevented (good) measurements, with a remedy:
 * as warnings in the log, and after the first run also on standard error.
 */
void diagnose(struct conductor *c, const char *command);

/* The same for the recording as a whole, after its last run. */
void diagnose_end(struct conductor *c);

/*
 * The options that give the program more time than now: "-d SECONDS", "a longer -d than
 * 6", or "a greater -n than 3".  The caller frees it.
 */
char *diagnose_longer(const struct plan *p);

#endif
