/*
 * poll: waits until one of many descriptors is ready; see watch.h.
 *
 * epoll reports a descriptor by a value that the program has chosen.  So epoll_ctl
 * notes which descriptor a value stands for.
 */
#include "runtime/hidden_fd.h"
#include "runtime/sample_signal.h"
#include "watch.h"

static int64_t ns_of_ms(int ms)
{
	return ms < 0 ? WAIT_UNKNOWN : ms * 1000000ll;
}

static int64_t ns_of(const struct timespec *t)
{
	return !t || t->tv_sec < 0 || t->tv_sec > 1000000000 ? WAIT_UNKNOWN : t->tv_sec * 1000000000ll + t->tv_nsec;
}

static int64_t ns_of_timeval(const struct timeval *t)
{
	return !t || t->tv_sec < 0 || t->tv_sec > 1000000000 ? WAIT_UNKNOWN : t->tv_sec * 1000000000ll + t->tv_usec * 1000ll;
}

/* ---- poll ------------------------------------------------------------------------------ */

static void polled(struct watch *w, const struct pollfd *fds, nfds_t n, int ready)
{
	int left = ready;

	for (nfds_t i = 0; i < n && left > 0 && watch_is_curious(w); i++) {
		if (!fds[i].revents)
			continue;
		left--;
		watch_ready(w, fds[i].fd, fds[i].revents & (POLLIN | POLLPRI | POLLRDHUP | POLLHUP | POLLERR),
			    fds[i].revents & POLLOUT);
	}
	watch_end(w, ready);
}

#define POLL(fds, n, ns, call) WATCH_THEN(polled(&w_, fds, n, got_), n, ns, call)

EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	POLL(fds, n, ns_of_ms(timeout), REAL(poll)(fds, n, timeout));
}

EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	POLL(fds, n, ns_of(timeout), WITH_MASK(mask, REAL(ppoll)(fds, n, timeout, mask)));
}

/* Functions of _FORTIFY_SOURCE, which headers declare only when it is on. */
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t room);

EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	POLL(fds, n, ns_of_ms(timeout), REAL(__poll_chk)(fds, n, timeout, room));
}

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t room)
{
	POLL(fds, n, ns_of(timeout), WITH_MASK(mask, REAL(__ppoll_chk)(fds, n, timeout, mask, room)));
}

/* ---- select ------------------------------------------------------------------------------ */

/* A program can make sets that are larger than fd_set. */
static bool is_in(const fd_set *set, int fd)
{
	const unsigned long *words = (const void *)set;

	return set && (words[fd / NFDBITS] >> fd % NFDBITS & 1);
}

/* The number of descriptors below n in the set. */
static size_t size_of(const fd_set *set, int n)
{
	const unsigned long *words = (const void *)set;
	size_t size = 0;

	for (int fd = 0; set && fd < n; fd += NFDBITS) {
		unsigned long word = words[fd / NFDBITS];

		if (n - fd < NFDBITS)
			word &= (1ul << (n - fd)) - 1;
		for (; word; word &= word - 1)
			size++;
	}
	return size;
}

static void selected(struct watch *w, int n, const fd_set *in, const fd_set *out, const fd_set *except, int ready)
{
	/* Descriptors in a set count in each. */
	for (int fd = 0, left = ready; left > 0 && fd < n && watch_is_curious(w); fd++) {
		bool readable = is_in(in, fd), writable = is_in(out, fd), urgent = is_in(except, fd);

		left -= readable + writable + urgent;
		if (readable || writable || urgent)
			watch_ready(w, fd, readable || urgent, writable);
	}
	watch_end(w, ready);
}

#define SELECT(n, in, out, except, ns, call)                                                                                 \
	do {                                                                                                                 \
		if (unlikely(arena != NULL))                                                                                 \
			n = hidden_fd_limit(n);                                                                              \
		WATCH_THEN(selected(&w_, n, in, out, except, got_), size_of(in, n) + size_of(out, n) + size_of(except, n), ns, call); \
	} while (0)

EXPORT int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except, struct timeval *restrict timeout)
{
	SELECT(n, in, out, except, ns_of_timeval(timeout), REAL(select)(n, in, out, except, timeout));
}

EXPORT int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
		   const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	SELECT(n, in, out, except, ns_of(timeout), WITH_MASK(mask, REAL(pselect)(n, in, out, except, timeout, mask)));
}

/* ---- epoll -------------------------------------------------------------------------------- */

/* tokio adds descriptors through a copy of the one that it waits at. */
static uint64_t tag_of(int epoll, uint64_t data)
{
	return key_of(KEY_EPOLL, data, channel_serial(epoll));
}

static int made(int epoll)
{
	if (unlikely(arena != NULL) && epoll >= 0)
		channel_is_event(epoll);
	return epoll;
}

EXPORT int epoll_create(int n)
{
	return made(REAL(epoll_create)(n));
}

EXPORT int epoll_create1(int flags)
{
	return made(REAL(epoll_create1)(flags));
}

EXPORT int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	int err;

	/*
	 * What is ready already ends a wait for it at once: Boost.Asio wakes its threads so.  The kernel has not checked the
	 * pointer yet; what is below 4096 is none.
	 */
	if (operation != EPOLL_CTL_DEL && (uintptr_t)event >= 4096 && wait_has_peers())
		sync_release(tag_of(epoll, event->data.u64), SITE);
	err = REAL(epoll_ctl)(epoll, operation, fd, event);

	if (arena && err == 0 && operation != EPOLL_CTL_DEL)
		watch_note(tag_of(epoll, event->data.u64), fd);
	return err;
}

enum { AT_ONCE_NS = 200 * 1000 }; /* from a change of what is waited for to the end of a wait that it has ended */

static void told(struct watch *w, int epoll, const struct epoll_event *events, int ready)
{
	int64_t lately = watch_is_curious(w) ? now_ns() - AT_ONCE_NS : 0;

	lately = lately > w->wait.began.since_ns ? lately : w->wait.began.since_ns;
	for (int i = 0; i < ready && watch_is_curious(w); i++) {
		uint64_t tag = tag_of(epoll, events[i].data.u64);
		int fd = watch_noted(tag);

		latest_of(&w->latest, tag, lately);
		/* libuv adds descriptors through io_uring, which is not seen; its value is the descriptor. */
		watch_ready(w, fd != NO_FD ? fd : events[i].data.fd, events[i].events & ~(uint32_t)EPOLLOUT, events[i].events & EPOLLOUT);
	}
	watch_end(w, ready);
}

#define EPOLL(epoll, events, ns, call) WATCH_THEN(told(&w_, epoll, events, got_), WATCH_MANY, ns, call)

EXPORT int epoll_wait(int epoll, struct epoll_event *events, int n, int timeout)
{
	EPOLL(epoll, events, ns_of_ms(timeout), REAL(epoll_wait)(epoll, events, n, timeout));
}

EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int n, int timeout, const sigset_t *mask)
{
	EPOLL(epoll, events, ns_of_ms(timeout), WITH_MASK(mask, REAL(epoll_pwait)(epoll, events, n, timeout, mask)));
}

EXPORT int epoll_pwait2(int epoll, struct epoll_event *events, int n, const struct timespec *timeout, const sigset_t *mask)
{
	if (!REAL(epoll_pwait2)) {
		errno = ENOSYS;
		return -1;
	}
	EPOLL(epoll, events, ns_of(timeout), WITH_MASK(mask, real.epoll_pwait2(epoll, events, n, timeout, mask)));
}
