/*
 * lock: mutexes, condition variables, read-write locks and barriers of pthread.
 *
 * An operation that may let another thread go on is a release; one that goes on because
 * of another thread is an acquire (see lib/vclock).  A wrapper tries a lock before it
 * waits, because only a thread that must wait has a time at which its wait began.
 */
#include "wrap.h"

/* ---- mutexes ------------------------------------------------------------------ */

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	LOCK(m, EBUSY, REAL(pthread_mutex_trylock)(m), REAL(pthread_mutex_lock)(m));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *at)
{
	LOCK(m, EBUSY, REAL(pthread_mutex_trylock)(m), REAL(pthread_mutex_timedlock)(m, at));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *at)
{
	if (!REAL(pthread_mutex_clocklock))
		return EINVAL;
	LOCK(m, EBUSY, REAL(pthread_mutex_trylock)(m), real.pthread_mutex_clocklock(m, clock, at));
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	TRY_LOCK(m, REAL(pthread_mutex_trylock)(m));
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	object_unlock(m, SITE);
	return REAL(pthread_mutex_unlock)(m);
}

/* ---- condition variables ------------------------------------------------------- */

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	WAIT_CONDITION(c, m, ETIMEDOUT, REAL(pthread_cond_wait)(c, m));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *at)
{
	WAIT_CONDITION(c, m, ETIMEDOUT, REAL(pthread_cond_timedwait)(c, m, at));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *at)
{
	if (!REAL(pthread_cond_clockwait))
		return EINVAL;
	WAIT_CONDITION(c, m, ETIMEDOUT, real.pthread_cond_clockwait(c, m, clock, at));
}

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	object_signal(c, SITE);
	return REAL(pthread_cond_signal)(c);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	object_signal(c, SITE);
	return REAL(pthread_cond_broadcast)(c);
}

/* ---- read-write locks ----------------------------------------------------------- */

#define LOCK_SHARED(l, try_expr, wait_expr) TAKE_LOCK(object_lock_shared, wait_to_share, l, EBUSY, try_expr, wait_expr)

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	LOCK_SHARED(l, REAL(pthread_rwlock_tryrdlock)(l), REAL(pthread_rwlock_rdlock)(l));
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	LOCK(l, EBUSY, REAL(pthread_rwlock_trywrlock)(l), REAL(pthread_rwlock_wrlock)(l));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *at)
{
	LOCK_SHARED(l, REAL(pthread_rwlock_tryrdlock)(l), REAL(pthread_rwlock_timedrdlock)(l, at));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *at)
{
	LOCK(l, EBUSY, REAL(pthread_rwlock_trywrlock)(l), REAL(pthread_rwlock_timedwrlock)(l, at));
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *at)
{
	if (!REAL(pthread_rwlock_clockrdlock))
		return EINVAL;
	LOCK_SHARED(l, REAL(pthread_rwlock_tryrdlock)(l), real.pthread_rwlock_clockrdlock(l, clock, at));
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *at)
{
	if (!REAL(pthread_rwlock_clockwrlock))
		return EINVAL;
	LOCK(l, EBUSY, REAL(pthread_rwlock_trywrlock)(l), real.pthread_rwlock_clockwrlock(l, clock, at));
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	TRY_TO_TAKE(object_lock_shared, l, REAL(pthread_rwlock_tryrdlock)(l));
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	TRY_LOCK(l, REAL(pthread_rwlock_trywrlock)(l));
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	/* Its owner calls: there is a writer only if that is the writer. */
	if (l->__data.__cur_writer)
		object_unlock_unshared(l, SITE);
	else
		object_unlock(l, SITE);
	return REAL(pthread_rwlock_unlock)(l);
}

/* ---- barriers -------------------------------------------------------------------- */

/* The arrival releases the barrier, and a thread that goes on acquires it from all others. */
EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct wait w;
	int err;

	if (!wait_is_watched())
		return REAL(pthread_barrier_wait)(b);
	object_release(b, SITE);
	wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);
	err = REAL(pthread_barrier_wait)(b);
	wait_by_peer(&w, key_of_address(b));
	return err;
}
