/*
 * omp_lock: critical sections, atomic blocks and locks of OpenMP programs.
 *
 * The runtimes cannot be asked whether a lock is free.  So threads are counted: one
 * that arrives while another one holds the lock, or waits for it, is assumed to wait.
 *
 * LLVM's runtime has these too, some under other names.  Its tool interface reports
 * them, but a release only after it was made.  By then the next owner may be running,
 * without having acquired that release.
 *
 * Locks of OpenMP 2.5 (binaries from before gcc 4.4) are treated like newer ones.
 */
#include "omp.h"
#include "runtime/object_key.h"
#include "runtime/wait.h"

enum { COUNTERS = 256 };

static struct {
	_Alignas(64) _Atomic uint32_t n; /* threads that hold one of the locks counted here, or wait for it */
} wanted[COUNTERS];

static _Atomic uint32_t *counter_of(const void *lock)
{
	return &wanted[(uintptr_t)lock * 0x9e3779b97f4a7c15u >> 56].n;
}

static void ask_for_lock(struct wait *w, const void *lock, const void *site)
{
	w->t = NULL;
	if (unlikely(arena != NULL) && atomic_fetch_add_explicit(counter_of(lock), 1, memory_order_relaxed) > 0) {
		lock_share(lock);
		wait_begin(w, CLASS_LOCK, site, false, WAIT_UNKNOWN);
	}
}

static void got(struct wait *w, const void *lock, const void *site)
{
	if (w->t)
		wait_by_peer(w, key_of_address(lock));
	else
		object_lock(lock, site);
}

static void left(const void *lock)
{
	if (unlikely(arena != NULL))
		atomic_fetch_sub_explicit(counter_of(lock), 1, memory_order_relaxed);
}

#define TAKE(name, lock, params, ...) \
	EXPORT void name params \
	{ \
		struct wait w; \
		object_before_lock(lock, SITE); \
		ask_for_lock(&w, lock, SITE); \
		OMP(name)->name(__VA_ARGS__); \
		got(&w, lock, SITE); \
	}

#define LEAVE(name, lock, params, ...) \
	EXPORT void name params \
	{ \
		object_unlock(lock, SITE); \
		OMP(name)->name(__VA_ARGS__); \
		left(lock); \
	}

/* 0: another thread holds it. */
#define TRY(name) \
	EXPORT int name(void *lock) \
	{ \
		int taken = OMP(name)->name(lock); \
		if (taken && unlikely(arena != NULL)) { \
			atomic_fetch_add_explicit(counter_of(lock), 1, memory_order_relaxed); \
			object_lock(lock, SITE); \
		} \
		return taken; \
	}

/* One key for all locks whose address is not known. */
static const char critical, atomic, ordered;

TAKE(GOMP_critical_start, &critical, (void))
LEAVE(GOMP_critical_end, &critical, (void))
TAKE(GOMP_critical_name_start, name, (void **name), name)
LEAVE(GOMP_critical_name_end, name, (void **name), name)
TAKE(GOMP_atomic_start, &atomic, (void))
LEAVE(GOMP_atomic_end, &atomic, (void))

TAKE(omp_set_lock, lock, (void *lock), lock)
TAKE(omp_set_lock_, lock, (void *lock), lock)
TAKE(omp_set_nest_lock, lock, (void *lock), lock)
TAKE(omp_set_nest_lock_, lock, (void *lock), lock)
LEAVE(omp_unset_lock, lock, (void *lock), lock)
LEAVE(omp_unset_lock_, lock, (void *lock), lock)
LEAVE(omp_unset_nest_lock, lock, (void *lock), lock)
LEAVE(omp_unset_nest_lock_, lock, (void *lock), lock)
TRY(omp_test_lock)
TRY(omp_test_lock_)
TRY(omp_test_nest_lock)
TRY(omp_test_nest_lock_)

TAKE(__kmpc_critical, name, (void *where, int32_t thread, void *name), where, thread, name)
TAKE(__kmpc_critical_with_hint, name, (void *where, int32_t thread, void *name, uintptr_t hint), where, thread, name, hint)
LEAVE(__kmpc_end_critical, name, (void *where, int32_t thread, void *name), where, thread, name)

/* Nested locks: the count does not tell whether the caller waits. */
void __kmpc_ordered(void *where, int32_t thread)
{
	struct wait w;

	wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);
	OMP(__kmpc_ordered)->__kmpc_ordered(where, thread);
	wait_by_peer(&w, key_of_address(&ordered));
}

void __kmpc_end_ordered(void *where, int32_t thread)
{
	object_release(&ordered, SITE);
	OMP(__kmpc_end_ordered)->__kmpc_end_ordered(where, thread);
}
