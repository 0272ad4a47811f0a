/*
 * omp_loop: loops with dynamic schedules, whose threads take iterations as they become
 * free.
 *
 * No thread waits for another, but each takes iterations away from the others.  A
 * thread with a debt arrives too early, and would take more iterations than it could in
 * virtual time.  So it pays before it takes any.
 *
 * Its own work is credited before, too, so that G is up to date.  Otherwise the next
 * thread that takes iterations would pay too little.
 *
 * Iterations may be tiny.  Where many are taken between two samples, a segment for each
 * would cost too much, and is not needed: then only the debt is checked.
 */
#include "omp.h"
#include "runtime/sync.h"
#include "runtime/thread.h"
#include "runtime/wait.h"

enum { MANY = 50 }; /* so many requests for iterations between two samples are many */

static inline void catch_up(const void *site)
{
	if (wait_is_accounted() && (vclock_debt(&self.clock) >= VCLOCK_LEAST_DEBT_NS || self.clock.segment.ends < MANY))
		sync_catch_up(site);
}

#define NEXT(name, number) \
	EXPORT bool name(number *lo, number *hi) \
	{ \
		catch_up(SITE); \
		return OMP(name)->name(lo, hi); \
	}

NEXT(GOMP_loop_dynamic_next, long)
NEXT(GOMP_loop_guided_next, long)
NEXT(GOMP_loop_runtime_next, long)
NEXT(GOMP_loop_nonmonotonic_dynamic_next, long)
NEXT(GOMP_loop_nonmonotonic_guided_next, long)
NEXT(GOMP_loop_nonmonotonic_runtime_next, long)
NEXT(GOMP_loop_maybe_nonmonotonic_runtime_next, long)
NEXT(GOMP_loop_ull_dynamic_next, gomp_ull)
NEXT(GOMP_loop_ull_guided_next, gomp_ull)
NEXT(GOMP_loop_ull_runtime_next, gomp_ull)
NEXT(GOMP_loop_ull_nonmonotonic_dynamic_next, gomp_ull)
NEXT(GOMP_loop_ull_nonmonotonic_guided_next, gomp_ull)
NEXT(GOMP_loop_ull_nonmonotonic_runtime_next, gomp_ull)
NEXT(GOMP_loop_ull_maybe_nonmonotonic_runtime_next, gomp_ull)

unsigned GOMP_sections_next(void)
{
	catch_up(SITE);
	return OMP(GOMP_sections_next)->GOMP_sections_next();
}

#define DISPATCH_NEXT(name, number, step_t) \
	EXPORT int name(void *where, int32_t thread, int32_t *last, number *lo, number *hi, step_t *step) \
	{ \
		catch_up(SITE); \
		return OMP(name)->name(where, thread, last, lo, hi, step); \
	}

DISPATCH_NEXT(__kmpc_dispatch_next_4, int32_t, int32_t)
DISPATCH_NEXT(__kmpc_dispatch_next_4u, uint32_t, int32_t)
DISPATCH_NEXT(__kmpc_dispatch_next_8, int64_t, int64_t)
DISPATCH_NEXT(__kmpc_dispatch_next_8u, uint64_t, int64_t)
