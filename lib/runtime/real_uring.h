/*
 * The functions of liburing that lib/wrap/liburing.c interposes: those of version 2.2 that
 * submit or wait.  Later ones wait for a least time, or take registered memory.
 *
 * Not part of `real` (real.h): few programs have that library, and some load it with a
 * plugin.
 */
#ifndef ANDWEORC_RUNTIME_REAL_URING_H
#define ANDWEORC_RUNTIME_REAL_URING_H

#include <signal.h>

struct io_uring;
struct io_uring_cqe;
struct __kernel_timespec;

#define REAL_URING(X) \
	X(io_uring_submit, int, (struct io_uring *)) \
	X(io_uring_submit_and_get_events, int, (struct io_uring *)) \
	X(io_uring_submit_and_wait, int, (struct io_uring *, unsigned)) \
	X(io_uring_submit_and_wait_timeout, int, \
	  (struct io_uring *, struct io_uring_cqe **, unsigned, struct __kernel_timespec *, const sigset_t *)) \
	X(io_uring_wait_cqes, int, (struct io_uring *, struct io_uring_cqe **, unsigned, struct __kernel_timespec *, const sigset_t *)) \
	X(io_uring_wait_cqe_timeout, int, (struct io_uring *, struct io_uring_cqe **, struct __kernel_timespec *)) \
	X(__io_uring_get_cqe, int, (struct io_uring *, struct io_uring_cqe **, unsigned, unsigned, const sigset_t *))

#endif
