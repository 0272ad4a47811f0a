/* sigwait: signals, for callers that bypass the functions of libc. */
#ifndef ANDWEORC_WRAP_SIGWAIT_H
#define ANDWEORC_WRAP_SIGWAIT_H

#include <signal.h>
#include <sys/types.h>

#include "runtime/wait.h"

/* any: before a signal is sent to a process (as kill(2) has it) or to a thread. */
void signal_to_process(pid_t pid, int sig, const void *site);
void signal_to_thread(pid_t tid, int sig, const void *site);

/* any: the key of whatever signal is sent to that process: of waits for any signal. */
uint64_t signal_any(pid_t pid);

/*
 * any: end a wait for signals.  The first: `sig` came, which info describes (<= 0: no
 * signal came).  The second: signals came, and their handlers have run.
 */
void signal_wait_end(struct wait *w, int sig, const siginfo_t *info);
void signal_wait_end_any(struct wait *w);

#endif
