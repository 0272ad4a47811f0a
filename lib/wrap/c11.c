/*
 * c11: the threads of <threads.h>. libc implements them by its internal pthread
 * functions, past our wrappers of those.
 */
#include "runtime/create.h"
#include "wrap.h"

EXPORT int mtx_lock(mtx_t *m)
{
	LOCK(m, thrd_busy, REAL(mtx_trylock)(m), REAL(mtx_lock)(m));
}

EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *at)
{
	LOCK(m, thrd_busy, REAL(mtx_trylock)(m), REAL(mtx_timedlock)(m, at));
}

EXPORT int mtx_trylock(mtx_t *m)
{
	TRY_LOCK(m, REAL(mtx_trylock)(m));
}

EXPORT int mtx_unlock(mtx_t *m)
{
	object_unlock(m, SITE);
	return REAL(mtx_unlock)(m);
}

/* ---- condition variables ---------------------------------------------------------- */

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	WAIT_CONDITION(c, m, thrd_timedout, REAL(cnd_wait)(c, m));
}

EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *at)
{
	WAIT_CONDITION(c, m, thrd_timedout, REAL(cnd_timedwait)(c, m, at));
}

EXPORT int cnd_signal(cnd_t *c)
{
	object_signal(c, SITE);
	return REAL(cnd_signal)(c);
}

EXPORT int cnd_broadcast(cnd_t *c)
{
	object_signal(c, SITE);
	return REAL(cnd_broadcast)(c);
}

/* ---- threads ------------------------------------------------------------------------ */

/* The result of a C11 thread is an int, which is passed on as a pointer. */
static int begin_c11_thread(void *slot)
{
	return (int)(intptr_t)create_begin(slot);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *arg)
{
	void *(*as_pthread)(void *) = (void *(*)(void *))(uintptr_t)routine;
	struct arena_thread *slot = create_prepare(NULL, as_pthread, arg);
	int err;

	if (!slot)
		return REAL(thrd_create)(thread, routine, arg);
	err = REAL(thrd_create)(thread, begin_c11_thread, slot);
	if (err != thrd_success)
		thread_unreserve(slot);
	return err;
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
	struct wait w;
	int err;

	if (!wait_is_watched())
		return REAL(thrd_join)(thread, result);
	wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);
	err = REAL(thrd_join)(thread, result);
	wait_ended(&w, err == thrd_success, key_of_thread(thread));
	return err;
}
