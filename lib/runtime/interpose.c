/*
 * interpose: what a program calls instead of libc.
 *
 * Each wrapper is thin: guard, account, call the real one, account.  Without a
 * window that speeds something up it is two loads and the call.  Two kinds of
 * accounts (see delay.c): what may let another thread go on releases, what went
 * on because of another thread acquires.
 *
 * A lock is tried before it is waited for: only who had to wait has a time at
 * which the wait began.
 */
#include <errno.h>
#include <string.h>

#include "runtime.h"

#define EXPORT __attribute__((visibility("default")))

/*
 * Every sync operation ends what the thread did since the last one, and begins
 * something new, known by the place that the operation was called from.
 */
#define SITE __builtin_return_address(0)

/* The slot of the calling thread while something is being sped up, else NULL: nothing to account for. */
static inline struct arena_thread *enter(void)
{
	struct arena_thread *t;
	uint32_t speedup;
	int64_t credit;

	if (likely(!arena) || (t = self_slot()) == NULL || (speedup = window_speedup()) == 0)
		return NULL;
	self.busy++;
	credit = segment_end(speedup);
	if (credit)
		delay_credit(t, credit);
	return t;
}

static inline void leave(struct arena_thread *t, const void *site)
{
	int64_t deferred = self.deferred_ns;

	if (unlikely(deferred)) {
		/* A sample between these two lines adds to deferred_ns and is not lost. */
		self.deferred_ns -= deferred;
		delay_credit(t, deferred);
	}
	segment_begin(t, site);
	self.busy--;
}

static void released(const void *object, const void *site)
{
	struct arena_thread *t = enter();

	if (!t)
		return;
	sync_release(t, object);
	leave(t, site);
}

/* blocked_at 0: did not wait. */
static void acquired(const void *object, int64_t blocked_at, const void *site)
{
	struct arena_thread *t = enter();

	if (!t)
		return;
	sync_acquire(t, object, blocked_at);
	leave(t, site);
}

static void waited_in_vain(const void *site)
{
	struct arena_thread *t = enter();

	if (!t)
		return;
	sync_timed_out(t);
	leave(t, site);
}

/* The thread is about to wait: what it did so far has ended, and waiting is nothing to be credited for. */
static int64_t begin_wait(const void *site)
{
	struct arena_thread *t = enter();

	if (t)
		leave(t, site);
	self.segment = NULL;
	return now_ns();
}

static inline bool accounting(void)
{
	return unlikely(arena != NULL) && self_slot() != NULL && window_speedup() != 0;
}

/* What every lock does: try, then wait.  got(): EBUSY alone means that somebody else has it. */
#define LOCK(object, try_expr, wait_expr)                                                                                    \
	do {                                                                                                                 \
		int64_t since = 0;                                                                                           \
		int err;                                                                                                     \
		if (!accounting())                                                                                           \
			return wait_expr;                                                                                    \
		err = try_expr;                                                                                              \
		if (err == EBUSY) {                                                                                          \
			since = begin_wait(SITE);                                                                            \
			err = wait_expr;                                                                                     \
		}                                                                                                            \
		if (err == 0 || err == EOWNERDEAD)                                                                           \
			acquired(object, since, SITE);                                                                             \
		else if (err == ETIMEDOUT)                                                                                   \
			waited_in_vain(SITE);                                                                                    \
		return err;                                                                                                  \
	} while (0)

/* ---- mutexes ------------------------------------------------------------------ */

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	LOCK(m, REAL(pthread_mutex_trylock)(m), REAL(pthread_mutex_lock)(m));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *at)
{
	LOCK(m, REAL(pthread_mutex_trylock)(m), REAL(pthread_mutex_timedlock)(m, at));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *at)
{
	if (!REAL(pthread_mutex_clocklock))
		return EINVAL;
	LOCK(m, REAL(pthread_mutex_trylock)(m), real.pthread_mutex_clocklock(m, clock, at));
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	int err = REAL(pthread_mutex_trylock)(m);

	if (err == 0 || err == EOWNERDEAD)
		acquired(m, 0, SITE);
	return err;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	released(m, SITE);
	return REAL(pthread_mutex_unlock)(m);
}

/* ---- condition variables ------------------------------------------------------- */

/* Waiting releases the mutex, and goes on because of a signal and of who had the mutex last. */
#define WAIT(c, m, wait_expr)                                                                                                \
	do {                                                                                                                 \
		struct arena_thread *t;                                                                                      \
		int64_t since;                                                                                               \
		int err;                                                                                                     \
		if (likely(!arena))                                                                                          \
			return wait_expr;                                                                                    \
		released(m, SITE);                                                                                           \
		since = begin_wait(SITE);                                                                                    \
		err = wait_expr;                                                                                             \
		if ((t = enter()) != NULL) {                                                                                 \
			if (err == ETIMEDOUT)                                                                                \
				sync_timed_out(t);                                                                           \
			else                                                                                                 \
				sync_acquire2(t, c, m, since);                                                               \
			leave(t, SITE);                                                                                      \
		}                                                                                                            \
		return err;                                                                                                  \
	} while (0)

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	WAIT(c, m, REAL(pthread_cond_wait)(c, m));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *at)
{
	WAIT(c, m, REAL(pthread_cond_timedwait)(c, m, at));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *at)
{
	if (!REAL(pthread_cond_clockwait))
		return EINVAL;
	WAIT(c, m, real.pthread_cond_clockwait(c, m, clock, at));
}

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	released(c, SITE);
	return REAL(pthread_cond_signal)(c);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	released(c, SITE);
	return REAL(pthread_cond_broadcast)(c);
}

/* ---- read-write locks ----------------------------------------------------------- */

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	LOCK(l, REAL(pthread_rwlock_tryrdlock)(l), REAL(pthread_rwlock_rdlock)(l));
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	LOCK(l, REAL(pthread_rwlock_trywrlock)(l), REAL(pthread_rwlock_wrlock)(l));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *at)
{
	LOCK(l, REAL(pthread_rwlock_tryrdlock)(l), REAL(pthread_rwlock_timedrdlock)(l, at));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *at)
{
	LOCK(l, REAL(pthread_rwlock_trywrlock)(l), REAL(pthread_rwlock_timedwrlock)(l, at));
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	int err = REAL(pthread_rwlock_tryrdlock)(l);

	if (err == 0)
		acquired(l, 0, SITE);
	return err;
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	int err = REAL(pthread_rwlock_trywrlock)(l);

	if (err == 0)
		acquired(l, 0, SITE);
	return err;
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	released(l, SITE);
	return REAL(pthread_rwlock_unlock)(l);
}

/* ---- barriers -------------------------------------------------------------------- */

/* Arriving may let the others go on, and going on waits for all of them. */
EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	int64_t since;
	int err;

	if (!accounting())
		return REAL(pthread_barrier_wait)(b);
	released(b, SITE);
	since = begin_wait(SITE);
	err = REAL(pthread_barrier_wait)(b);
	acquired(b, since, SITE);
	return err;
}

/* ---- threads --------------------------------------------------------------------- */

/*
 * A new thread must know its slot before it runs any code of the program.  What
 * it is to run waits in the slot: nothing is allocated, and the creator need not
 * wait until it has been read.
 */
static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;
static bool has_end_key;

/* A key's destructor runs however the thread ends: return, pthread_exit, cancellation. */
static void at_end(void *unused)
{
	(void)unused;
	released((const void *)(uintptr_t)pthread_self(), NULL); /* whoever joins us goes on because of this */
	thread_end();
}

static void make_end_key(void)
{
	has_end_key = pthread_key_create(&end_key, at_end) == 0;
}

static void *begin(void *p)
{
	struct arena_thread *slot = p;
	void *(*routine)(void *) = (void *(*)(void *))slot->routine;
	void *arg = (void *)slot->arg;

	thread_begin(slot);
	pthread_setspecific(end_key, slot);
	return routine(arg);
}

static size_t stack_bytes(const pthread_attr_t *attr)
{
	pthread_attr_t dflt;
	size_t bytes = 0;

	if (attr) {
		pthread_attr_getstacksize(attr, &bytes);
	} else if (pthread_attr_init(&dflt) == 0) {
		pthread_attr_getstacksize(&dflt, &bytes);
		pthread_attr_destroy(&dflt);
	}
	return bytes;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *arg)
{
	struct arena_thread *slot;
	int err;

	if (!arena)
		return REAL(pthread_create)(thread, attr, routine, arg);
	pthread_once(&end_key_once, make_end_key);
	self.busy++;
	slot = has_end_key ? thread_reserve() : NULL;
	self.busy--;
	if (!slot)
		return REAL(pthread_create)(thread, attr, routine, arg);
	slot->routine = (uintptr_t)routine;
	slot->arg = (uintptr_t)arg;
	slot->stack_bytes = stack_bytes(attr);
	err = REAL(pthread_create)(thread, attr, begin, slot);
	if (err)
		thread_unreserve(slot);
	return err;
}

EXPORT int pthread_join(pthread_t thread, void **value)
{
	int64_t since;
	int err;

	if (!accounting())
		return REAL(pthread_join)(thread, value);
	since = begin_wait(SITE);
	err = REAL(pthread_join)(thread, value);
	if (err == 0)
		acquired((const void *)(uintptr_t)thread, since, SITE);
	return err;
}

EXPORT int pthread_tryjoin_np(pthread_t thread, void **value)
{
	int err = REAL(pthread_tryjoin_np)(thread, value);

	if (err == 0)
		acquired((const void *)(uintptr_t)thread, 0, SITE);
	return err;
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *at)
{
	int64_t since = arena ? begin_wait(SITE) : 0;
	int err = REAL(pthread_timedjoin_np)(thread, value, at);

	if (err == 0)
		acquired((const void *)(uintptr_t)thread, since, SITE);
	else if (err == ETIMEDOUT)
		waited_in_vain(SITE);
	return err;
}

/* ---- our signal --------------------------------------------------------------------- */

static void without_ours(const sigset_t *set, sigset_t *copy)
{
	*copy = *set;
	if (sampler_signal())
		sigdelset(copy, sampler_signal());
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	if (!set || how == SIG_UNBLOCK)
		return REAL(pthread_sigmask)(how, set, old);
	without_ours(set, &copy);
	return REAL(pthread_sigmask)(how, &copy, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	if (!set || how == SIG_UNBLOCK)
		return REAL(sigprocmask)(how, set, old);
	without_ours(set, &copy);
	return REAL(sigprocmask)(how, &copy, old);
}

EXPORT __sighandler_t signal(int sig, __sighandler_t handler)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	if (sig == 0 || sig != sampler_signal())
		return REAL(signal)(sig, handler);
	sampler_keep_action(&act, &old);
	return old.sa_handler;
}

EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	if (sig != 0 && sig == sampler_signal())
		return sampler_keep_action(act, old), 0;
	return REAL(sigaction)(sig, act, old);
}
