/*
 * phase: what a burst does not know of a program with phases.
 *
 * Events are noted in bursts of a second, and a replay tells what is true of those.  A program
 * may have done something else for the rest of its time.  `openssl speed` hashes blocks of six
 * sizes, one after the other: SHA256_Update had 31 % of the samples in the burst and 55 % in all,
 * and was predicted at 0.32 (0.26 to 0.37).  Samples are taken all the time, so they tell.
 */
#ifndef ANDWEORC_PROFILE_PHASE_H
#define ANDWEORC_PROFILE_PHASE_H

#include <stddef.h>

/*
 * The standard error of `gain` by that.  A region of which the run has twice the share that the
 * bursts have may be worth twice as much: so much is in doubt, but for what chance makes of
 * `samples` samples.
 *
 *     burst_share  of the samples in the bursts, the region's part, > 0 .. 1
 *     samples      of the bursts, > 0
 *     run_share    of all samples of the run, the region's part, 0 .. 1
 */
double phase_error(double gain, double burst_share, size_t samples, double run_share);

#endif
