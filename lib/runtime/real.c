/*
 * real: libc's originals of the functions that the runtime interposes.
 *
 * All are resolved at once, in the constructor.  A wrapper that is called before that
 * resolves only the function that it needs, since its caller may be an allocator that
 * is being initialised.  dlsym(3) allocates memory only when it does not find a symbol.
 */
#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include "real.h"
#include "runtime.h"

int (*clock_of_libc)(clockid_t, struct timespec *) = clock_gettime;
intptr_t rseq_of_libc;

#ifdef ANDWEORC_STATIC

/*
 * In libandweorc.a the linker resolves them (ld's --wrap): those functions that the
 * program links are there, and no others.
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

enum { DEEP = 4 }; /* depth of nested lookups: a failing lookup of ours calls the allocator, which may look up its own functions */

static bool resolved;
static TLS int resolving;
static void *behind = RTLD_NEXT; /* where those are that we stand in for */

#if defined(__x86_64__) && defined(__GLIBC__)
/*
 * These functions exist twice in glibc for x86-64.  The old ones (2.2.5) use another
 * layout of pthread_cond_t, so the version is given.
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
 * A lookup with a version skips all libraries without versions.  So it finds libc's
 * function, and skips that of a sanitizer, which must see the program's locks.
 */
static void *find_real(const char *name)
{
	void *next = dlsym(behind, name), *right;

	if (next && behind != RTLD_NEXT && are_in_one_module(next, (const void *)find_real))
		return NULL;
	if (!next || !is_twice(name) || !dlvsym)
		return next;
	right = dlvsym(behind, name, "GLIBC_2.3.2");
	/* dladdr takes 4 us: it looks at each symbol of the library. */
	return right && right != next && are_in_one_module(next, right) ? right : next;
}

/* glibc tells where it is from 2.35 on; of a size of 0 if the program or the kernel does not want it. */
static intptr_t find_rseq(void)
{
	const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
	const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");

	return offset && size && *size > 0 ? *offset : 0;
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
	/* Here, skipping a sanitizer is intended: our handler may interrupt it. */
	clock = dlvsym ? dlvsym(RTLD_NEXT, "clock_gettime", "GLIBC_2.17") : NULL;
	if (clock)
		memcpy(&clock_of_libc, &clock, sizeof(clock));
	rseq_of_libc = find_rseq();
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
