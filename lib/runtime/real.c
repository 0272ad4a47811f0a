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
#include <time.h>

#include "runtime.h"

int (*clock_of_libc)(clockid_t, struct timespec *) = clock_gettime;

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

/* Not in all libcs; see init.c. */
#pragma weak dlvsym

enum { DEEP = 4 }; /* lookups within lookups: an allocator's, which an unsuccessful one of ours has called */

static bool resolved;
static TLS int resolving;
static void *behind = RTLD_NEXT; /* where those are that we stand in for */

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

static bool are_in_one_module(const void *a, const void *b)
{
	Dl_info x, y;

	return dladdr(a, &x) && dladdr(b, &y) && x.dli_fbase == y.dli_fbase;
}

/*
 * A version leads past all libraries that have none: to libc, and so past a sanitizer
 * between us and that, which must see what the program locks.
 */
static void *find_real(const char *name)
{
	void *next = dlsym(behind, name), *right;

	if (next && behind != RTLD_NEXT && are_in_one_module(next, (const void *)find_real))
		return NULL;
	if (!next || !is_twice(name) || !dlvsym)
		return next;
	right = dlvsym(behind, name, "GLIBC_2.3.2");
	return right && are_in_one_module(next, right) ? right : next;
}

void real_resolve(void)
{
	void *clock;

	resolving++;
#define X(name, type, params) \
	if (!real.name) \
		real.name = (type(*) params)find_real(#name);
	REAL_FUNCTIONS(X)
#undef X
	/* The same way, and here it is what we want: our handler may interrupt a sanitizer. */
	clock = dlvsym ? dlvsym(RTLD_NEXT, "clock_gettime", "GLIBC_2.17") : NULL;
	if (clock)
		memcpy(&clock_of_libc, &clock, sizeof(clock));
	resolving--;
	resolved = true;
}

/*
 * Loaded late, we are behind all that the program was started with, and what its calls are
 * bound to is what it finds first.
 */
bool real_resolve_behind(void)
{
	void *first = dlsym(RTLD_DEFAULT, "getauxval");

	/* Since an earlier time threads may be inside of our functions. */
	if (behind == RTLD_DEFAULT)
		return true;
	if (first && are_in_one_module(first, (const void *)find_real))
		return false;
	behind = RTLD_DEFAULT;
	memset(&real, 0, sizeof(real));
	real_resolve();
	return true;
}

/* The function that we call in the place of that name; NULL: none of libc's. */
uintptr_t real_called(const char *name)
{
	static const struct {
		const char *name;
		size_t at;
	} all[] = {
#define X(function, type, params) { #function, offsetof(struct real, function) },
		REAL_FUNCTIONS(X)
#undef X
	};
	uintptr_t function = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].name, name) == 0)
			memcpy(&function, (const char *)&real + all[i].at, sizeof(function));
	return function;
}

void real_find(void *function, const char *name)
{
	void *found;

	if (resolved || resolving >= DEEP)
		return;
	resolving++;
	found = find_real(name);
	resolving--;
	memcpy(function, &found, sizeof(found));
}

#endif
