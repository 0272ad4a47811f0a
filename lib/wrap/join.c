/*
 * join: creates threads, and waits for their ends.
 */
#include "runtime/create.h"
#include "wrap.h"

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *arg)
{
	struct arena_thread *slot = create_prepare(attr, routine, arg);
	int err;

	if (!slot)
		return REAL(pthread_create)(thread, attr, routine, arg);
	err = REAL(pthread_create)(thread, attr, create_begin, slot);
	if (err)
		thread_unreserve(slot);
	return err;
}

/* A join ends because the thread has ended, or with an error. */
#define JOIN(thread, wait_expr)                                                                                              \
	do {                                                                                                                 \
		struct wait w;                                                                                               \
		int err;                                                                                                     \
		if (!wait_is_watched())                                                                                      \
			return wait_expr;                                                                                    \
		wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);                                                       \
		err = wait_expr;                                                                                             \
		wait_ended(&w, err == 0, key_of_thread(thread));                                                             \
		return err;                                                                                                  \
	} while (0)

EXPORT int pthread_join(pthread_t thread, void **value)
{
	JOIN(thread, REAL(pthread_join)(thread, value));
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *at)
{
	JOIN(thread, REAL(pthread_timedjoin_np)(thread, value, at));
}

EXPORT int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock, const struct timespec *at)
{
	if (!REAL(pthread_clockjoin_np))
		return EINVAL;
	JOIN(thread, real.pthread_clockjoin_np(thread, value, clock, at));
}

EXPORT int pthread_tryjoin_np(pthread_t thread, void **value)
{
	int err = REAL(pthread_tryjoin_np)(thread, value);

	if (err == 0 && wait_is_accounted())
		sync_acquire(key_of_thread(thread), SITE);
	return err;
}
