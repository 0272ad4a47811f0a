/*
 * syscall: system calls that the program makes by number.
 */
#ifndef ANDWEORC_RUNTIME_SYSCALL_H
#define ANDWEORC_RUNTIME_SYSCALL_H

/* A call: all arguments that the kernel can take, and where the program made it. */
struct call {
	long n, a, b, c, d, e, f;
	const void *site;
};

/* any: makes the call.  Returns, and sets errno, as syscall(2) does. */
long call_make(const struct call *c);

/*
 * futex.c.  any: account for the call, and make it.  The thread is watched.  The
 * last four are newer than many headers: Linux 5.16 and 6.7.
 */
long call_futex(const struct call *c);
long call_futex_waitv(const struct call *c);
long call_futex_wake(const struct call *c);
long call_futex_wait(const struct call *c);
long call_futex_requeue(const struct call *c);

#endif
