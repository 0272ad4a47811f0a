/*
 * phase: the error of replay in programs with phases.
 *
 * Events are noted in bursts of a second, and a replay describes only those.  A program may have
 * done something else in the rest of its time.  `openssl speed` hashes blocks of six sizes, one
 * after the other: SHA256_Update had 31 % of the samples in the burst and 55 % in all, and was
 * predicted at 0.32 (0.26 to 0.37).  Samples are taken in the whole run, so they show
 * the difference.
 */
#ifndef ANDWEORC_PROFILE_PHASE_H
#define ANDWEORC_PROFILE_PHASE_H

#include <stddef.h>

/*
 * The standard error of `gain` for this reason.  If a region has twice the share in the run
 * that it has in the bursts, its gain may be twice as large.  The error is that difference,
 * less the chance error of `samples` samples.
 *
 *     burst_share  of the samples in the bursts, the region's part, > 0 .. 1
 *     samples      of the bursts, > 0
 *     run_share    of all samples of the run, the region's part, 0 .. 1
 */
double phase_error(double gain, double burst_share, size_t samples, double run_share);

#endif
