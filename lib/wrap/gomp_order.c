/*
 * gomp_order: iterations that wait for each other, in GNU's OpenMP runtime.
 *
 * An ordered block waits for the previous iteration, which releases it when its thread
 * asks for more iterations.  In a doacross loop, iterations are identified by their
 * numbers: an iteration posts its own, and others wait for it.
 */
#include <stdarg.h>

#include "omp.h"
#include "runtime/sync.h"
#include "runtime/wait.h"

enum { DIMENSIONS = 16 }; /* dimensions of a doacross loop: more than any program uses */

/* ---- ordered ------------------------------------------------------------------------- */

static uint64_t order_key(void)
{
	return omp_key(OMP_ORDER, gomp_place->team, 0);
}

void GOMP_ordered_start(void)
{
	const struct omp_real *omp = OMP(GOMP_ordered_start);
	bool watched = gomp_is_in_team(omp);
	struct omp_wait o;

	if (watched)
		omp_wait_begin(&o, order_key(), SITE, false);
	omp->GOMP_ordered_start();
	if (watched)
		omp_wait_end(&o);
}

static void hand_on(const struct omp_real *omp, const void *site)
{
	if (gomp_is_in_team(omp) && wait_is_accounted())
		sync_release(order_key(), site);
}

void GOMP_ordered_end(void)
{
	const struct omp_real *omp = OMP(GOMP_ordered_end);

	hand_on(omp, SITE);
	omp->GOMP_ordered_end();
}

#define NEXT(name, number) \
	EXPORT bool name(number *lo, number *hi) \
	{ \
		const struct omp_real *omp = OMP(name); \
		hand_on(omp, SITE); \
		return omp->name(lo, hi); \
	}

NEXT(GOMP_loop_ordered_static_next, long)
NEXT(GOMP_loop_ordered_dynamic_next, long)
NEXT(GOMP_loop_ordered_guided_next, long)
NEXT(GOMP_loop_ordered_runtime_next, long)
NEXT(GOMP_loop_ull_ordered_static_next, gomp_ull)
NEXT(GOMP_loop_ull_ordered_dynamic_next, gomp_ull)
NEXT(GOMP_loop_ull_ordered_guided_next, gomp_ull)
NEXT(GOMP_loop_ull_ordered_runtime_next, gomp_ull)

/* ---- doacross ------------------------------------------------------------------------ */

/* Only the start of the loop tells how many numbers an iteration has. */
static void note_depth(unsigned n)
{
	if (gomp_place)
		gomp_place->depth = n;
}

#define START(name, n, params, ...) \
	EXPORT bool name params \
	{ \
		note_depth(n); \
		return OMP(name)->name(n, __VA_ARGS__); \
	}

#define BOUNDS(number) number *lo, number *hi
#define EXTRA uintptr_t *reductions, void **mem

START(GOMP_loop_doacross_static_start, n, (unsigned n, long *counts, long chunk, BOUNDS(long)), counts, chunk, lo, hi)
START(GOMP_loop_doacross_dynamic_start, n, (unsigned n, long *counts, long chunk, BOUNDS(long)), counts, chunk, lo, hi)
START(GOMP_loop_doacross_guided_start, n, (unsigned n, long *counts, long chunk, BOUNDS(long)), counts, chunk, lo, hi)
START(GOMP_loop_doacross_runtime_start, n, (unsigned n, long *counts, BOUNDS(long)), counts, lo, hi)
START(GOMP_loop_doacross_start, n, (unsigned n, long *counts, long sched, long chunk, BOUNDS(long), EXTRA), counts, sched,
      chunk, lo, hi, reductions, mem)
START(GOMP_loop_ull_doacross_static_start, n, (unsigned n, gomp_ull *counts, gomp_ull chunk, BOUNDS(gomp_ull)), counts,
      chunk, lo, hi)
START(GOMP_loop_ull_doacross_dynamic_start, n, (unsigned n, gomp_ull *counts, gomp_ull chunk, BOUNDS(gomp_ull)), counts,
      chunk, lo, hi)
START(GOMP_loop_ull_doacross_guided_start, n, (unsigned n, gomp_ull *counts, gomp_ull chunk, BOUNDS(gomp_ull)), counts,
      chunk, lo, hi)
START(GOMP_loop_ull_doacross_runtime_start, n, (unsigned n, gomp_ull *counts, BOUNDS(gomp_ull)), counts, lo, hi)
START(GOMP_loop_ull_doacross_start, n,
      (unsigned n, gomp_ull *counts, long sched, gomp_ull chunk, BOUNDS(gomp_ull), EXTRA), counts, sched, chunk, lo, hi,
      reductions, mem)

/*
 * A wrapper cannot pass on a variable number of arguments.  But here all arguments are
 * integers of one type, and the callee reads as many as the loop has dimensions.  So
 * the wrapper reads and passes the largest possible number.  Arguments that the caller
 * did not pass have arbitrary values, which are not used.
 */
#define DOACROSS(post, wait, number) \
	static uint64_t wait##_key(const number *c) \
	{ \
		uint64_t key = gomp_place->team; \
		for (unsigned i = 0; i < gomp_place->depth && i < DIMENSIONS; i++) \
			key = omp_key(OMP_DOACROSS, key * 31 + (uint64_t)c[i], i); \
		return key; \
	} \
	\
	EXPORT void post(number *counts) \
	{ \
		const struct omp_real *omp = OMP(post); \
		if (gomp_is_in_team(omp) && wait_is_accounted()) \
			sync_release(wait##_key(counts), SITE); \
		omp->post(counts); \
	} \
	\
	EXPORT void wait(number first, ...) \
	{ \
		const struct omp_real *omp = OMP(wait); \
		bool watched = gomp_is_in_team(omp); \
		number c[DIMENSIONS] = { first }; \
		struct omp_wait o; \
		va_list more; \
		va_start(more, first); \
		for (unsigned i = 1; i < DIMENSIONS; i++) \
			c[i] = va_arg(more, number); \
		va_end(more); \
		if (watched) \
			omp_wait_begin(&o, wait##_key(c), SITE, false); \
		omp->wait(first, c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], c[13], c[14], \
			  c[15]); \
		if (watched) \
			omp_wait_end(&o); \
	}

DOACROSS(GOMP_doacross_post, GOMP_doacross_wait, long)
DOACROSS(GOMP_doacross_ull_post, GOMP_doacross_ull_wait, gomp_ull)
