/*
 * Functions of libc that would harm the runtime: they close its descriptors, change its
 * signals, forbid its calls, or stop the process at each sample.  See real.h.
 */
#ifndef ANDWEORC_RUNTIME_REAL_GUARD_H
#define ANDWEORC_RUNTIME_REAL_GUARD_H

#include <signal.h>
#include <unistd.h>

/*
 * prctl(2) and ptrace(2) are variadic, but integers are passed alike either way.
 * __sigaction is not interposed: it is libc's own sigaction, which sanitizers do not
 * replace.
 */
#define REAL_GUARD(X) \
	X(close, int, (int)) \
	X(close_range, int, (unsigned, unsigned, int)) \
	X(closefrom, void, (int)) \
	X(prctl, int, (int, unsigned long, unsigned long, unsigned long, unsigned long)) \
	X(ptrace, long, (int, unsigned long, unsigned long, unsigned long)) \
	X(signalfd, int, (int, const sigset_t *, int)) \
	X(sigaltstack, int, (const stack_t *, stack_t *)) \
	X(__sigaction, int, (int, const struct sigaction *, struct sigaction *)) \
	X(bsd_signal, __sighandler_t, (int, __sighandler_t)) \
	X(ssignal, __sighandler_t, (int, __sighandler_t)) \
	X(sysv_signal, __sighandler_t, (int, __sighandler_t)) \
	X(__sysv_signal, __sighandler_t, (int, __sighandler_t)) \
	X(sigset, __sighandler_t, (int, __sighandler_t)) \
	X(siginterrupt, int, (int, int)) \
	X(sigignore, int, (int)) \
	X(sighold, int, (int)) \
	X(sigrelse, int, (int)) \
	X(sigblock, int, (int)) \
	X(sigsetmask, int, (int))

#endif
