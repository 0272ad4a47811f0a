/*
 * poll: waits until one of many descriptors is ready.
 *
 * After the call it is known which descriptor ended the wait: of those that are ready,
 * the one that a thread of the recording released last, if it did so during the wait.
 * If none was released then, the outside ended it.  If no descriptor is ready, the wait
 * was a sleep.  A call without descriptors is a sleep from its beginning.
 *
 * epoll reports a descriptor by a value that the program has chosen.  So epoll_ctl
 * notes which descriptor a value stands for.  If descriptors of one epoll share a
 * value, the last one counts.
 */
#include "fd_wait.h"
#include "runtime/sample_signal.h"

enum { MOST = 64 }; /* at most so many of the ready descriptors are looked at */

struct watch {
	struct wait wait;
	uint32_t habit;
	unsigned looked;
	struct latest latest;
	int timer; /* a timer that is ready, or NO_FD */
};

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

/* any: the call has descriptors.  ns: the time-out. */
static void watch_begin(struct watch *w, bool any, int64_t ns, const void *site)
{
	w->habit = habit_of((uintptr_t)site);
	w->looked = 0;
	w->latest = (struct latest){ 0, 0 };
	w->timer = NO_FD;
	if (any)
		wait_begin(&w->wait, CLASS_IO, site, !habit_is_peer(w->habit), WAIT_UNKNOWN);
	else
		wait_begin(&w->wait, CLASS_SLEEP, site, true, ns);
}

static bool watch_is_curious(const struct watch *w)
{
	return w->wait.t && w->looked < MOST && window_speedup() != 0;
}

/* Notes that fd is ready to be read from or written to. */
static void watch_ready(struct watch *w, int fd, bool in, bool out)
{
	w->looked++;
	if (in)
		latest_of(&w->latest, channel_in(fd), 0);
	if (out)
		latest_of(&w->latest, channel_space(channel_out(fd)), w->wait.began.since_ns);
	if (in && channel_is_timer(fd))
		w->timer = fd;
}

/* ready: the number of ready descriptors, or -1. */
static void watch_end(struct watch *w, int ready)
{
	bool peer;

	if (!w->wait.t)
		return;
	if (window_speedup() == 0) {
		peer = ready > 0 && habit_is_peer(w->habit);
	} else {
		peer = wait_was_for_peer(&w->wait, &w->latest);
		if (ready > 0)
			habit_learn(w->habit, peer);
	}
	if (peer) {
		wait_by_peer(&w->wait, w->latest.key);
		return;
	}
	if (ready == 0 || w->timer != NO_FD)
		w->wait.class = CLASS_SLEEP;
	wait_outside(&w->wait);
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

#define POLL(fds, n, ns, call)                                                                                               \
	do {                                                                                                                 \
		struct watch w;                                                                                              \
		int ready;                                                                                                   \
		if (likely(!wait_is_watched()))                                                                              \
			return call;                                                                                         \
		watch_begin(&w, (n) > 0, ns, SITE);                                                                          \
		ready = CALL(call);                                                                                          \
		polled(&w, fds, n, ready);                                                                                   \
		return ready;                                                                                                \
	} while (0)

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

static void selected(struct watch *w, int n, const fd_set *in, const fd_set *out, const fd_set *except, int ready)
{
	for (int fd = 0; ready > 0 && fd < n && watch_is_curious(w); fd++) {
		bool readable = is_in(in, fd) || is_in(except, fd), writable = is_in(out, fd);

		if (readable || writable)
			watch_ready(w, fd, readable, writable);
	}
	watch_end(w, ready);
}

#define SELECT(n, in, out, except, ns, call)                                                                                 \
	do {                                                                                                                 \
		struct watch w;                                                                                              \
		int ready;                                                                                                   \
		if (likely(!wait_is_watched()))                                                                              \
			return call;                                                                                         \
		watch_begin(&w, (n) > 0 && (in || out || except), ns, SITE);                                                 \
		ready = CALL(call);                                                                                          \
		selected(&w, n, in, out, except, ready);                                                                     \
		return ready;                                                                                                \
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

enum {
	NOTES = 8192, /* a power of two */
	PROBES = 8,   /* places where a note may be stored */
};

/*
 * By epoll and the reported value.  Written without a lock: a reader between two stores may
 * get a wrong descriptor.
 */
static struct {
	_Atomic uint64_t tag; /* 0: free */
	_Atomic int32_t fd;
} notes[NOTES];

static uint64_t tag_of(int epoll, uint64_t data)
{
	return key_of('E', data, (uint32_t)epoll);
}

static void note_watched(int epoll, uint64_t data, int fd)
{
	uint64_t tag = tag_of(epoll, data), at = tag >> 40;
	uint32_t place = at & (NOTES - 1);

	for (uint32_t i = 0; i < PROBES; i++) {
		uint64_t there = atomic_load_explicit(&notes[(at + i) & (NOTES - 1)].tag, memory_order_relaxed);

		if (there == 0 || there == tag) {
			place = (at + i) & (NOTES - 1);
			break;
		}
	}
	atomic_store_explicit(&notes[place].fd, fd, memory_order_relaxed);
	/* Pairs with the acquire in noted. */
	atomic_store_explicit(&notes[place].tag, tag, memory_order_release);
}

static int noted(int epoll, uint64_t data)
{
	uint64_t tag = tag_of(epoll, data), at = tag >> 40;

	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t place = (at + i) & (NOTES - 1);

		if (atomic_load_explicit(&notes[place].tag, memory_order_acquire) == tag)
			return atomic_load_explicit(&notes[place].fd, memory_order_relaxed);
	}
	return NO_FD;
}

EXPORT int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	int err = REAL(epoll_ctl)(epoll, operation, fd, event);

	if (arena && err == 0 && operation != EPOLL_CTL_DEL)
		note_watched(epoll, event->data.u64, fd);
	return err;
}

static void told(struct watch *w, int epoll, const struct epoll_event *events, int ready)
{
	for (int i = 0; i < ready && watch_is_curious(w); i++)
		watch_ready(w, noted(epoll, events[i].data.u64), events[i].events & ~(uint32_t)EPOLLOUT,
			    events[i].events & EPOLLOUT);
	watch_end(w, ready);
}

#define EPOLL(epoll, events, ns, call)                                                                                       \
	do {                                                                                                                 \
		struct watch w;                                                                                              \
		int ready;                                                                                                   \
		if (likely(!wait_is_watched()))                                                                              \
			return call;                                                                                         \
		watch_begin(&w, true, ns, SITE);                                                                             \
		ready = CALL(call);                                                                                          \
		told(&w, epoll, events, ready);                                                                              \
		return ready;                                                                                                \
	} while (0)

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
