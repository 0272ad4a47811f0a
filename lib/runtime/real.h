/*
 * real: the original functions of libc (or of the OpenMP library) that the runtime
 * interposes.
 *
 * Each file of wrappers lists its own in real_NAME.h: X(name, return type,
 * parameters) in a list REAL_NAME(X).  A function that this libc lacks is NULL; its
 * wrapper checks before it calls.
 */
#ifndef ANDWEORC_RUNTIME_REAL_H
#define ANDWEORC_RUNTIME_REAL_H

#include <stdbool.h>
#include <stdint.h>

#include "real_child.h"
#include "real_guard.h"
#include "real_io.h"
#include "real_memory.h"
#include "real_pthread.h"
#include "real_sync.h"

#define REAL_FUNCTIONS(X) \
	REAL_CHILD(X) \
	REAL_GUARD(X) \
	REAL_IO(X) \
	REAL_MEMORY(X) \
	REAL_PTHREAD(X) \
	REAL_SYNC(X)

struct real {
#define X(name, type, params) type(*name) params;
	REAL_FUNCTIONS(X)
#undef X
};

extern struct real real;

/* any: clock_gettime(2) of the vDSO or the kernel, past any other interposed one. */
extern int (*clock_of_libc)(clockid_t, struct timespec *);

/* any: from the pointer of a thread to the area that libc has registered for it (switched.h); 0: it has none. */
extern intptr_t rseq_of_libc;

void real_resolve(void); /* init: resolves all of `real` */

/*
 * init: the same for a runtime that was loaded into a running process: finds what the program
 * would find first.  False: that is the runtime itself, since it was preloaded.
 */
bool real_resolve_behind(void);

/* any: the address in `real` by that name; 0: there is none.  Searches all. */
uintptr_t real_called(const char *name);

/*
 * any: resolves one function, given by the address of its pointer.  Needed because wrappers
 * can be called before our constructor.
 */
void real_find(void *function, const char *name);

#define REAL(name) (__builtin_expect(real.name != NULL, 1) ? (void)0 : real_find(&real.name, #name), real.name)

#endif
