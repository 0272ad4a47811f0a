/*
 * wrap: the functions that the program calls instead of libc's, and what they share.
 *
 * Each wrapper is thin: guard, account, call the real one, account.  When nothing
 * is profiled it is one load and the call.
 *
 * Files, by what the program calls:
 *
 *   lock, c11, spin, sem, once     locks and conditions: pthread's, of <threads.h>, POSIX's
 *   sysv                           semaphores and message queues of System V
 *   lock_owner                     locks that one thread uses alone
 *   futex, syscall                 raw system calls, and futexes among them
 *   join, child                    threads; child processes
 *   sleep, yield, sigwait          waits for time, for another thread's turn, for signals
 *   poll, uring, liburing          waits for many descriptors, and for operations of io_uring; watch: such waits
 *   io, file, filesystem, socket   calls that take a descriptor; fd_wait: such waits; aio: those that go on by themselves
 *   stdio                          streams
 *   channel, channel_socket        where a descriptor leads to
 *   close                          calls that close descriptors, but for ours
 *   gomp*, omp*, ompt              OpenMP, GNU's and LLVM's
 *   mpi, kokkos, coz               MPI, Kokkos, and the marks of Coz
 *   library                        finds the functions of libraries that only some programs have
 */
#ifndef ANDWEORC_WRAP_WRAP_H
#define ANDWEORC_WRAP_WRAP_H

#include <errno.h>

#include "lock_owner.h"
#include "runtime/object_key.h"
#include "runtime/real.h"
#include "runtime/sync.h"
#include "runtime/wait.h"

/*
 * In a process of one thread, an object in private memory has no other thread to let go
 * on, so it is not accounted for.  Some such programs take locks by the million, and
 * accounting would cost them more than half of their time: sqlite3, which inserts rows,
 * took 2.6 times as long.
 */
static inline bool wait_has_peers(void)
{
	return wait_is_accounted() && atomic_load_explicit(&thread_count, memory_order_relaxed) > 1;
}

static inline bool object_has_peers(const volatile void *object)
{
	return wait_is_accounted() &&
	       (atomic_load_explicit(&thread_count, memory_order_relaxed) > 1 || key_is_shared(object));
}

/* The key is made only where it is used: without a speedup this is one load. */
static inline void object_release(const volatile void *object, const void *site)
{
	if (object_has_peers(object))
		sync_release(key_of_address(object), site);
}

/* As object_release, but without a pause: the thread signals a condition variable, and may hold a lock. */
static inline void object_signal(const volatile void *object, const void *site)
{
	if (object_has_peers(object))
		sync_unlock(key_of_address(object), site);
}

static inline void object_unlock(const volatile void *object, const void *site)
{
	if (object_has_peers(object) && !lock_is_own(object))
		sync_unlock(key_of_address(object), site);
}

static inline void object_unlock_unshared(const volatile void *object, const void *site)
{
	if (object_has_peers(object) && !lock_is_own(object))
		sync_unlock_unshared(key_of_address(object), site);
}

static inline void object_before_lock(const volatile void *object, const void *site)
{
	if (object_has_peers(object) && !lock_is_own(object))
		sync_before_lock(site);
}

static inline void object_lock(const volatile void *object, const void *site)
{
	if (object_has_peers(object) && !lock_note_owner(object, LOCK_ALONE))
		sync_lock(key_of_address(object), site);
}

static inline void object_lock_shared(const volatile void *object, const void *site)
{
	if (object_has_peers(object) && !lock_note_owner(object, LOCK_ALONE))
		sync_lock_shared(key_of_address(object), site);
}

/* Unlocks as a wait at a condition variable begins.  Such waits may end by this unlock, so it is accounted for, whoever owns the lock. */
static inline void object_unlock_to_wait(const volatile void *object, const void *site)
{
	if (object_has_peers(object)) {
		lock_share(object);
		sync_unlock(key_of_address(object), site);
	}
}

/* any: ends a wait.  by_peer: a release of the key has ended it; otherwise no thread of the recording has, as the call has failed. */
static inline void wait_ended(struct wait *w, bool by_peer, uint64_t key)
{
	if (by_peer)
		wait_by_peer(w, key);
	else
		wait_outside(w);
}

/*
 * The body of a wrapper that waits for a device, or for anything else outside of the recording.  `end` ends the wait w_, after
 * the call has returned got_.
 */
#define WAIT_OUTSIDE_THEN(end, call)                                                                                         \
	do {                                                                                                                 \
		struct wait w_;                                                                                              \
		__typeof__(call) got_;                                                                                       \
		if (likely(!wait_is_watched()))                                                                              \
			return call;                                                                                         \
		wait_begin(&w_, CLASS_IO, SITE, true, WAIT_UNKNOWN);                                                         \
		got_ = call;                                                                                                 \
		end;                                                                                                         \
		return got_;                                                                                                 \
	} while (0)

#define WAIT_OUTSIDE(call) WAIT_OUTSIDE_THEN(wait_outside(&w_), call)

/*
 * The body of a wrapper that takes a lock: try, then wait.  `busy`: the only result of trying that means that another thread has it.
 * took, waited: what is told of a lock that was free, and at the end of a wait for it.
 */
#define TAKE_LOCK(took, waited, object, busy, try_expr, wait_expr)                                                           \
	do {                                                                                                                 \
		struct wait w;                                                                                               \
		int err;                                                                                                     \
		if (!wait_is_watched())                                                                                      \
			return wait_expr;                                                                                    \
		object_before_lock(object, SITE);                                                                            \
		err = try_expr;                                                                                              \
		if (err != (busy)) {                                                                                         \
			if (err == 0 || err == EOWNERDEAD)                                                                   \
				took(object, SITE);                                                                          \
			return err;                                                                                          \
		}                                                                                                            \
		lock_share(object);                                                                                          \
		wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);                                                       \
		err = wait_expr;                                                                                             \
		if (err == 0 || err == EOWNERDEAD)                                                                           \
			waited(&w, key_of_address(object));                                                                  \
		else                                                                                                         \
			wait_outside(&w);                                                                                    \
		return err;                                                                                                  \
	} while (0)

#define LOCK(object, busy, try_expr, wait_expr) TAKE_LOCK(object_lock, wait_by_peer, object, busy, try_expr, wait_expr)

/*
 * The body of a wrapper that waits at a condition variable, and releases the mutex meanwhile.  The wait ends by a signal, and by
 * the last owner's unlock of the mutex.  timed_out: the result of a wait that has timed out; such a wait lasts in virtual time
 * (wait_once_more).  In libc, the types of <threads.h> are those of pthreads.
 */
#define WAIT_CONDITION(c, m, timed_out, wait_expr)                                                                           \
	do {                                                                                                                 \
		struct wait w;                                                                                               \
		struct timespec until;                                                                                       \
		int64_t ns;                                                                                                  \
		int err;                                                                                                     \
		if (!wait_is_watched())                                                                                      \
			return wait_expr;                                                                                    \
		object_unlock_to_wait(m, SITE);                                                                              \
		wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);                                                       \
		err = wait_expr;                                                                                             \
		while (err == (timed_out) && real.pthread_cond_clockwait && wait_once_more(&w, &until, &ns)) {                 \
			err = real.pthread_cond_clockwait((pthread_cond_t *)(c), (pthread_mutex_t *)(m), CLOCK_MONOTONIC, &until); \
			err = err == ETIMEDOUT ? (timed_out) : err;                                                          \
			wait_extended(&w);                                                                                   \
		}                                                                                                            \
		if (err == 0 || err == EOWNERDEAD)                                                                           \
			wait_by_peer2(&w, key_of_address(c), key_of_address(m));                                             \
		else                                                                                                         \
			wait_outside(&w);                                                                                    \
		return err;                                                                                                  \
	} while (0)

/* The body of one that tries to: it pays before, as if it were to wait, or it would take the lock too early. */
#define TRY_TO_TAKE(took, object, try_expr)                                                                                  \
	do {                                                                                                                 \
		int err;                                                                                                     \
		object_before_lock(object, SITE);                                                                            \
		err = try_expr;                                                                                              \
		if (err == 0 || err == EOWNERDEAD)                                                                           \
			took(object, SITE);                                                                                  \
		else if (wait_has_peers())                                                                                   \
			lock_share(object);                                                                                  \
		return err;                                                                                                  \
	} while (0)

#define TRY_LOCK(object, try_expr) TRY_TO_TAKE(object_lock, object, try_expr)

#endif
