/*
 * whole_runs: programs without progress points, of which each run is one experiment.
 *
 * The only progress of such a program is its end.  So the first run is for samples
 * alone, and each further run has a region sped up from its first instruction to its
 * last, or none.  Their lengths in virtual time are compared.
 */
#ifndef ANDWEORC_RECORDER_WHOLE_RUNS_H
#define ANDWEORC_RECORDER_WHOLE_RUNS_H

#include "recorder/conductor.h"

/* Call after a run: are further runs to be whole runs? */
void whole_runs_decide(struct conductor *c);

/* Decides the speedup of a run.  Call it before the launch, with an empty arena. */
void whole_runs_prepare(struct conductor *c);

/* Conducts the run until it ends or the time is up. */
void whole_runs_conduct(struct conductor *c);

/* Writes the record of the run, after its end. */
void whole_runs_log(struct conductor *c);

#endif
