/*
 * real: the functions that the runtime stands in for, as libc has them.
 *
 * All are resolved at once, in the constructor or in the first wrapper that is
 * called before it.  dlsym(3) may itself lock mutexes through us (allocators
 * that replace malloc do); until the table is filled a nested call finds the
 * few functions that it can need through the guard in real_resolve.
 */
#include <dlfcn.h>

#include "runtime.h"

struct real real;

/*
 * pthread_cond_* exist twice in x86-64's glibc; the old ones (2.2.5) use another
 * layout of pthread_cond_t, so the version is named before the default is tried.
 */
static void *find(const char *name)
{
	void *fn = NULL;

#if defined(__x86_64__) && defined(__GLIBC__)
	if (__builtin_strncmp(name, "pthread_cond_", 13) == 0)
		fn = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
	return fn ? fn : dlsym(RTLD_NEXT, name);
}

void real_resolve(void)
{
	static TLS bool resolving;

	if (resolving)
		return;
	resolving = true;
	/* The functions that dlsym itself may call come first. */
	real.mmap = (void *(*)(void *, size_t, int, int, int, off_t))find("mmap");
	real.pthread_mutex_lock = (int (*)(pthread_mutex_t *))find("pthread_mutex_lock");
	real.pthread_mutex_unlock = (int (*)(pthread_mutex_t *))find("pthread_mutex_unlock");
#define X(name, type, params) real.name = (type(*) params)find(#name);
	REAL_FUNCTIONS(X)
#undef X
	resolving = false;
}
