/*
 * caveats: conditions that make results wrong.
 *
 * Some programs cannot be slowed down evenly: something outside of them goes on while
 * their threads pause.  Each such condition that takes enough of the run becomes a
 * warning in the log.
 */
#ifndef ANDWEORC_RECORDER_CAVEATS_H
#define ANDWEORC_RECORDER_CAVEATS_H

#include "recorder/conductor.h"

/* Calls say(c, what, text) for each.  The callee owns the text. */
void caveats(struct conductor *c, void (*say)(struct conductor *c, const char *what, char *text));

/* Have threads often waited for a processor, in this run up to now? */
bool caveats_is_crowded(struct conductor *c);

#endif
