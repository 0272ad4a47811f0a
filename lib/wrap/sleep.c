/*
 * sleep: waits for time to pass.
 *
 * A sleep until an absolute time (TIMER_ABSTIME) ends at that time, however much of it
 * was spent in pauses.  A program that is paced by the clock cannot show a virtual
 * speedup.  The length of such sleeps is counted separately (absolute_ns), so that the
 * recorder can warn.
 *
 * Many programs compute a relative sleep from an absolute time (C++'s sleep_until, a
 * loop with a fixed frame rate): the length is then the rest of the interval after the
 * work.  Such sleeps are recognised so: from one sleep to the next, their lengths vary
 * more than the intervals between their planned ends, or between the last awakening and
 * the planned end.
 */
#include "sleep.h"
#include "wrap.h"

enum {
	PACED = 4,             /* "more" means so many times more */
	WHOLE_NS = 2 * 1000,   /* smaller changes of a length are ignored */
	MOST_NS = 200 * 1000,  /* largest change that counts, so that a long break is soon forgotten */
	OLD = 8,               /* sleeps over which is averaged */
};

/* The sleeps of a thread: the last one, and the typical change from one to the next. */
struct pace {
	int64_t until, woken;                         /* ns of CLOCK_MONOTONIC: the planned end of the last sleep, and the real one */
	int64_t length, from_moment, from_waking;     /* of the last sleep; until its planned end, from the planned and the real end of the one before */
	int64_t d_length, d_from_moment, d_from_waking; /* average changes of these */
	bool late; /* the last sleep was until a moment that was over: it waited for none */
};

static TLS struct pace pace;

static void average(int64_t *mean, int64_t *last, int64_t x)
{
	int64_t change = x > *last ? x - *last : *last - x;

	*mean += ((change < MOST_NS ? change : MOST_NS) - *mean) / OLD;
	*last = x;
}

static void pace_begin(int64_t now, int64_t ns)
{
	average(&pace.d_length, &pace.length, ns);
	average(&pace.d_from_moment, &pace.from_moment, now + ns - pace.until);
	average(&pace.d_from_waking, &pace.from_waking, now + ns - pace.woken);
	pace.until = now + ns;
}

static bool is_paced(void)
{
	int64_t least = pace.d_from_moment < pace.d_from_waking ? pace.d_from_moment : pace.d_from_waking;

	return pace.d_length > WHOLE_NS && pace.d_length > PACED * least;
}

static int64_t length(clockid_t clock, int flags, const struct timespec *t)
{
	struct timespec now;

	if (!timespec_is_valid(t) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME &&
				clock != CLOCK_TAI))
		return WAIT_UNKNOWN;
	if (!(flags & TIMER_ABSTIME))
		return timespec_ns(t);
	if (clock_gettime(clock, &now) != 0)
		return WAIT_UNKNOWN;
	return timespec_ns(t) > timespec_ns(&now) ? timespec_ns(t) - timespec_ns(&now) : 0;
}

void sleep_begin(struct wait *w, clockid_t clock, int flags, const struct timespec *t, const void *site)
{
	int64_t ns;

	w->t = NULL;
	if (!wait_is_watched())
		return;
	ns = length(clock, flags, t);
	pace.late = (flags & TIMER_ABSTIME) && ns == 0;
	wait_begin(w, CLASS_SLEEP, site, true, ns);
	if (ns != WAIT_UNKNOWN)
		pace_begin(w->began.since_ns, ns);
}

void sleep_end(struct wait *w, int flags)
{
	w->by_clock = w->t && !pace.late && ((flags & TIMER_ABSTIME) || is_paced());
	wait_outside(w);
	pace.woken = now_ns();
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
