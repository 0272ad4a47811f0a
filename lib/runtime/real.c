/*
 * real: the functions that the runtime stands in for, as libc has them.
 *
 * All are resolved at once, in the constructor.  A wrapper that is called before
 * it resolves the one function that it needs: it may have been called by an
 * allocator that is being initialised.  dlsym(3) allocates where it does not find
 * what it is asked for, and then alone.
 */
#include <dlfcn.h>
#include <string.h>

#include "runtime.h"

#ifdef ANDWEORC_STATIC

/*
 * In libandweorc.a the linker does it (ld's --wrap): what the program links is
 * there, and nothing else.
 */
#define X(name, type, params) extern __attribute__((weak)) type __real_##name params;
REAL_FUNCTIONS(X)
#undef X

struct real real = {
#define X(name, type, params) .name = __real_##name,
	REAL_FUNCTIONS(X)
#undef X
};

void real_resolve(void)
{
}

void real_find(void *function, const char *name)
{
	(void)function;
	(void)name;
}

#else

struct real real;

enum { DEEP = 4 }; /* lookups within lookups: an allocator's, which an unsuccessful one of ours has called */

static bool resolved;
static TLS int resolving;

#if defined(__x86_64__) && defined(__GLIBC__)
/*
 * They exist twice in x86-64's glibc; the old ones (2.2.5) use another layout of
 * pthread_cond_t, so the version is named.
 */
static bool is_twice(const char *name)
{
	static const char *const twice[] = { "broadcast", "signal", "timedwait", "wait" };

	if (strncmp(name, "pthread_cond_", 13) != 0)
		return false;
	for (unsigned i = 0; i < sizeof(twice) / sizeof(twice[0]); i++)
		if (strcmp(name + 13, twice[i]) == 0)
			return true;
	return false;
}
#else
#define is_twice(name) false
#endif

static void *find(const char *name)
{
	return is_twice(name) ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : dlsym(RTLD_NEXT, name);
}

void real_resolve(void)
{
	resolving++;
#define X(name, type, params) \
	if (!real.name) \
		real.name = (type(*) params)find(#name);
	REAL_FUNCTIONS(X)
#undef X
	resolving--;
	resolved = true;
}

void real_find(void *function, const char *name)
{
	void *found;

	if (resolved || resolving >= DEEP)
		return;
	resolving++;
	found = find(name);
	resolving--;
	memcpy(function, &found, sizeof(found));
}

#endif
