/*
 * syscall: system calls that the program makes by number.
 */
#ifndef ANDWEORC_WRAP_SYSCALL_H
#define ANDWEORC_WRAP_SYSCALL_H

/* A system call: its number, all six arguments, and the place where the program made it. */
struct call {
	long n, a, b, c, d, e, f;
	const void *site;
};

/* any: makes the call.  Returns, and sets errno, as syscall(2) does. */
long call_make(const struct call *c);

/*
 * futex.c.  any: account for the call, and make it.  For threads that are watched.  The
 * last four calls, of Linux 5.16 and 6.7, are missing in many headers.
 */
long call_futex(const struct call *c);
long call_futex_waitv(const struct call *c);
long call_futex_wake(const struct call *c);
long call_futex_wait(const struct call *c);
long call_futex_requeue(const struct call *c);

/* uring.c.  any: the same. */
long call_uring_setup(const struct call *c);
long call_uring_enter(const struct call *c);

#endif
