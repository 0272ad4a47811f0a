/*
 * real: the functions that the runtime stands in for, as libc (or the OpenMP
 * library) has them.
 *
 * Each file of wrappers lists its own in real_NAME.h: X(name, return type,
 * parameters) in a list REAL_NAME(X).  What the libc at hand may lack is NULL
 * there; its wrapper asks before it calls.
 */
#ifndef ANDWEORC_RUNTIME_REAL_H
#define ANDWEORC_RUNTIME_REAL_H

#include "real_child.h"
#include "real_memory.h"
#include "real_pthread.h"

#define REAL_FUNCTIONS(X) \
	REAL_CHILD(X) \
	REAL_MEMORY(X) \
	REAL_PTHREAD(X)

struct real {
#define X(name, type, params) type(*name) params;
	REAL_FUNCTIONS(X)
#undef X
};

extern struct real real;

/* any: resolves all of `real`, once.  Wrappers call it because other constructors may run before ours. */
void real_resolve(void);

#define REAL(name) (__builtin_expect(real.name != NULL, 1) ? (void)0 : real_resolve(), real.name)

#endif
