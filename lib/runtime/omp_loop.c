/*
 * omp_loop: loops whose threads take the next iterations as they come to them.
 *
 * Nobody waits for anybody, but the first one takes what another one would have
 * taken.  A thread that owes a pause has come too early, and would take more of the
 * work than it can do in virtual time.  So it pays before it takes.
 *
 * What it did itself is credited as well, as far as that is not yet, so that the
 * others know what they owe: else one that comes next has not paid it.
 *
 * Iterations may be tiny.  Where many are taken between two samples it does not
 * matter, and costs too much, to tell them apart: then only the debt is looked at.
 */
#include "omp.h"

enum { MANY = 50 }; /* times that iterations are taken between two samples */

static inline void catch_up(const void *site)
{
	if (wait_is_accounted() && (vclock_debt(&self.clock) >= VCLOCK_LEAST_DEBT_NS || self.clock.segment.ends < MANY))
		sync_release(omp_key(OMP_NEXT, 0, 0), site);
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
