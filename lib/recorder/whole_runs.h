/*
 * whole_runs: a program without any progress point; each run of it is one experiment.
 *
 * Nothing tells how far such a program is, but that it has ended.  So the first
 * run is for samples alone, and each further one has a region sped up from its
 * first instruction to its last, or none.  Its length in virtual time is what is
 * compared.
 */
#ifndef ANDWEORC_RECORDER_WHOLE_RUNS_H
#define ANDWEORC_RECORDER_WHOLE_RUNS_H

#include "recorder/conductor.h"

/* After a run: shall the further ones be whole? */
void whole_runs_decide(struct conductor *c);

/* Before a run is launched, in an empty arena: decides what it is sped up by. */
void whole_runs_prepare(struct conductor *c);

/* While it runs, until it ends or the time is up. */
void whole_runs_conduct(struct conductor *c);

/* Once it has ended: its record. */
void whole_runs_log(struct conductor *c);

#endif
