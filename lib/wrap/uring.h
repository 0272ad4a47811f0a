/*
 * uring: rings of io_uring, by which a program submits operations and learns that they are complete.
 *
 * An operation on a descriptor does what the system call of its name does.  The thread
 * that submits a write brings data; a thread that waits for a read waits for the one
 * that brings them.  A ring that is waited for is waited for as poll waits for
 * descriptors (watch.h): what is complete tells who ended the wait.
 *
 * Not seen are operations on files that are registered with the ring, which have an index
 * instead of a descriptor, and rings in memory of the program (IORING_SETUP_NO_MMAP)
 * without liburing: waits for them are waits for the outside.
 *
 * Context: any, for threads that are watched (wait_is_watched).
 */
#ifndef ANDWEORC_WRAP_URING_H
#define ANDWEORC_WRAP_URING_H

#include <linux/io_uring.h>

#include "watch.h"

/* IORING_SETUP_SQE128 and IORING_SETUP_CQE32, which older headers do not have. */
enum { URING_SQE128 = 1 << 10, URING_CQE32 = 1 << 11 };

/* Where both queues of a ring are; all memory is shared with the kernel. */
struct uring {
	int fd;
	struct io_uring_sqe *sqe;
	const unsigned *order; /* sqe[order[i]] is the i-th; NULL: sqe[i] is */
	unsigned sqe_mask, sqe_shift;
	const struct io_uring_cqe *cqe;
	const unsigned *cqe_head, *cqe_tail;
	unsigned cqe_mask, cqe_shift;
};

/* Call it before operations [first, end) are submitted: notes what they are, and releases what they bring. */
void uring_submit(const struct uring *r, unsigned first, unsigned end, const void *site);

/* Call it before each call for the ring: notes what the thread has taken from it since the last one. */
void uring_taken(const struct uring *r, const void *site);

/* Ends a wait for the ring that watch_begin has begun. */
void uring_wait_end(struct watch *w, const struct uring *r);

#endif
