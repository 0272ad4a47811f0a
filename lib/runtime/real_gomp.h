/*
 * The entry points that the OpenMP wrappers interpose: in GNU's runtime (gcc, gfortran)
 * all at which a thread of a team may wait for the others; in LLVM's those that its
 * tool interface reports too late (lib/wrap/ompt.c).
 *
 * Not part of `real` (real.h): few programs have an OpenMP runtime, some load it with a
 * plugin, and some plugins contain one of their own.  See lib/wrap/omp_real.c.
 */
#ifndef ANDWEORC_RUNTIME_REAL_GOMP_H
#define ANDWEORC_RUNTIME_REAL_GOMP_H

#include <stdbool.h>
#include <stdint.h>

typedef void gomp_fn(void *);
typedef void gomp_copy_fn(void *, void *);
typedef unsigned long long gomp_ull;

/* A parallel region: the team runs the function, and the call returns when all members have. */
#define REAL_GOMP_PARALLEL(X) \
	X(GOMP_parallel, void, (gomp_fn *fn, void *data, unsigned n, unsigned flags)) \
	X(GOMP_parallel_reductions, unsigned, (gomp_fn *fn, void *data, unsigned n, unsigned flags)) \
	X(GOMP_parallel_sections, void, (gomp_fn *fn, void *data, unsigned n, unsigned count, unsigned flags)) \
	X(GOMP_parallel_loop_static, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, long chunk, unsigned flags)) \
	X(GOMP_parallel_loop_dynamic, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, long chunk, unsigned flags)) \
	X(GOMP_parallel_loop_guided, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, long chunk, unsigned flags)) \
	X(GOMP_parallel_loop_nonmonotonic_dynamic, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, long chunk, unsigned flags)) \
	X(GOMP_parallel_loop_nonmonotonic_guided, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, long chunk, unsigned flags)) \
	X(GOMP_parallel_loop_runtime, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, unsigned flags)) \
	X(GOMP_parallel_loop_nonmonotonic_runtime, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, unsigned flags)) \
	X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, unsigned flags))

/* The same as gcc before 4.9 has it: the caller runs the function itself, then calls GOMP_parallel_end. */
#define REAL_GOMP_START(X) \
	X(GOMP_parallel_start, void, (gomp_fn *fn, void *data, unsigned n)) \
	X(GOMP_parallel_sections_start, void, (gomp_fn *fn, void *data, unsigned n, unsigned count)) \
	X(GOMP_parallel_loop_static_start, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, long chunk)) \
	X(GOMP_parallel_loop_dynamic_start, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, long chunk)) \
	X(GOMP_parallel_loop_guided_start, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step, long chunk)) \
	X(GOMP_parallel_loop_runtime_start, void, \
	  (gomp_fn *fn, void *data, unsigned n, long lo, long hi, long step)) \
	X(GOMP_parallel_end, void, (void))

/* All members of the team wait for each other. */
#define REAL_GOMP_BARRIER(X) \
	X(GOMP_barrier, void, (void)) \
	X(GOMP_barrier_cancel, bool, (void)) \
	X(GOMP_loop_end, void, (void)) \
	X(GOMP_loop_end_cancel, bool, (void)) \
	X(GOMP_sections_end, void, (void)) \
	X(GOMP_sections_end_cancel, bool, (void)) \
	X(GOMP_single_copy_start, void *, (void)) \
	X(GOMP_single_copy_end, void, (void *data)) \
	X(GOMP_workshare_task_reduction_unregister, void, (bool cancelled))

/* Blocks that run one after the other, in the order of the loop's iterations. */
#define REAL_GOMP_ORDERED(X) \
	X(GOMP_ordered_start, void, (void)) \
	X(GOMP_ordered_end, void, (void)) \
	X(GOMP_loop_ordered_static_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_ordered_dynamic_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_ordered_guided_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_ordered_runtime_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_ull_ordered_static_next, bool, (gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_ordered_dynamic_next, bool, (gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_ordered_guided_next, bool, (gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_ordered_runtime_next, bool, (gomp_ull *lo, gomp_ull *hi))

/* The thread that comes first takes the next iterations. */
#define REAL_OMP_LOOP(X) \
	X(GOMP_loop_dynamic_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_guided_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_runtime_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_nonmonotonic_dynamic_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_nonmonotonic_guided_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_nonmonotonic_runtime_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_maybe_nonmonotonic_runtime_next, bool, (long *lo, long *hi)) \
	X(GOMP_loop_ull_dynamic_next, bool, (gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_guided_next, bool, (gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_runtime_next, bool, (gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_nonmonotonic_dynamic_next, bool, (gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_nonmonotonic_guided_next, bool, (gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_nonmonotonic_runtime_next, bool, (gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_maybe_nonmonotonic_runtime_next, bool, (gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_sections_next, unsigned, (void)) \
	X(__kmpc_dispatch_next_4, int, \
	  (void *where, int32_t thread, int32_t *last, int32_t *lo, int32_t *hi, int32_t *step)) \
	X(__kmpc_dispatch_next_4u, int, \
	  (void *where, int32_t thread, int32_t *last, uint32_t *lo, uint32_t *hi, int32_t *step)) \
	X(__kmpc_dispatch_next_8, int, \
	  (void *where, int32_t thread, int32_t *last, int64_t *lo, int64_t *hi, int64_t *step)) \
	X(__kmpc_dispatch_next_8u, int, \
	  (void *where, int32_t thread, int32_t *last, uint64_t *lo, uint64_t *hi, int64_t *step))

/* An iteration waits for others, named by their numbers (doacross). */
#define REAL_GOMP_DOACROSS(X) \
	X(GOMP_loop_doacross_static_start, bool, (unsigned n, long *counts, long chunk, long *lo, long *hi)) \
	X(GOMP_loop_doacross_dynamic_start, bool, (unsigned n, long *counts, long chunk, long *lo, long *hi)) \
	X(GOMP_loop_doacross_guided_start, bool, (unsigned n, long *counts, long chunk, long *lo, long *hi)) \
	X(GOMP_loop_doacross_runtime_start, bool, (unsigned n, long *counts, long *lo, long *hi)) \
	X(GOMP_loop_doacross_start, bool, \
	  (unsigned n, long *counts, long sched, long chunk, long *lo, long *hi, uintptr_t *reductions, void **mem)) \
	X(GOMP_loop_ull_doacross_static_start, bool, \
	  (unsigned n, gomp_ull *counts, gomp_ull chunk, gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_doacross_dynamic_start, bool, \
	  (unsigned n, gomp_ull *counts, gomp_ull chunk, gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_doacross_guided_start, bool, \
	  (unsigned n, gomp_ull *counts, gomp_ull chunk, gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_doacross_runtime_start, bool, (unsigned n, gomp_ull *counts, gomp_ull *lo, gomp_ull *hi)) \
	X(GOMP_loop_ull_doacross_start, bool, \
	  (unsigned n, gomp_ull *counts, long sched, gomp_ull chunk, gomp_ull *lo, gomp_ull *hi, uintptr_t *reductions, \
	   void **mem)) \
	X(GOMP_doacross_post, void, (long *counts)) \
	X(GOMP_doacross_ull_post, void, (gomp_ull *counts)) \
	X(GOMP_doacross_wait, void, (long first, ...)) \
	X(GOMP_doacross_ull_wait, void, (gomp_ull first, ...))

#define REAL_GOMP_TASK(X) \
	X(GOMP_task, void, \
	  (gomp_fn *fn, void *data, gomp_copy_fn *copy, long bytes, long align, bool when, unsigned flags, void **depend, \
	   int priority, void *detach)) \
	X(GOMP_taskloop, void, \
	  (gomp_fn *fn, void *data, gomp_copy_fn *copy, long bytes, long align, unsigned flags, unsigned long tasks, \
	   int priority, long lo, long hi, long step)) \
	X(GOMP_taskloop_ull, void, \
	  (gomp_fn *fn, void *data, gomp_copy_fn *copy, long bytes, long align, unsigned flags, unsigned long tasks, \
	   int priority, gomp_ull lo, gomp_ull hi, gomp_ull step)) \
	X(GOMP_taskwait, void, (void)) \
	X(GOMP_taskwait_depend, void, (void **depend)) \
	X(GOMP_taskgroup_start, void, (void)) \
	X(GOMP_taskgroup_end, void, (void))

/* Mutual exclusion.  Names with _ at their end are for Fortran. */
#define REAL_OMP_LOCK(X) \
	X(GOMP_critical_start, void, (void)) \
	X(GOMP_critical_end, void, (void)) \
	X(GOMP_critical_name_start, void, (void **name)) \
	X(GOMP_critical_name_end, void, (void **name)) \
	X(GOMP_atomic_start, void, (void)) \
	X(GOMP_atomic_end, void, (void)) \
	X(omp_set_lock, void, (void *lock)) \
	X(omp_set_lock_, void, (void *lock)) \
	X(omp_set_nest_lock, void, (void *lock)) \
	X(omp_set_nest_lock_, void, (void *lock)) \
	X(omp_unset_lock, void, (void *lock)) \
	X(omp_unset_lock_, void, (void *lock)) \
	X(omp_unset_nest_lock, void, (void *lock)) \
	X(omp_unset_nest_lock_, void, (void *lock)) \
	X(omp_test_lock, int, (void *lock)) \
	X(omp_test_lock_, int32_t, (void *lock)) \
	X(omp_test_nest_lock, int, (void *lock)) \
	X(omp_test_nest_lock_, int32_t, (void *lock)) \
	X(__kmpc_critical, void, (void *where, int32_t thread, void *name)) \
	X(__kmpc_critical_with_hint, void, (void *where, int32_t thread, void *name, uintptr_t hint)) \
	X(__kmpc_end_critical, void, (void *where, int32_t thread, void *name)) \
	X(__kmpc_ordered, void, (void *where, int32_t thread)) \
	X(__kmpc_end_ordered, void, (void *where, int32_t thread))

#define REAL_GOMP_OTHERS(X) \
	REAL_GOMP_START(X) \
	REAL_GOMP_BARRIER(X) \
	REAL_GOMP_ORDERED(X) \
	REAL_OMP_LOOP(X) \
	REAL_GOMP_DOACROSS(X) \
	REAL_GOMP_TASK(X) \
	REAL_OMP_LOCK(X)

#define REAL_GOMP(X) \
	REAL_GOMP_PARALLEL(X) \
	REAL_GOMP_OTHERS(X)

#endif
