/*
 * adjust: corrects windows for the chance of sampling.
 *
 * The number of samples in the region varies from window to window, by chance and with
 * phases of the program.  More hits than usual mean more credit, and less virtual time.
 * The usual number is known much better from the whole run than from the few windows of
 * one speedup.  See share/doc/METHOD.md, "Adjustment".
 */
#ifndef ANDWEORC_PROFILE_ADJUST_H
#define ANDWEORC_PROFILE_ADJUST_H

#include "profile/context.h"

/*
 * Corrects virtual_ns of the visits of the context, where that is justified.  Runs, windows
 * and shares of the context must be complete.
 */
void adjust_context(struct context *c);

#endif
