/*
 * uring: rings of io_uring; see uring.h.
 *
 * liburing has the addresses of both queues (liburing.c).  A program that calls the
 * kernel by syscall(2), as Rust's io-uring does, learns from io_uring_setup where in the
 * ring's memory they are, and maps that.
 */
#include <poll.h>

#include "runtime/process.h"
#include "syscall.h"
#include "uring.h"

/* What older headers do not have: operations, and flags. */
enum {
	OP_MSG_RING = 40,
	OP_SEND_ZC = 47,
	OP_SENDMSG_ZC = 48,
	OP_READ_MULTISHOT = 49,
	OP_RECV_ZC = 58,
	SETUP_NO_SQARRAY = 1 << 16,
	ENTER_REGISTERED_RING = 1 << 4,
	TIMEOUT_MULTISHOT = 1 << 6,
};

enum {
	REQUESTS = 256, /* keys of one ring, for what it was asked for; more would take places of other objects */
	TIMERS = 1024,  /* times of timers that the kernel has perhaps not copied yet */
};

/*
 * What a value stands for: a descriptor that is read from or written to, whose other end decides when that is possible;
 * or what the kernel does in its own time, from then on; or a moment of the clock.
 */
enum { IN = 1 << 27, OUT = 1 << 28, REQUEST = 1 << 29, TIMER = 1 << 30, DESCRIPTOR = IN - 1 };

static uint64_t tag_of(const struct uring *r, uint64_t data)
{
	return key_of(KEY_RING_VALUE, data, (uint32_t)r->fd);
}

/* A program can use one value for a read, a write and a timer, which take different times. */
static uint64_t request_of(const struct uring *r, uint64_t tag, int32_t what)
{
	uint64_t number = ((tag >> 32) + ((uint32_t)what * 0x9e3779b1u >> 16)) % REQUESTS;

	return key_of(KEY_RING_REQUEST, number, (uint64_t)process_number() << 32 | (uint32_t)r->fd);
}

/* Is released by a thread that puts something in another ring. */
static uint64_t key_of_ring(int fd)
{
	return key_of(KEY_RING, (uint32_t)fd, process_number());
}

/* ---- submitting ---------------------------------------------------------------------- */

static int32_t direction_of(const struct io_uring_sqe *e)
{
	switch (e->opcode) {
	case IORING_OP_READV:
	case IORING_OP_READ_FIXED:
	case IORING_OP_READ:
	case IORING_OP_RECVMSG:
	case IORING_OP_RECV:
	case IORING_OP_ACCEPT:
	case OP_READ_MULTISHOT:
	case OP_RECV_ZC: return IN;
	case IORING_OP_WRITEV:
	case IORING_OP_WRITE_FIXED:
	case IORING_OP_WRITE:
	case IORING_OP_SENDMSG:
	case IORING_OP_SEND:
	case OP_SEND_ZC:
	case OP_SENDMSG_ZC: return OUT;
	case IORING_OP_POLL_ADD: return (e->poll_events & POLLIN ? IN : 0) | (e->poll_events & POLLOUT ? OUT : 0);
	case IORING_OP_TIMEOUT:
	case IORING_OP_LINK_TIMEOUT: return e->timeout_flags & (IORING_TIMEOUT_ABS | TIMEOUT_MULTISHOT) ? TIMER : TIMER | REQUEST;
	default: return REQUEST;
	}
}

/* Clocks matter. */
static bool is_channel(int32_t what)
{
	int fd = what & DESCRIPTOR;

	return (what & IN && channel_in(fd)) || (what & OUT && channel_out(fd));
}

/* The kernel copies the time when it takes the operation, which may be a little after the call. */
static void set_timer(struct io_uring_sqe *e, uint64_t key, const void *site)
{
	static struct timespec set[TIMERS]; /* on these architectures, struct __kernel_timespec is the same */
	static _Atomic unsigned sets;
	const struct timespec *asked = (const struct timespec *)(uintptr_t)e->addr;
	struct timespec *t = &set[atomic_fetch_add_explicit(&sets, 1, memory_order_relaxed) % TIMERS];

	/* What is ours was set before, in vain. */
	if (!timespec_is_valid(asked) || timespec_ns(asked) == 0 || (asked >= set && asked < set + TIMERS))
		return;
	*t = timespec_of(sync_set_timer(key, timespec_ns(asked), site));
	e->addr = (uintptr_t)t;
}

static void release_for(const struct uring *r, struct io_uring_sqe *e, int32_t what, uint64_t tag, const void *site)
{
	if (e->opcode == OP_MSG_RING)
		sync_release(key_of_ring(e->fd), site);
	else if (what & TIMER)
		set_timer(e, request_of(r, tag, what), site);
	else if (what & REQUEST || !is_channel(what))
		sync_release(request_of(r, tag, what), site);
	else if (e->opcode != IORING_OP_POLL_ADD)
		sync_release(what & OUT ? channel_out(e->fd) : channel_space(channel_in(e->fd)), site);
}

static void submit_one(const struct uring *r, struct io_uring_sqe *e, const void *site)
{
	int32_t what = direction_of(e);
	uint64_t tag = tag_of(r, e->user_data);

	if (what & (IN | OUT)) {
		if (e->flags & IOSQE_FIXED_FILE || e->fd < 0 || e->fd > DESCRIPTOR)
			return;
		what |= e->fd;
	}
	watch_note(tag, what);
	if (what != TIMER && wait_is_accounted())
		release_for(r, e, what, tag, site);
}

void uring_submit(const struct uring *r, unsigned first, unsigned end, const void *site)
{
	for (unsigned i = first; i != end && i - first <= r->sqe_mask; i++) {
		unsigned at = i & r->sqe_mask;

		if (r->order)
			at = r->order[at] & r->sqe_mask;
		submit_one(r, &r->sqe[(size_t)at << r->sqe_shift], site);
	}
}

/* ---- taken without a call ---------------------------------------------------------------- */

/* By descriptor.  Each word has the window and the descriptor, and the number of a completion. */
static struct noted {
	_Atomic uint64_t up_to; /* the first one that is not noted */
	_Atomic uint64_t alone; /* one after that, which is noted */
} noted[64];

static struct noted *noted_of(const struct uring *r)
{
	return &noted[(unsigned)r->fd % 64];
}

static uint64_t note_of(const struct uring *r, unsigned number)
{
	return (uint64_t)(current_window() << 8 ^ (unsigned)r->fd) << 32 | number;
}

/* The value that the program gave the operation whose completion has that number. */
static uint64_t value_of(const struct uring *r, unsigned number)
{
	return r->cqe[(size_t)(number & r->cqe_mask) << r->cqe_shift].user_data;
}

static void note_taken(const struct uring *r, uint64_t data, const void *site)
{
	uint64_t tag = tag_of(r, data);
	int32_t what = watch_noted(tag);
	struct latest latest = { 0, 0 };

	if (what == NO_FD || what == TIMER)
		return;
	if (!is_channel(what)) {
		sync_answered(request_of(r, tag, what));
		return;
	}
	latest_ready(&latest, what & DESCRIPTOR, what & IN, what & OUT, 0);
	if (latest.key)
		sync_taken(latest.key, site);
}

void uring_taken(const struct uring *r, const void *site)
{
	unsigned head = __atomic_load_n(r->cqe_head, __ATOMIC_RELAXED), n;
	uint64_t up_to, alone;

	if (!wait_is_accounted())
		return;
	up_to = atomic_exchange_explicit(&noted_of(r)->up_to, note_of(r, head), memory_order_relaxed);
	alone = atomic_load_explicit(&noted_of(r)->alone, memory_order_relaxed);
	n = head - (unsigned)up_to;
	if (up_to >> 32 != note_of(r, head) >> 32 || n > r->cqe_mask + 1)
		return;
	for (unsigned i = head - n; i != head; i++)
		if (alone != note_of(r, i))
			note_taken(r, value_of(r, i), site);
}

/* ---- waiting ----------------------------------------------------------------------------- */

static void look_at_completed(struct watch *w, const struct uring *r, uint64_t data)
{
	uint64_t tag = tag_of(r, data);
	int32_t what = watch_noted(tag);

	if (what == NO_FD)
		watch_answer(w, 0, false);
	else if (is_channel(what))
		watch_ready(w, what & DESCRIPTOR, what & IN, what & OUT);
	else
		watch_answer(w, what == TIMER ? 0 : request_of(r, tag, what), what & TIMER);
}

void uring_wait_end(struct watch *w, const struct uring *r)
{
	unsigned head = __atomic_load_n(r->cqe_head, __ATOMIC_RELAXED), tail = __atomic_load_n(r->cqe_tail, __ATOMIC_ACQUIRE);
	unsigned released = head;
	bool by_peer;

	for (unsigned i = head; i != tail && watch_is_curious(w); i++) {
		uint64_t before = w->latest.key;

		look_at_completed(w, r, value_of(r, i));
		released = w->latest.key != before ? i : released;
	}
	if (watch_is_curious(w))
		latest_of(&w->latest, key_of_ring(r->fd), w->wait.began.since_ns);
	by_peer = watch_end(w, (int)(tail - head));
	if (!wait_is_accounted() || tail == head)
		return;
	/* Noted is what has ended the wait: without a thread, the first one. */
	atomic_store_explicit(&noted_of(r)->up_to, note_of(r, head), memory_order_relaxed);
	atomic_store_explicit(&noted_of(r)->alone, note_of(r, by_peer ? released : head), memory_order_relaxed);
}

/* ---- rings that the program makes itself ---------------------------------------------------- */

enum { RINGS = 64 };

/* An entry is complete when `fd` is set. */
static struct own {
	_Atomic int fd; /* 0: free */
	struct io_uring_params params;
	bool found;
	struct uring ring;
	const unsigned *head, *tail; /* of what is to be submitted */
} own[RINGS];

static struct own *own_of(int fd)
{
	for (unsigned i = 0; i < RINGS; i++)
		if (atomic_load_explicit(&own[i].fd, memory_order_acquire) == fd)
			return &own[i];
	return NULL;
}

long call_uring_setup(const struct call *c)
{
	long fd = call_make(c);
	struct own *o;

	if (fd <= 0 || ((o = own_of((int)fd)) == NULL && (o = own_of(0)) == NULL))
		return fd;
	o->params = *(const struct io_uring_params *)c->b;
	o->found = false;
	atomic_store_explicit(&o->fd, (int)fd, memory_order_release);
	return fd;
}

/* Where the program has mapped the ring; two threads that look at once find the same. */
static bool find_own(struct own *o, int fd)
{
	const struct io_uring_params *p = &o->params;
	const char *sq = key_mapping(fd, IORING_OFF_SQ_RING), *cq = sq;
	struct io_uring_sqe *sqe = key_mapping(fd, IORING_OFF_SQES);

	if (!(p->features & IORING_FEAT_SINGLE_MMAP))
		cq = key_mapping(fd, IORING_OFF_CQ_RING);
	if (!sq || !cq || !sqe)
		return false;
	o->ring = (struct uring){ .fd = fd,
				  .sqe = sqe,
				  .order = (const unsigned *)(sq + p->sq_off.array),
				  .sqe_mask = p->sq_entries - 1,
				  .sqe_shift = (p->flags & URING_SQE128) != 0,
				  .cqe = (const struct io_uring_cqe *)(cq + p->cq_off.cqes),
				  .cqe_head = (const unsigned *)(cq + p->cq_off.head),
				  .cqe_tail = (const unsigned *)(cq + p->cq_off.tail),
				  .cqe_mask = p->cq_entries - 1,
				  .cqe_shift = (p->flags & URING_CQE32) != 0 };
	o->head = (const unsigned *)(sq + p->sq_off.head);
	o->tail = (const unsigned *)(sq + p->sq_off.tail);
	if (p->flags & SETUP_NO_SQARRAY)
		o->ring.order = NULL;
	o->found = true;
	return true;
}

long call_uring_enter(const struct call *c)
{
	int fd = (int)c->a;
	bool waits = c->d & IORING_ENTER_GETEVENTS && c->c > 0;
	struct own *o = c->d & ENTER_REGISTERED_RING ? NULL : own_of(fd);
	struct watch w;
	long result;

	if (o && !(o->found && key_is_shared(o->head)) && !find_own(o, fd))
		o = NULL;
	if (o)
		uring_taken(&o->ring, c->site);
	if (o && c->b > 0) {
		unsigned first = __atomic_load_n(o->head, __ATOMIC_ACQUIRE), ready = __atomic_load_n(o->tail, __ATOMIC_ACQUIRE) - first;

		uring_submit(&o->ring, first, first + (ready < (unsigned)c->b ? ready : (unsigned)c->b), c->site);
	}
	if (!waits)
		return call_make(c);
	watch_begin(&w, WATCH_MANY, WAIT_UNKNOWN, c->site);
	result = call_make(c);
	if (o)
		uring_wait_end(&w, &o->ring);
	else
		watch_end(&w, 1);
	return result;
}
