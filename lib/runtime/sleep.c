/*
 * sleep: waiting for time to pass.
 *
 * A sleep until a moment (TIMER_ABSTIME) ends when the clock says so, however much
 * of it was spent in pauses: the program runs on that clock, and a virtual speedup
 * cannot be seen through it.  How long such sleeps were is counted apart
 * (absolute_ns), so that the recorder can warn.
 */
#include "wrap.h"

static bool is_readable(const struct timespec *t)
{
	/* NULL and the like fail with EFAULT, and that is for the kernel to say. */
	return (uintptr_t)t >= 4096 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

static int64_t ns_of(const struct timespec *t)
{
	return t->tv_sec < 0 ? 0 : t->tv_sec < INT64_MAX / 2000000000 ? t->tv_sec * 1000000000ll + t->tv_nsec : INT64_MAX / 2;
}

static int64_t length(clockid_t clock, int flags, const struct timespec *t)
{
	struct timespec now;

	if (!is_readable(t) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME &&
				clock != CLOCK_TAI))
		return WAIT_UNKNOWN;
	if (!(flags & TIMER_ABSTIME))
		return ns_of(t);
	if (clock_gettime(clock, &now) != 0)
		return WAIT_UNKNOWN;
	return ns_of(t) > ns_of(&now) ? ns_of(t) - ns_of(&now) : 0;
}

void sleep_begin(struct wait *w, clockid_t clock, int flags, const struct timespec *t, const void *site)
{
	w->t = NULL;
	if (wait_is_watched())
		wait_begin(w, CLASS_SLEEP, site, true, length(clock, flags, t));
}

void sleep_end(struct wait *w, int flags)
{
	struct arena_thread *t = w->t;

	if (t && (flags & TIMER_ABSTIME))
		counter_add(&t->absolute_ns, (uint64_t)(now_ns() - w->since));
	wait_outside(w);
}

#define SLEEP(clock, flags, t, sleep_expr)                                                                                   \
	do {                                                                                                                 \
		struct wait w;                                                                                               \
		int err;                                                                                                     \
		if (!wait_is_watched())                                                                                      \
			return sleep_expr;                                                                                   \
		sleep_begin(&w, clock, flags, t, SITE);                                                                      \
		err = sleep_expr;                                                                                            \
		sleep_end(&w, flags);                                                                                        \
		return err;                                                                                                  \
	} while (0)

EXPORT int nanosleep(const struct timespec *t, struct timespec *left)
{
	SLEEP(CLOCK_MONOTONIC, 0, t, REAL(nanosleep)(t, left));
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	SLEEP(clock, flags, t, REAL(clock_nanosleep)(clock, flags, t, left));
}

EXPORT int thrd_sleep(const struct timespec *t, struct timespec *left)
{
	SLEEP(CLOCK_MONOTONIC, 0, t, REAL(thrd_sleep)(t, left));
}

EXPORT int usleep(useconds_t us)
{
	struct timespec t = { us / 1000000, (long)(us % 1000000) * 1000 };

	SLEEP(CLOCK_MONOTONIC, 0, &t, REAL(usleep)(us));
}

EXPORT unsigned sleep(unsigned seconds)
{
	struct timespec t = { seconds, 0 };
	struct wait w;
	unsigned left;

	if (!wait_is_watched())
		return REAL(sleep)(seconds);
	sleep_begin(&w, CLOCK_MONOTONIC, 0, &t, SITE);
	left = REAL(sleep)(seconds);
	sleep_end(&w, 0);
	return left;
}
