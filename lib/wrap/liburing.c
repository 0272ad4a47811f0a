/*
 * liburing: the functions of that library that submit operations, or wait; see uring.h.
 *
 * The library makes its system calls itself, so they cannot be interposed.  What it has
 * as inline functions leads to these when there is something to wait for.
 *
 * A plugin may have brought the library, and then only the plugin finds it.  The
 * functions keep all they need in the program's struct, so any copy of the library will
 * do.
 */
#include "library.h"
#include "runtime/real_uring.h"
#include "runtime/sample_signal.h"
#include "uring.h"

/* The begin of its struct io_uring, which is the same in all versions from 2.0 on. */
struct io_uring {
	struct {
		unsigned *head, *tail, *mask, *entries, *flags, *dropped, *array;
		struct io_uring_sqe *sqe;
		unsigned first, end; /* what is to be submitted next */
		size_t size;
		void *memory;
		unsigned unused[4];
	} sq;
	struct {
		unsigned *head, *tail, *mask, *entries, *flags, *overflow;
		struct io_uring_cqe *cqe;
		size_t size;
		void *memory;
		unsigned unused[4];
	} cq;
	unsigned flags;
	int fd;
};

#define X(name, type, params) type name params;
REAL_URING(X)
#undef X

#define X(name, type, params) static void *_Atomic real_##name;
REAL_URING(X)
#undef X

#define THEIRS(name, ...)                                                                                                    \
	({                                                                                                                   \
		__typeof__(&name) theirs_ = (__typeof__(&name))library_find(&real_##name, #name, SITE);                      \
		theirs_ ? theirs_(__VA_ARGS__) : -ENOSYS;                                                                    \
	})

static struct uring view_of(const struct io_uring *ring)
{
	return (struct uring){ .fd = ring->fd,
			       .sqe = ring->sq.sqe,
			       .sqe_mask = *ring->sq.mask,
			       .sqe_shift = (ring->flags & URING_SQE128) != 0,
			       .cqe = ring->cq.cqe,
			       .cqe_head = ring->cq.head,
			       .cqe_tail = ring->cq.tail,
			       .cqe_mask = *ring->cq.mask,
			       .cqe_shift = (ring->flags & URING_CQE32) != 0 };
}

/* submits, waits: what the call will do. */
#define ACCOUNT(ring, submits, waits, call)                                                                                  \
	do {                                                                                                                 \
		struct uring r_;                                                                                             \
		if (likely(!wait_is_watched()))                                                                              \
			return call;                                                                                         \
		r_ = view_of(ring);                                                                                          \
		uring_taken(&r_, SITE);                                                                                      \
		if (submits)                                                                                                 \
			uring_submit(&r_, (ring)->sq.first, (ring)->sq.end, SITE);                                           \
		if (!(waits))                                                                                                \
			return call;                                                                                         \
		WATCH_THEN(uring_wait_end(&w_, &r_), WATCH_MANY, WAIT_UNKNOWN, call);                                        \
	} while (0)

EXPORT int io_uring_submit(struct io_uring *ring)
{
	ACCOUNT(ring, true, false, THEIRS(io_uring_submit, ring));
}

EXPORT int io_uring_submit_and_get_events(struct io_uring *ring)
{
	ACCOUNT(ring, true, false, THEIRS(io_uring_submit_and_get_events, ring));
}

EXPORT int io_uring_submit_and_wait(struct io_uring *ring, unsigned n)
{
	ACCOUNT(ring, true, n > 0, THEIRS(io_uring_submit_and_wait, ring, n));
}

EXPORT int io_uring_submit_and_wait_timeout(struct io_uring *ring, struct io_uring_cqe **cqe, unsigned n,
					    struct __kernel_timespec *timeout, const sigset_t *mask)
{
	ACCOUNT(ring, true, n > 0, WITH_MASK(mask, THEIRS(io_uring_submit_and_wait_timeout, ring, cqe, n, timeout, mask)));
}

EXPORT int io_uring_wait_cqes(struct io_uring *ring, struct io_uring_cqe **cqe, unsigned n, struct __kernel_timespec *timeout,
			      const sigset_t *mask)
{
	/* For a time-out, older kernels need an operation, which the call then submits, with all that is there. */
	ACCOUNT(ring, timeout != NULL, n > 0, WITH_MASK(mask, THEIRS(io_uring_wait_cqes, ring, cqe, n, timeout, mask)));
}

EXPORT int io_uring_wait_cqe_timeout(struct io_uring *ring, struct io_uring_cqe **cqe, struct __kernel_timespec *timeout)
{
	ACCOUNT(ring, timeout != NULL, true, THEIRS(io_uring_wait_cqe_timeout, ring, cqe, timeout));
}

EXPORT int __io_uring_get_cqe(struct io_uring *ring, struct io_uring_cqe **cqe, unsigned submits, unsigned n, const sigset_t *mask)
{
	ACCOUNT(ring, submits > 0, n > 0, WITH_MASK(mask, THEIRS(__io_uring_get_cqe, ring, cqe, submits, n, mask)));
}
