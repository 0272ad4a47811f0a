/* What guard.c, seal.c and ours.c stand in for beside what others list; see real.h. */
#ifndef ANDWEORC_RUNTIME_REAL_GUARD_H
#define ANDWEORC_RUNTIME_REAL_GUARD_H

#include <signal.h>
#include <unistd.h>

/* prctl(2) is variadic; integers travel alike either way. */
#define REAL_GUARD(X) \
	X(close, int, (int)) \
	X(close_range, int, (unsigned, unsigned, int)) \
	X(closefrom, void, (int)) \
	X(prctl, int, (int, unsigned long, unsigned long, unsigned long, unsigned long)) \
	X(signalfd, int, (int, const sigset_t *, int))

#endif
