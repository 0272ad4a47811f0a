/*
 * once: pthread_once and call_once: one thread runs a routine, and others wait for it.
 *
 * The first thread does not wait, but runs the routine inside libc's function.  The
 * routine is replaced by one that notices this.
 */
#include "wrap.h"

enum { DONE = 2 }; /* the value in glibc and musl; with another value, only the fast path is not taken */

/*
 * The routine that the calling thread will run if it is the first.  Routines nest: a thread
 * clears this when it begins one.
 */
static TLS struct {
	void (*routine)(void);
	struct wait *wait;
	const void *control, *site;
} next;

static void first(void)
{
	void (*routine)(void) = next.routine;
	const void *control = next.control, *site = next.site;

	next.routine = NULL;
	wait_none(next.wait);
	routine();
	object_release(control, site);
}

static bool is_done(const int *control)
{
	return __atomic_load_n(control, __ATOMIC_ACQUIRE) == DONE;
}

static void begin_once(struct wait *w, const void *control, void (*routine)(void), const void *site)
{
	wait_begin(w, CLASS_LOCK, site, false, WAIT_UNKNOWN);
	next.routine = routine;
	next.wait = w;
	next.control = control;
	next.site = site;
}

static void end_once(struct wait *w, const void *control)
{
	if (!next.routine)
		return; /* this thread ran the routine */
	next.routine = NULL;
	wait_by_peer(w, key_of_address(control));
}

EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	struct wait w;
	int err;

	if (!wait_is_watched() || is_done(control))
		return REAL(pthread_once)(control, routine);
	begin_once(&w, control, routine, SITE);
	err = REAL(pthread_once)(control, first);
	end_once(&w, control);
	return err;
}

EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
	struct wait w;

	if (!wait_is_watched() || is_done((const int *)(const void *)flag)) {
		REAL(call_once)(flag, routine);
		return;
	}
	begin_once(&w, flag, routine, SITE);
	REAL(call_once)(flag, first);
	end_once(&w, flag);
}
