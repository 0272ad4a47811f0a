/*
 * omp_real: finds the OpenMP runtime that a call is for.
 *
 * If a program is linked with a runtime, RTLD_NEXT finds it, and all its plugins use
 * the same one.  Otherwise a plugin has loaded one of its own.  An interpreter's
 * extension modules do so, each with a copy under another name.  Then the dependencies
 * of the calling module tell which one to use: another runtime would not know the
 * caller's team.
 *
 * Nothing is locked: two threads that look for one runtime at once fill a table
 * each.  A runtime that is in a table is never unloaded.  The runtime that a place in
 * code calls is remembered for good.  This is wrong only if a plugin is unloaded, and
 * another plugin with another runtime is loaded at its address.
 */
#include <dlfcn.h>

#include "library.h"
#include "omp.h"

enum { RUNTIMES = 16, CALLS = 1 << 10, PROBES = 8 };

static struct omp_real table[RUNTIMES], absent;
static _Atomic uint32_t tables_used;
static _Atomic bool filled[RUNTIMES];

_Atomic(const struct omp_real *) omp_common;

/* Otherwise: the runtime of each place that has called.  An entry is complete when `omp` is set. */
static struct {
	_Atomic uintptr_t site;
	_Atomic(const struct omp_real *) omp;
} call[CALLS];

/* ---- tables ----------------------------------------------------------------------- */

static long do_nothing(void)
{
	return 0;
}

static long run_alone(gomp_fn *fn, void *data)
{
	fn(data);
	return 0;
}

/* Used where no runtime is found.  Filling it again, or by several threads at once, changes nothing. */
static const struct omp_real *without_runtime(void)
{
#define X(name, type, params) absent.name = (type(*) params)(void *)run_alone;
	REAL_GOMP_PARALLEL(X)
#undef X
#define X(name, type, params) absent.name = (type(*) params)(void *)do_nothing;
	REAL_GOMP_OTHERS(X)
#undef X
	return &absent;
}

static const void *base_of(const void *address)
{
	Dl_info info;

	return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The table of the runtime with that function; NULL: there is none yet. */
static const struct omp_real *table_with(const void *parallel)
{
	for (uint32_t i = 0; i < RUNTIMES; i++)
		if (atomic_load_explicit(&filled[i], memory_order_acquire) && (const void *)table[i].GOMP_parallel == parallel)
			return &table[i];
	return NULL;
}

static bool all_are_filled(void)
{
	for (uint32_t i = 0; i < RUNTIMES; i++)
		if (!atomic_load_explicit(&filled[i], memory_order_acquire))
			return false;
	return true;
}

/* Threads that make their first call at the same time may each fill a table.  A place is taken only for one that is complete. */
static const struct omp_real *make_table(void *handle)
{
	const struct omp_real *there;
	struct omp_real t;
	const void *fork;
	uint32_t n;

#define X(name, type, params) t.name = (type(*) params)dlsym(handle, #name);
	REAL_GOMP(X)
#undef X
	/* LLVM's has GNU's entry points too. */
	fork = base_of(dlsym(handle, "__kmpc_fork_call"));
	t.tells = fork && fork == base_of((const void *)t.GOMP_parallel);
	there = table_with((const void *)t.GOMP_parallel);
	if (there)
		return there;
	n = atomic_load_explicit(&tables_used, memory_order_relaxed);
	while (n < RUNTIMES && !atomic_compare_exchange_weak_explicit(&tables_used, &n, n + 1, memory_order_relaxed, memory_order_relaxed))
		continue;
	/* If the last places were taken meanwhile, each of them will be complete after a copy. */
	while (n >= RUNTIMES && !(there = table_with((const void *)t.GOMP_parallel)) && !all_are_filled())
		SYS(SYS_sched_yield);
	if (n >= RUNTIMES)
		return there ? there : table_with((const void *)t.GOMP_parallel);
	table[n] = t;
	/* Pairs with the acquire in table_with. */
	atomic_store_explicit(&filled[n], true, memory_order_release);
	return &table[n];
}

/* ---- looking ---------------------------------------------------------------------- */

/* A function of the runtime that this handle leads to; NULL: none. */
static const void *probe(void *handle)
{
	return dlsym(handle, "GOMP_parallel");
}

static const struct omp_real *of_module(const void *site)
{
	const struct omp_real *omp;
	const void *fn;
	void *handle;
	Dl_info info;

	if (!dladdr(site, &info) || (handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) == NULL)
		return NULL;
	fn = probe(handle);
	omp = fn ? table_with(fn) : NULL;
	if (fn && !omp) {
		library_keep(fn);
		omp = make_table(handle);
	}
	dlclose(handle);
	return omp;
}

static const struct omp_real *of_all(void)
{
	const struct omp_real *omp = atomic_load_explicit(&omp_common, memory_order_acquire);
	const void *fn;

	if (omp || (fn = probe(RTLD_NEXT)) == NULL)
		return omp;
	library_keep(fn);
	omp = make_table(RTLD_NEXT);
	if (omp)
		atomic_store_explicit(&omp_common, omp, memory_order_release);
	return omp;
}

static const struct omp_real *look_up(const void *site, size_t entry)
{
	const struct omp_real *omp = of_all();

	if (omp && omp_has(omp, entry))
		return omp;
	omp = of_module(site);
	return omp && omp_has(omp, entry) ? omp : NULL;
}

const struct omp_real *omp_find(const void *site, size_t entry)
{
	const struct omp_real *omp;
	uintptr_t key = (uintptr_t)site, expected;

	for (unsigned i = 0; i < PROBES; i++) {
		unsigned at = (unsigned)((key * 0x9e3779b97f4a7c15u >> 40) + i) % CALLS;

		expected = 0;
		if (!atomic_compare_exchange_strong_explicit(&call[at].site, &expected, key, memory_order_relaxed,
							     memory_order_relaxed) &&
		    expected != key)
			continue;
		omp = atomic_load_explicit(&call[at].omp, memory_order_acquire);
		if (!omp && (omp = look_up(site, entry)) != NULL)
			atomic_store_explicit(&call[at].omp, omp, memory_order_release);
		/* A missing function may come with a library that is loaded later, so it is looked up again. */
		return omp ? omp : without_runtime();
	}
	omp = look_up(site, entry);
	return omp ? omp : without_runtime();
}
