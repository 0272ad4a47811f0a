/*
 * lend: lets a process of another user open the arena.
 *
 * A process opens the arena by /proc/PID/fd of the recorder, which only the same user may
 * do.  So, for a process of another user, root starts a child of that user, which has this
 * one descriptor and lives for a minute at most.
 */
#ifndef ANDWEORC_TARGET_LEND_H
#define ANDWEORC_TARGET_LEND_H

#include <sys/types.h>

/*
 * Returns the process whose descriptor `fd` the process `pid` may open: this one, or a new
 * child.  -1: an error, see errno.  `fd` is above 2; all our descriptors are closed on exec.
 */
pid_t lend_begin(pid_t pid, int fd);

/* Ends the child.  Does nothing for our own pid, and for -1. */
void lend_end(pid_t lender);

#endif
