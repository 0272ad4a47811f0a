/* moment: times, and the present window. */
#ifndef ANDWEORC_RUNTIME_MOMENT_H
#define ANDWEORC_RUNTIME_MOMENT_H

#include <sched.h>
#include <time.h>

#include "real.h"
#include "runtime.h"
#include "sys.h"
#include "vclock/vclock.h"

/*
 * any: CLOCK_MONOTONIC, ns.  A call takes 20 ns, so functions with a parameter `now` accept
 * a value read shortly before.
 */
static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_of_libc(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* any: is it a time that the kernel takes?  Memory that cannot be read is left to the kernel, which reports EFAULT. */
static inline bool timespec_is_valid(const struct timespec *t)
{
	return (uintptr_t)t >= 4096 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

/* any: in ns, from 0 to INT64_MAX / 2. */
static inline int64_t timespec_ns(const struct timespec *t)
{
	return t->tv_sec < 0 ? 0 : t->tv_sec < INT64_MAX / 2000000000 ? t->tv_sec * 1000000000ll + t->tv_nsec : INT64_MAX / 2;
}

/* any: of ns >= 0. */
static inline struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

/* any: a clock of processor time, ns.  A system call, because the vDSO does not have these clocks. */
static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	SYS(SYS_clock_gettime, clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* any: the index of the processor that the calling thread runs on. */
static inline uint32_t processor_here(void)
{
	return (uint32_t)sched_getcpu() % VCLOCK_PROCESSORS;
}

/* any: a moment of that time, on the present processor. */
static inline struct vclock_moment moment_at(int64_t now)
{
	return (struct vclock_moment){ .ns = now, .processor = processor_here() };
}

static inline struct vclock_moment moment_now(void)
{
	return moment_at(now_ns());
}

/* any: the number of the current window. */
static inline uint32_t current_window(void)
{
	return vclock_window(&arena->clock);
}

/* any: the speedup of the current window, in 1/65536; 0: none. */
static inline uint32_t window_speedup(void)
{
	return vclock_speedup(&arena->clock);
}

/* any: is this class the region of the current window? */
static inline bool class_is_wanted(enum arena_class class)
{
	return arena->targets[atomic_load_explicit(&arena->target, memory_order_acquire) & 1].class == class;
}

#endif
