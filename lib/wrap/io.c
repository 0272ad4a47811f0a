/*
 * io: reading and writing through descriptors.
 *
 * libc's internal calls cannot be interposed.  Instead, stdio.c wraps the functions of
 * stdio, and socket.c getaddrinfo.  Not seen are directories, syslog, the password
 * database, raw system calls, and page faults in mapped files.
 *
 * Each function has a variant that _FORTIFY_SOURCE uses in its place, and one for files
 * of more than 2 GB, which is identical on these architectures.
 */
#include <sys/sendfile.h>
#include <sys/timerfd.h>

#include "fd_wait.h"
#include "runtime/hidden_fd.h"

/* Functions of _FORTIFY_SOURCE, which headers declare only when it is on. */
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room);

/* Allocators read and write files when they start. */
#define EARLY(name, number, ...) (REAL(name) ? real.name(__VA_ARGS__) : sys_as_libc(SYS(number, __VA_ARGS__)))

/* ---- reading --------------------------------------------------------------------- */

EXPORT ssize_t read(int fd, void *buf, size_t n)
{
	MOVE(fd, NO_FD, true, EARLY(read, SYS_read, fd, buf, n));
}

EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
	MOVE(fd, NO_FD, true, REAL(__read_chk)(fd, buf, n, room));
}

EXPORT ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	MOVE(fd, NO_FD, false, EARLY(pread, SYS_pread64, fd, buf, n, at));
}

EXPORT ssize_t pread64(int fd, void *buf, size_t n, off64_t at)
{
	MOVE(fd, NO_FD, false, REAL(pread64)(fd, buf, n, at));
}

EXPORT ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room)
{
	MOVE(fd, NO_FD, false, REAL(__pread_chk)(fd, buf, n, at, room));
}

EXPORT ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room)
{
	MOVE(fd, NO_FD, false, REAL(__pread64_chk)(fd, buf, n, at, room));
}

EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
	MOVE(fd, NO_FD, true, REAL(readv)(fd, v, n));
}

EXPORT ssize_t preadv(int fd, const struct iovec *v, int n, off_t at)
{
	MOVE(fd, NO_FD, false, REAL(preadv)(fd, v, n, at));
}

EXPORT ssize_t preadv64(int fd, const struct iovec *v, int n, off64_t at)
{
	MOVE(fd, NO_FD, false, REAL(preadv64)(fd, v, n, at));
}

EXPORT ssize_t preadv2(int fd, const struct iovec *v, int n, off_t at, int flags)
{
	MOVE(fd, NO_FD, false, REAL(preadv2)(fd, v, n, at, flags));
}

EXPORT ssize_t preadv64v2(int fd, const struct iovec *v, int n, off64_t at, int flags)
{
	MOVE(fd, NO_FD, false, REAL(preadv64v2)(fd, v, n, at, flags));
}

/* ---- writing --------------------------------------------------------------------- */

EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
	MOVE(NO_FD, fd, true, EARLY(write, SYS_write, fd, buf, n));
}

EXPORT ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	MOVE(NO_FD, fd, false, REAL(pwrite)(fd, buf, n, at));
}

EXPORT ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
	MOVE(NO_FD, fd, false, REAL(pwrite64)(fd, buf, n, at));
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
	MOVE(NO_FD, fd, true, REAL(writev)(fd, v, n));
}

EXPORT ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
	MOVE(NO_FD, fd, false, REAL(pwritev)(fd, v, n, at));
}

EXPORT ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t at)
{
	MOVE(NO_FD, fd, false, REAL(pwritev64)(fd, v, n, at));
}

EXPORT ssize_t pwritev2(int fd, const struct iovec *v, int n, off_t at, int flags)
{
	MOVE(NO_FD, fd, false, REAL(pwritev2)(fd, v, n, at, flags));
}

EXPORT ssize_t pwritev64v2(int fd, const struct iovec *v, int n, off64_t at, int flags)
{
	MOVE(NO_FD, fd, false, REAL(pwritev64v2)(fd, v, n, at, flags));
}

/* ---- both ------------------------------------------------------------------------- */

EXPORT ssize_t sendfile(int to, int from, off_t *at, size_t n)
{
	MOVE(from, to, true, REAL(sendfile)(to, from, at, n));
}

EXPORT ssize_t sendfile64(int to, int from, off64_t *at, size_t n)
{
	MOVE(from, to, true, REAL(sendfile64)(to, from, at, n));
}

EXPORT ssize_t splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags)
{
	MOVE(from, to, true, REAL(splice)(from, from_at, to, to_at, n, flags));
}

EXPORT ssize_t tee(int from, int to, size_t n, unsigned flags)
{
	MOVE(from, to, true, REAL(tee)(from, to, n, flags));
}

EXPORT ssize_t vmsplice(int fd, const struct iovec *v, size_t n, unsigned flags)
{
	MOVE(NO_FD, fd, true, REAL(vmsplice)(fd, v, n, flags));
}

EXPORT ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags)
{
	MOVE(from, to, true, REAL(copy_file_range)(from, from_at, to, to_at, n, flags));
}

/* ---- new descriptors ---------------------------------------------------- */

EXPORT int pipe(int ends[2])
{
	int err = REAL(pipe)(ends);

	if (arena && err == 0) {
		channel_forget(ends[0]);
		channel_forget(ends[1]);
	}
	return err;
}

EXPORT int pipe2(int ends[2], int flags)
{
	int err = REAL(pipe2)(ends, flags);

	if (arena && err == 0) {
		channel_forget(ends[0]);
		channel_forget(ends[1]);
	}
	return err;
}

EXPORT int eventfd(unsigned count, int flags)
{
	int fd = REAL(eventfd)(count, flags);

	if (arena && fd >= 0)
		channel_is_event(fd);
	return fd;
}

EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	TRANSFER(fd, NO_FD, REAL(eventfd_read)(fd, value));
}

EXPORT int eventfd_write(int fd, eventfd_t value)
{
	TRANSFER(NO_FD, fd, REAL(eventfd_write)(fd, value));
}

EXPORT int timerfd_create(int clock, int flags)
{
	int fd = REAL(timerfd_create)(clock, flags);

	if (arena && fd >= 0)
		channel_is_clock(fd, false);
	return fd;
}

/* Is the timer to end once, so long after the call? */
static bool is_once(int flags, const struct itimerspec *t)
{
	return !(flags & TFD_TIMER_ABSTIME) && t->it_interval.tv_sec == 0 && t->it_interval.tv_nsec == 0;
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	struct itimerspec later = { 0 };

	if (!wait_is_watched() || (uintptr_t)new < 4096 || !channel_is_timer(fd))
		return REAL(timerfd_settime)(fd, flags, new, old);
	channel_is_clock(fd, is_once(flags, new));
	/* A length of 0 stops the timer. */
	if (!wait_is_accounted() || !is_once(flags, new) || !timespec_is_valid(&new->it_value) || timespec_ns(&new->it_value) == 0)
		return REAL(timerfd_settime)(fd, flags, new, old);
	later.it_value = timespec_of(sync_set_timer(channel_alarm(fd), timespec_ns(&new->it_value), SITE));
	return REAL(timerfd_settime)(fd, flags, &later, old);
}

EXPORT int dup(int fd)
{
	int copy;

	GUARDED(fd);
	copy = REAL(dup)(fd);

	if (copy >= 0)
		channel_is_copy(copy, fd);
	return copy;
}

/* `at` is closed, if it is open, and another one than fd. */
static void prepare(int fd, int at, const void *site)
{
	if (likely(!arena))
		return;
	hidden_fd_make_way(at);
	hidden_fd_wait_for_opening();
	if (fd != at)
		fd_wait_closes(at, site);
}

EXPORT int dup2(int fd, int at)
{
	int copy;

	GUARDED(fd);
	prepare(fd, at, SITE);
	copy = REAL(dup2)(fd, at);

	if (copy >= 0)
		channel_is_copy(copy, fd);
	return copy;
}

EXPORT int dup3(int fd, int at, int flags)
{
	int copy;

	GUARDED(fd);
	prepare(fd, at, SITE);
	copy = REAL(dup3)(fd, at, flags);

	if (copy >= 0)
		channel_is_copy(copy, fd);
	return copy;
}

/* ---- message queues ------------------------------------------------------------------ */

EXPORT ssize_t mq_receive(mqd_t q, char *message, size_t room, unsigned *priority)
{
	QUEUE(q, channel_queue(q), true, REAL(mq_receive)(q, message, room, priority));
}

EXPORT ssize_t mq_timedreceive(mqd_t q, char *message, size_t room, unsigned *priority, const struct timespec *at)
{
	QUEUE(q, channel_queue(q), true, REAL(mq_timedreceive)(q, message, room, priority, at));
}

EXPORT int mq_send(mqd_t q, const char *message, size_t n, unsigned priority)
{
	QUEUE(q, channel_queue(q), false, REAL(mq_send)(q, message, n, priority));
}

EXPORT int mq_timedsend(mqd_t q, const char *message, size_t n, unsigned priority, const struct timespec *at)
{
	QUEUE(q, channel_queue(q), false, REAL(mq_timedsend)(q, message, n, priority, at));
}
