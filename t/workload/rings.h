/*
 * rings: a ring of io_uring, by system calls; the names are those of liburing.
 *
 * With -DLIBURING it is that library's.  A call that fails returns a negative error.
 */
#ifndef RINGS_H
#define RINGS_H

#ifdef LIBURING
#include <liburing.h>
#else
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct io_uring {
	unsigned *head, *tail, *ready, *end; /* of operations, and of what is complete */
	unsigned tail_next, mask, ready_mask;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	int ring_fd;
};

static inline int io_uring_queue_init(unsigned entries, struct io_uring *r, unsigned flags)
{
	struct io_uring_params p = {.flags = flags};
	int fd = (int)syscall(425 /* io_uring_setup */, entries, &p);
	char *at;
	unsigned *order;

	if (fd < 0)
		return -errno;
	at = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(unsigned) + p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
		  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
	r->sqe = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQES);
	if (at == MAP_FAILED || r->sqe == MAP_FAILED || !(p.features & IORING_FEAT_SINGLE_MMAP))
		return -ENOSYS;
	r->ring_fd = fd;
	r->head = (unsigned *)(at + p.sq_off.head);
	r->tail = (unsigned *)(at + p.sq_off.tail);
	r->tail_next = *r->tail;
	r->mask = p.sq_entries - 1;
	r->ready = (unsigned *)(at + p.cq_off.head);
	r->end = (unsigned *)(at + p.cq_off.tail);
	r->ready_mask = p.cq_entries - 1;
	r->cqe = (struct io_uring_cqe *)(at + p.cq_off.cqes);
	order = (unsigned *)(at + p.sq_off.array);
	for (unsigned i = 0; i < p.sq_entries; i++)
		order[i] = i;
	return 0;
}

static inline struct io_uring_sqe *io_uring_get_sqe(struct io_uring *r)
{
	return r->tail_next - __atomic_load_n(r->head, __ATOMIC_ACQUIRE) > r->mask ? NULL : &r->sqe[r->tail_next++ & r->mask];
}

static inline int io_uring_submit_and_wait(struct io_uring *r, unsigned n)
{
	unsigned submit = r->tail_next - *r->tail;
	long done;

	__atomic_store_n(r->tail, r->tail_next, __ATOMIC_RELEASE);
	done = syscall(426 /* io_uring_enter */, r->ring_fd, submit, n, n ? IORING_ENTER_GETEVENTS : 0, NULL, (size_t)0);
	return done < 0 ? -errno : (int)done;
}

static inline int io_uring_submit(struct io_uring *r)
{
	return io_uring_submit_and_wait(r, 0);
}

static inline int io_uring_peek_cqe(struct io_uring *r, struct io_uring_cqe **e)
{
	unsigned at = *r->ready;

	*e = at == __atomic_load_n(r->end, __ATOMIC_ACQUIRE) ? NULL : &r->cqe[at & r->ready_mask];
	return *e ? 0 : -EAGAIN;
}

static inline int io_uring_wait_cqe(struct io_uring *r, struct io_uring_cqe **e)
{
	long done = 0;

	while (io_uring_peek_cqe(r, e) < 0 && done >= 0)
		done = syscall(426, r->ring_fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, (size_t)0);
	return done < 0 ? -errno : 0;
}

static inline void io_uring_cqe_seen(struct io_uring *r, struct io_uring_cqe *e)
{
	(void)e;
	__atomic_store_n(r->ready, *r->ready + 1, __ATOMIC_RELEASE);
}
#endif

/* The next operation, to be submitted; NULL: the ring is full. */
static inline struct io_uring_sqe *ring_add(struct io_uring *r, unsigned char opcode, int fd, const void *data, unsigned n, uint64_t at,
					    uint64_t value)
{
	struct io_uring_sqe *e = io_uring_get_sqe(r);

	if (e)
		*e = (struct io_uring_sqe){.opcode = opcode, .fd = fd, .addr = (uintptr_t)data, .len = n, .off = at, .user_data = value};
	return e;
}

#endif
