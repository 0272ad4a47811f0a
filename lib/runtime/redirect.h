/* redirect: redirects callers to the trampolines of callpoint. */
#ifndef ANDWEORC_RUNTIME_REDIRECT_H
#define ANDWEORC_RUNTIME_REDIRECT_H

#include "runtime.h"

/* Other functions that are redirected; their numbers follow those of arena->call[]. */
enum { HOOK_DLOPEN = ARENA_CALLS, HOOK_DLSYM, HOOK_DLVSYM, HOOKS = HOOK_DLVSYM + 1 - ARENA_CALLS };

void redirect_init(struct arena *a); /* init: calls of what a->call[] names go through callpoint.c */

/*
 * init: in a process that was started without the runtime, makes all slots that hold a function with a wrapper lead to
 * the wrapper; and restores them.  The slots of getauxval stay, as <andweorc.h> calls what it has learned by it.
 */
void redirect_wrappers(void);
void redirect_restore(void);

/*
 * Runs instead of a hooked function, with its arguments, after which modules may be new.
 * Returns the function to call.
 */
uintptr_t redirect_hook(uint32_t hook, uintptr_t function, uintptr_t first, uintptr_t second);

#endif
