/*
 * hidden_fd: see hidden_fd.h.
 *
 * A table holds the owner of each number, so that one load tells whether it is ours.
 * One effect cannot be hidden: a program that opens so many files that it reaches our
 * numbers gets the numbers above them.
 *
 * The kernel opens a new event at the lowest free number, where it stays for the time
 * of three system calls.  If another thread closed this number in that time, by mistake
 * or because it closes all numbers, and opened a file at it, we would take the
 * program's file for ours.  So a thread that closes a descriptor waits, for a limited
 * time, for threads that are opening an event.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>

#include "hidden_fd.h"
#include "sampler.h"
#include "sys.h"
#include "thread.h"

enum {
	NUMBERS = HIDDEN_FD_NUMBERS,
	HIGH = 3072,       /* the lowest of ours, if the limit on numbers allows it */
	PATIENCE = 100000, /* rounds of waiting for threads that are opening an event; some 100 us */
};

/* The thread that has its event at this number; 0: not ours. */
static _Atomic uint32_t owner[NUMBERS];
static _Atomic int lowest = NUMBERS, highest = -1; /* bounds of the numbers that were ever ours */
static _Atomic uint32_t opening; /* threads that are opening an event */

static uint32_t calling_thread(void)
{
	return (uint32_t)(self.slot ? self.slot->tid : (int32_t)SYS(SYS_gettid));
}

static uint32_t owner_of(int fd)
{
	return fd >= 0 && fd < NUMBERS ? atomic_load_explicit(&owner[fd], memory_order_acquire) : 0;
}

bool hidden_fd_is_ours(int fd)
{
	return owner_of(fd) != 0;
}

unsigned hidden_fd_next(unsigned fd, unsigned last)
{
	unsigned lo = (unsigned)atomic_load_explicit(&lowest, memory_order_relaxed);
	int hi = atomic_load_explicit(&highest, memory_order_relaxed);

	for (fd = fd > lo ? fd : lo; (int)fd <= hi && fd < NUMBERS && fd <= last; fd++)
		if (owner_of((int)fd))
			return fd;
	return NUMBERS;
}

enum {
	ASKED = 128,  /* numbers that one call asks for */
	ABOVE = 4096, /* numbers above ours that are asked for */
};

/* Has the program a descriptor in first..last? */
static bool has_own(int first, int last)
{
	const struct timespec at_once = { 0, 0 };
	struct pollfd at[ASKED];

	while (first <= last) {
		int n = last - first < ASKED ? last - first + 1 : ASKED;

		for (int i = 0; i < n; i++)
			at[i] = (struct pollfd){ .fd = first + i };
		SYS(SYS_ppoll, at, n, &at_once, NULL, 0);
		for (int i = 0; i < n; i++)
			if (!(at[i].revents & POLLNVAL) && !owner_of(first + i))
				return true;
		first += n;
	}
	return false;
}

int hidden_fd_limit(int n)
{
	int hi = atomic_load_explicit(&highest, memory_order_relaxed);

	/* Below FD_SETSIZE, ours make no difference. */
	if (likely(n <= FD_SETSIZE || hi < FD_SETSIZE))
		return n;
	return has_own(n - 1, n - 1) || has_own(FD_SETSIZE, n - 2 < ABOVE + hi ? n - 2 : ABOVE + hi) ? n : FD_SETSIZE;
}

/* ---- taking and giving back ------------------------------------------------------- */

static void own(int fd, uint32_t tid)
{
	int lo = atomic_load_explicit(&lowest, memory_order_relaxed), hi = atomic_load_explicit(&highest, memory_order_relaxed);

	while (fd < lo && !atomic_compare_exchange_weak_explicit(&lowest, &lo, fd, memory_order_relaxed, memory_order_relaxed))
		;
	while (fd > hi && !atomic_compare_exchange_weak_explicit(&highest, &hi, fd, memory_order_relaxed, memory_order_relaxed))
		;
	atomic_store_explicit(&owner[fd], tid, memory_order_release);
}

/* A copy of fd at a high number; -errno. */
static int high_copy(int fd)
{
	struct rlimit limit = { 0 };
	rlim_t from;
	int high;

	/* The upper quarter of the numbers; the rest is left to the program. */
	SYS(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	from = limit.rlim_cur - limit.rlim_cur / 4;
	high = (int)SYS(SYS_fcntl, fd, F_DUPFD_CLOEXEC, from < HIGH ? from : HIGH);
	if (high >= NUMBERS) {
		SYS(SYS_close, high);
		return -EMFILE;
	}
	return high;
}

int hidden_fd_open(struct perf_event_attr *attr, uint64_t *id)
{
	int low, high;

	atomic_fetch_add_explicit(&opening, 1, memory_order_acq_rel);
	low = high = (int)SYS(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (low >= 0) {
		high = high_copy(low);
		if (high >= 0 && SYS(SYS_ioctl, high, PERF_EVENT_IOC_ID, id) != 0) {
			/* The descriptor at the low number is no longer ours. */
			SYS(SYS_close, high);
			high = -EBADF;
		} else {
			SYS(SYS_close, low);
		}
	}
	if (high >= 0)
		own(high, calling_thread());
	atomic_fetch_sub_explicit(&opening, 1, memory_order_acq_rel);
	return high;
}

static bool is_event(int fd, uint64_t id)
{
	uint64_t now;

	return SYS(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &now) == 0 && now == id;
}

int hidden_fd_find(int fd, uint64_t id)
{
	uint32_t me = calling_thread();

	if (likely(fd < 0 || owner_of(fd) == me))
		return fd;
	for (unsigned n = hidden_fd_next(0, NUMBERS); n < NUMBERS; n = hidden_fd_next(n + 1, NUMBERS))
		if (owner_of((int)n) == me && is_event((int)n, id))
			return (int)n;
	return -1;
}

void hidden_fd_close(int fd, uint64_t id)
{
	fd = hidden_fd_find(fd, id);
	if (fd < 0)
		return;
	/* The program may have taken the number by a raw system call. */
	if (is_event(fd, id))
		SYS(SYS_close, fd);
	atomic_store_explicit(&owner[fd], 0, memory_order_release);
}

void hidden_fd_make_way(int fd)
{
	uint32_t tid = owner_of(fd);
	int elsewhere;

	if (likely(!tid))
		return;
	elsewhere = high_copy(fd);
	if (elsewhere >= 0)
		own(elsewhere, tid);
	atomic_store_explicit(&owner[fd], 0, memory_order_release);
	if (elsewhere < 0)
		sampler_replace(tid);
}

void hidden_fd_forget(void)
{
	for (unsigned fd = hidden_fd_next(0, NUMBERS); fd < NUMBERS; fd = hidden_fd_next(fd + 1, NUMBERS)) {
		SYS(SYS_close, fd);
		atomic_store_explicit(&owner[fd], 0, memory_order_relaxed);
	}
	atomic_store_explicit(&opening, 0, memory_order_relaxed);
}

void hidden_fd_stop(bool all, bool stop)
{
	uint32_t me = calling_thread();

	for (unsigned fd = hidden_fd_next(0, NUMBERS); fd < NUMBERS; fd = hidden_fd_next(fd + 1, NUMBERS))
		if (all || owner_of((int)fd) == me)
			SYS(SYS_ioctl, fd, stop ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
}

/* A signal handler of the program may have interrupted this thread while it was opening one. */
void hidden_fd_wait_for_opening(void)
{
	for (int i = 0; i < PATIENCE && !self.busy && atomic_load_explicit(&opening, memory_order_acquire); i++)
		__asm__ volatile("" ::: "memory");
}
