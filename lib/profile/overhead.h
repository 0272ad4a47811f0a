/* overhead: the time that the runtime takes from the program, left out of what windows measured. */
#ifndef ANDWEORC_PROFILE_OVERHEAD_H
#define ANDWEORC_PROFILE_OVERHEAD_H

struct context;

/*
 * Takes from the time of all visits of the log what the runtime took of it: for each point the
 * same time a visit, the mean of all baselines.  To be called once, before the windows are moved to
 * the profile.  Latencies stay as they are.
 */
void overhead_deduct(struct context *c);

#endif
