/*
 * sem: semaphores, of one process, shared, and named.
 *
 * A semaphore holds tokens.  A thread that takes a token goes on because of the thread
 * that posted it.  Only the last release of an object is known.  So it is acquired only
 * with the token that was posted last: by a thread that waited, and by one that took
 * the only token.  If there were several tokens, the one taken was posted earlier, and
 * the thread could have taken it earlier.
 *
 * libc maps named semaphores itself, at different addresses in each process.  Their
 * keys are made of their files.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/event_log.h"
#include "wrap.h"

enum { NAMED = 64 }; /* named semaphores that are open at a time; the key of further ones is made of their address */

/* An entry is complete when `at` is set; none is ever removed while its semaphore is mapped. */
static struct {
	_Atomic uintptr_t at;  /* 0: free; 1: being filled */
	_Atomic uint32_t opens; /* opens less closes: libc maps a name once, however often it is opened */
	uint64_t key;
} named[NAMED];
static _Atomic uint32_t named_used; /* highest entry ever taken, plus one */

static int find_semaphore(const sem_t *s)
{
	uint32_t n = atomic_load_explicit(&named_used, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++)
		/* Pairs with the release in remember: the key is there. */
		if (atomic_load_explicit(&named[i].at, memory_order_acquire) == (uintptr_t)s)
			return (int)i;
	return -1;
}

static uint64_t key_of_semaphore(const sem_t *s)
{
	int i = find_semaphore(s);

	return i < 0 ? key_of_address(s) : named[i].key;
}

/* The key is made of the file, because a name can be unlinked and given to another semaphore. */
static uint64_t key_of_name(const char *name)
{
	static const char dir[] = "/dev/shm/sem.";
	char path[sizeof(dir) + NAME_MAX];
	struct stat st;
	uint64_t key = 0;

	while (*name == '/')
		name++;
	memcpy(path, dir, sizeof(dir));
	strncpy(path + sizeof(dir) - 1, name, NAME_MAX);
	path[sizeof(path) - 1] = 0;
	if (SYS(SYS_newfstatat, AT_FDCWD, path, &st, 0) == 0)
		return key_of(KEY_SEMAPHORE, st.st_dev, st.st_ino);
	for (; *name; name++)
		key = key_of(KEY_SEMAPHORE, key, (unsigned char)*name);
	return key;
}

static void remember_semaphore(const sem_t *s, const char *name)
{
	int i = find_semaphore(s);

	if (i >= 0) {
		atomic_fetch_add_explicit(&named[i].opens, 1, memory_order_relaxed);
		return;
	}
	for (uint32_t k = 0; k < NAMED; k++) {
		uint32_t used = atomic_load_explicit(&named_used, memory_order_relaxed);
		uintptr_t none = 0;

		if (!atomic_compare_exchange_strong_explicit(&named[k].at, &none, 1, memory_order_acquire, memory_order_relaxed))
			continue;
		named[k].key = key_of_name(name);
		atomic_store_explicit(&named[k].opens, 1, memory_order_relaxed);
		while (used <= k && !atomic_compare_exchange_weak_explicit(&named_used, &used, k + 1, memory_order_relaxed,
									   memory_order_relaxed))
			;
		atomic_store_explicit(&named[k].at, (uintptr_t)s, memory_order_release);
		return;
	}
}

EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
	unsigned mode = 0, value = 0;
	sem_t *s;
	va_list ap;

	if (flags & O_CREAT) {
		va_start(ap, flags);
		mode = va_arg(ap, unsigned);
		value = va_arg(ap, unsigned);
		va_end(ap);
	}
	s = REAL(sem_open)(name, flags, mode, value);
	if (s != SEM_FAILED && unlikely(arena != NULL))
		remember_semaphore(s, name);
	return s;
}

EXPORT int sem_close(sem_t *s)
{
	int i = unlikely(arena != NULL) ? find_semaphore(s) : -1;

	if (i >= 0 && atomic_fetch_sub_explicit(&named[i].opens, 1, memory_order_relaxed) == 1)
		atomic_store_explicit(&named[i].at, 0, memory_order_release);
	return REAL(sem_close)(s);
}

/* ---- tokens --------------------------------------------------------------------- */

/* The thread has taken a token without a wait. */
static inline void took(sem_t *s, const void *site)
{
	int left;

	if (wait_is_accounted() && (event_on() || (sem_getvalue(s, &left) == 0 && left == 0)))
		sync_acquire(key_of_semaphore(s), site);
}

static bool is_valid(clockid_t clock, const struct timespec *at)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && at->tv_nsec >= 0 && at->tv_nsec < 1000000000;
}

/*
 * As libc's functions do, each of these first acts upon a cancellation, and rejects a
 * bad time even if it need not wait.
 */
#define WAIT(s, is_good, wait_expr)                                                                                          \
	do {                                                                                                                 \
		struct wait w;                                                                                               \
		struct timespec until;                                                                                       \
		int64_t ns;                                                                                                  \
		int err, saved = errno;                                                                                      \
		if (!wait_is_watched() || !(is_good))                                                                        \
			return wait_expr;                                                                                    \
		pthread_testcancel();                                                                                        \
		if (REAL(sem_trywait)(s) == 0) {                                                                             \
			took(s, SITE);                                                                                       \
			return 0;                                                                                            \
		}                                                                                                            \
		errno = saved;                                                                                               \
		wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);                                                       \
		err = wait_expr;                                                                                             \
		while (err != 0 && errno == ETIMEDOUT && real.sem_clockwait && wait_once_more(&w, &until, &ns)) {              \
			err = real.sem_clockwait(s, CLOCK_MONOTONIC, &until);                                                \
			wait_extended(&w);                                                                                   \
		}                                                                                                            \
		wait_ended(&w, err == 0, key_of_semaphore(s));                                                               \
		return err;                                                                                                  \
	} while (0)

EXPORT int sem_wait(sem_t *s)
{
	WAIT(s, true, REAL(sem_wait)(s));
}

EXPORT int sem_timedwait(sem_t *s, const struct timespec *at)
{
	WAIT(s, is_valid(CLOCK_REALTIME, at), REAL(sem_timedwait)(s, at));
}

EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *at)
{
	if (!REAL(sem_clockwait)) {
		errno = ENOSYS;
		return -1;
	}
	WAIT(s, is_valid(clock, at), real.sem_clockwait(s, clock, at));
}

EXPORT int sem_trywait(sem_t *s)
{
	int err = REAL(sem_trywait)(s);

	if (err == 0)
		took(s, SITE);
	return err;
}

EXPORT int sem_post(sem_t *s)
{
	if (wait_is_accounted())
		sync_release(key_of_semaphore(s), SITE);
	return REAL(sem_post)(s);
}
