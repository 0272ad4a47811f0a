/*
 * runtime: what runs inside the profiled process.
 *
 * The runtime is loaded with LD_PRELOAD into programs that know nothing of it.
 * It has no thread of its own, never allocates, prints, takes a lock that it
 * could wait for, or changes the status of its host; it links nothing but libc.
 *
 * Two contexts, stated for each function below:
 *
 *   any     may run in the sampling signal handler or inside an interposed
 *           call, on any thread: async-signal-safe, bounded.
 *   init    runs once, in the constructor, before main.
 *
 * Files: init (life), real (the functions that we stand in for), thread
 * (slots), sample (sampler and handler), delay (virtual clocks), progress
 * (visits), unwind (stacks), interpose (what a program calls instead of libc).
 */
#ifndef ANDWEORC_RUNTIME_RUNTIME_H
#define ANDWEORC_RUNTIME_RUNTIME_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "arena.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define TLS __thread __attribute__((tls_model("initial-exec")))

/* ---- init.c: life ---- */

extern struct arena *arena; /* NULL: not profiled, every wrapper passes through */

/* ---- thread.c: slots ---- */

/* What a thread needs that the conductor need not see. */
struct self {
	struct arena_thread *slot; /* NULL: this thread is not profiled */
	int perf_fd;               /* -1: none */
	uint64_t perf_id;          /* of the event: the number of a descriptor may have come to be another's */
	int break_fd[ARENA_BREAKS]; /* of the first `breaks`; -1: refused */
	uint32_t breaks;
	timer_t timer;
	bool has_timer;
	/*
	 * > 0 while the thread is inside the runtime.  A sample that arrives then
	 * leaves its credit in `deferred_ns`: delay_ns has one writer at a time.
	 */
	volatile sig_atomic_t busy;
	volatile int64_t deferred_ns;
	uint64_t random;
	uint64_t period_ns;  /* of the next sample */
	uintptr_t stack_lo, stack_hi; /* bounds of the stack, for the unwinder */
	bool first_sample;   /* is still to come, after a random part of a period */
	uint32_t period_window; /* in which period_ns was drawn */
	struct arena_segment *segment; /* that the thread is in; NULL: not being followed */
	uint32_t segment_window;       /* in which it began */
	uint32_t segment_ends;         /* since the last sample */
	struct arena_birth *birth;     /* of the thread's first segment, while it is in that */
	struct arena_segment before;   /* what was known of it as it began */
	int64_t segment_ns;            /* up to when the segment's time is accounted for */
	int64_t latency_ns;            /* by how much sleeps are overslept, on average */
};

extern TLS struct self self;

/* any: the slot of the calling thread, or NULL (unprofiled, or inside the runtime already). */
static inline struct arena_thread *self_slot(void)
{
	return likely(self.busy == 0) ? self.slot : NULL;
}

/* any: takes a slot for a thread that is about to be born with the caller's clock; NULL when there is none. */
struct arena_thread *thread_reserve(void);
void thread_unreserve(struct arena_thread *slot); /* any: it was not born after all */

/* any: the calling thread begins to use `slot` (its own), and ends to use it. */
void thread_begin(struct arena_thread *slot);
void thread_end(void);

/* In a forked child, whose only thread is the calling one (pthread_atfork): nothing here is ours any more. */
void thread_forget(void);

/* ---- sample.c ---- */

void sampler_init(void);                    /* init: handler, probing; sets arena->sampler */
bool sampler_start(void);                   /* any: for the calling thread */
void sampler_stop(void);                    /* any: for the calling thread */
int sampler_signal(void);                   /* any: the signal that is ours, 0 when there is none */

/* any: the program's sigaction for our signal: remembered, answered as if installed, not installed. */
void sampler_keep_action(const struct sigaction *act, struct sigaction *old);

/* ---- delay.c: virtual clocks ---- */

/* any: CLOCK_MONOTONIC, ns. */
static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* any: by how much the region is sped up just now, in 1/65536; 0: not at all. */
static inline uint32_t window_speedup(void)
{
	return atomic_load_explicit(&arena->speedup, memory_order_relaxed);
}

int64_t delay_of(struct arena_thread *t);                 /* any: D of the calling thread, floor applied */
void delay_credit(struct arena_thread *t, int64_t ns);    /* any: rule 1 */
void delay_pay(struct arena_thread *t, int64_t at_least); /* any: rule 2, when the debt is at_least ns */

/* any: the calling thread does something to `object` that can let another one go on (before the real call). */
void sync_release(struct arena_thread *t, const void *object);

/*
 * any: the calling thread has got what it needed from `object` (after the real
 * call).  blocked_at is the time at which it began to wait, 0 when it did not.
 */
void sync_acquire(struct arena_thread *t, const void *object, int64_t blocked_at);

/* any: as sync_acquire, from the later released of two objects (a condition variable and its mutex). */
void sync_acquire2(struct arena_thread *t, const void *a, const void *b, int64_t blocked_at);

/* any: a wait ended by itself (time-out): nothing forgiven, all is owed. */
void sync_timed_out(struct arena_thread *t);

/* ---- segment.c: what a thread does between two sync operations ---- */

/* any: the thread was sampled; `period` of processor time passed since the last sample.  Returns what it is to be credited. */
int64_t segment_sample(int64_t period, bool hit, uint32_t speedup);

/* any: the thread comes to a sync operation.  Returns what it is to be credited. */
int64_t segment_end(uint32_t speedup);

/* any: the thread leaves the sync operation that was called from `site`. */
void segment_begin(struct arena_thread *t, const void *site);

/* any: the thread begins its life, with `routine` and `arg` as pthread_create got them. */
void segment_be_born(struct arena_thread *t, uint64_t routine, uint64_t arg);

/* any: the thread did not run for `ns` (a pause). */
void segment_skip(int64_t ns);

/* ---- progress.c ---- */

int point_number(const char *name);
void point_visit(int point);

/* ---- real.c ---- */

/* The functions that we stand in for, as libc has them.  X(name, return type, parameters). */
#define REAL_FUNCTIONS(X)                                                                                                    \
	X(pthread_create, int, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                             \
	X(pthread_join, int, (pthread_t, void **))                                                                           \
	X(pthread_tryjoin_np, int, (pthread_t, void **))                                                                     \
	X(pthread_timedjoin_np, int, (pthread_t, void **, const struct timespec *))                                          \
	X(pthread_mutex_lock, int, (pthread_mutex_t *))                                                                      \
	X(pthread_mutex_trylock, int, (pthread_mutex_t *))                                                                   \
	X(pthread_mutex_timedlock, int, (pthread_mutex_t *, const struct timespec *))                                        \
	X(pthread_mutex_unlock, int, (pthread_mutex_t *))                                                                    \
	X(pthread_cond_wait, int, (pthread_cond_t *, pthread_mutex_t *))                                                     \
	X(pthread_cond_timedwait, int, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                       \
	X(pthread_cond_signal, int, (pthread_cond_t *))                                                                      \
	X(pthread_cond_broadcast, int, (pthread_cond_t *))                                                                   \
	X(pthread_rwlock_rdlock, int, (pthread_rwlock_t *))                                                                  \
	X(pthread_rwlock_tryrdlock, int, (pthread_rwlock_t *))                                                               \
	X(pthread_rwlock_timedrdlock, int, (pthread_rwlock_t *, const struct timespec *))                                    \
	X(pthread_rwlock_wrlock, int, (pthread_rwlock_t *))                                                                  \
	X(pthread_rwlock_trywrlock, int, (pthread_rwlock_t *))                                                               \
	X(pthread_rwlock_timedwrlock, int, (pthread_rwlock_t *, const struct timespec *))                                    \
	X(pthread_rwlock_unlock, int, (pthread_rwlock_t *))                                                                  \
	X(pthread_barrier_wait, int, (pthread_barrier_t *))                                                                  \
	X(pthread_sigmask, int, (int, const sigset_t *, sigset_t *))                                                         \
	X(sigprocmask, int, (int, const sigset_t *, sigset_t *))                                                             \
	X(sigaction, int, (int, const struct sigaction *, struct sigaction *))                                               \
	X(signal, __sighandler_t, (int, __sighandler_t))                                                                     \
	X(getauxval, unsigned long, (unsigned long))

/* In newer libcs only (glibc 2.30); NULL where the libc has none. */
#define REAL_OPTIONAL_FUNCTIONS(X)                                                                                           \
	X(pthread_cond_clockwait, int, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))            \
	X(pthread_mutex_clocklock, int, (pthread_mutex_t *, clockid_t, const struct timespec *))

struct real {
#define X(name, type, params) type(*name) params;
	REAL_FUNCTIONS(X)
	REAL_OPTIONAL_FUNCTIONS(X)
#undef X
};

extern struct real real;

/* any: resolves all of `real`, once.  Wrappers call it because other constructors may run before ours. */
void real_resolve(void);

#define REAL(name) (likely(real.name != NULL) ? (void)0 : real_resolve(), real.name)

#endif
