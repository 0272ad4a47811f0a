/*
 * file: opening and locking files.
 *
 * Opening a file waits for its device, opening a FIFO for its other end.  A file lock
 * is waited for until another thread or process unlocks it.
 *
 * Only after opening is it known whether the file is a FIFO. So the thread that opens
 * the second end releases the key a moment after the kernel has let the first thread go
 * on.  That is early enough, because the first thread must be woken up.
 */
#include <sys/file.h>

#include "fd_wait.h"
#include "runtime/hidden_fd.h"
#include "runtime/process.h"

/* ---- opening --------------------------------------------------------------------------- */

static void opened(struct wait *w, int fd, const void *site)
{
	struct latest latest = { 0, 0 };
	uint64_t key;

	channel_forget(fd);
	key = w->t && fd >= 0 && window_speedup() ? channel_opening(fd) : 0;

	latest_of(&latest, key, w->began.since_ns);
	if (key)
		sync_release(key, site);
	if (latest.at)
		wait_by_peer(w, key);
	else
		wait_outside(w);
}

/* Body of a wrapper. */
#define OPEN(call) WAIT_OUTSIDE_THEN(opened(&w_, got_, SITE), CALL(call))

/* Callers pass a mode only with flags that need it. */
#define MODE(flags, mode)                                                                                                    \
	do {                                                                                                                 \
		va_list args;                                                                                                \
		if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) {                                             \
			va_start(args, flags);                                                                               \
			mode = va_arg(args, mode_t);                                                                         \
			va_end(args);                                                                                        \
		}                                                                                                            \
	} while (0)

/* Allocators read files when they start. */
static int open_early(int dir, const char *path, int flags, mode_t mode)
{
	return (int)sys_as_libc(SYS(SYS_openat, dir, path, flags, mode));
}

EXPORT int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE(flags, mode);
	OPEN(REAL(open) ? real.open(path, flags, mode) : open_early(AT_FDCWD, path, flags, mode));
}

EXPORT int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE(flags, mode);
	OPEN(REAL(open64) ? real.open64(path, flags, mode) : open_early(AT_FDCWD, path, flags, mode));
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE(flags, mode);
	OPEN(REAL(openat) ? real.openat(dir, path, flags, mode) : open_early(dir, path, flags, mode));
}

EXPORT int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE(flags, mode);
	OPEN(REAL(openat64)(dir, path, flags, mode));
}

EXPORT int creat(const char *path, mode_t mode)
{
	OPEN(REAL(creat)(path, mode));
}

EXPORT int creat64(const char *path, mode_t mode)
{
	OPEN(REAL(creat64)(path, mode));
}

/* Functions of _FORTIFY_SOURCE, which no header declares. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

EXPORT int __open_2(const char *path, int flags)
{
	OPEN(REAL(__open_2)(path, flags));
}

EXPORT int __open64_2(const char *path, int flags)
{
	OPEN(REAL(__open64_2)(path, flags));
}

EXPORT int __openat_2(int dir, const char *path, int flags)
{
	OPEN(REAL(__openat_2)(dir, path, flags));
}

EXPORT int __openat64_2(int dir, const char *path, int flags)
{
	OPEN(REAL(__openat64_2)(dir, path, flags));
}

/* ---- locks -------------------------------------------------------------------------------- */

enum lock_step { LOCK_NONE, LOCK_TAKEN, LOCK_GIVEN };

enum { LOCKED = 4096 };
static _Atomic uint32_t locked[LOCKED]; /* by descriptor: 1 + the process that has taken a lock with it; 0: none has */

static void note_lock(int fd, bool has)
{
	if (fd >= 0 && fd < LOCKED)
		atomic_store_explicit(&locked[fd], has ? 1 + process_number() : 0, memory_order_relaxed);
}

static void give_lock(int fd, const void *site)
{
	note_lock(fd, false);
	if (wait_is_accounted())
		sync_release(channel_lock(fd), site);
}

void file_lock_end(int fd, const void *site)
{
	if (unlikely(fd >= 0 && fd < LOCKED && atomic_load_explicit(&locked[fd], memory_order_relaxed) == 1 + process_number()))
		give_lock(fd, site);
}

#define LOCKING(step, fd, call)                                                                                              \
	do {                                                                                                                 \
		struct fd_wait t;                                                                                            \
		int err;                                                                                                     \
		if (likely(!wait_is_watched()) || (step) == LOCK_NONE)                                                       \
			return call;                                                                                         \
		if ((step) == LOCK_GIVEN) {                                                                                  \
			give_lock(fd, SITE);                                                                                 \
			return call;                                                                                         \
		}                                                                                                            \
		if (wait_is_accounted())                                                                                     \
			sync_before_lock(SITE);                                                                              \
		fd_wait_begin_with(&t, fd, 0, wait_is_accounted() ? channel_lock(fd) : 0, 0, SITE);                          \
		err = CALL(call);                                                                                            \
		note_lock(fd, err >= 0);                                                                                     \
		fd_wait_end(&t, err >= 0);                                                                                   \
		return err;                                                                                                  \
	} while (0)

EXPORT int flock(int fd, int operation)
{
	LOCKING(operation & LOCK_UN ? LOCK_GIVEN : LOCK_TAKEN, fd, REAL(flock)(fd, operation));
}

static enum lock_step lockf_step(int command)
{
	return command == F_ULOCK ? LOCK_GIVEN : command == F_TEST ? LOCK_NONE : LOCK_TAKEN;
}

EXPORT int lockf(int fd, int command, off_t n)
{
	LOCKING(lockf_step(command), fd, REAL(lockf)(fd, command, n));
}

EXPORT int lockf64(int fd, int command, off64_t n)
{
	LOCKING(lockf_step(command), fd, REAL(lockf64)(fd, command, n));
}

static enum lock_step fcntl_step(int command, const void *arg)
{
	if (!arg || (command != F_SETLK && command != F_SETLKW && command != F_OFD_SETLK && command != F_OFD_SETLKW))
		return LOCK_NONE;
	return ((const struct flock *)arg)->l_type == F_UNLCK ? LOCK_GIVEN : LOCK_TAKEN;
}

/* As libc does: the argument is read whatever its type is, and even if there is none. */
#define ARGUMENT(after, arg)                                                                                                 \
	do {                                                                                                                 \
		va_list args;                                                                                                \
		va_start(args, after);                                                                                       \
		arg = va_arg(args, void *);                                                                                  \
		va_end(args);                                                                                                \
	} while (0)

static int copied(int fd, int of, int command)
{
	if (fd >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		channel_is_copy(fd, of);
	return fd;
}

EXPORT int fcntl(int fd, int command, ...)
{
	void *arg;

	GUARDED(fd);
	ARGUMENT(command, arg);
	LOCKING(fcntl_step(command, arg), fd, copied(REAL(fcntl)(fd, command, arg), fd, command));
}

EXPORT int fcntl64(int fd, int command, ...)
{
	void *arg;

	GUARDED(fd);
	ARGUMENT(command, arg);
	LOCKING(fcntl_step(command, arg), fd, copied(REAL(fcntl64)(fd, command, arg), fd, command));
}
