/*
 * lend: lets a process of another user open the arena.
 *
 * Who may open a descriptor of ours by /proc is of our user.  So for another user's process,
 * root makes a child of that user that has this one descriptor, for a while.
 */
#ifndef ANDWEORC_RECORDER_LEND_H
#define ANDWEORC_RECORDER_LEND_H

#include <sys/types.h>

/*
 * The process whose descriptor `fd` (above 2, and closed on exec, as all others of ours
 * are) `pid` may open: we ourselves, or a child; -1 with errno: there is none.
 */
pid_t lend_begin(pid_t pid, int fd);

/* The child ends.  We ourselves, or -1: nothing. */
void lend_end(pid_t lender);

#endif
