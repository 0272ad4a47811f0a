/*
 * sys: system calls of the runtime's own.
 *
 * libc's functions for them are interposed by us, by others (sanitizers,
 * fault injectors), or cancellation points; errno belongs to the program.  So
 * the runtime goes to the kernel itself.  Each function returns what the kernel
 * did: a value, or -errno.
 *
 * Context: any.
 */
#ifndef ANDWEORC_RUNTIME_SYS_H
#define ANDWEORC_RUNTIME_SYS_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Set when the program has installed a seccomp filter (seccomp_filter.c): each call is then tried on that first. */
extern _Atomic uint32_t sys_sealed;
bool sys_may(long n, long a, long b, long c, long d, long e, long f);

static inline long sys_call(long n, long a, long b, long c, long d, long e, long f)
{
	if (__builtin_expect(atomic_load_explicit(&sys_sealed, memory_order_relaxed) != 0, 0) && !sys_may(n, a, b, c, d, e, f))
		return -ENOSYS;
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
#else
#error "andweorc knows the system calls of x86-64 and aarch64"
#endif
}

/* Takes pointers and integers, as libc's syscall(2) does; arguments left out are 0. */
#define SYS(...) SYS_PICK(__VA_ARGS__, SYS6, SYS5, SYS4, SYS3, SYS2, SYS1, SYS0)(__VA_ARGS__)
#define SYS_PICK(n, a, b, c, d, e, f, name, ...) name
#define SYS0(n) sys_call(n, 0, 0, 0, 0, 0, 0)
#define SYS1(n, a) sys_call(n, (long)(a), 0, 0, 0, 0, 0)
#define SYS2(n, a, b) sys_call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(n, a, b, c) sys_call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(n, a, b, c, d) sys_call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS5(n, a, b, c, d, e) sys_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define SYS6(n, a, b, c, d, e, f) sys_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/*
 * Sleeps.  nanosleep(2) is not called for that: it would overwrite what the kernel keeps of an interrupted sleep of the
 * program.  When a recorder attaches to a thread in a sleep, that sleep goes on after what the thread does here.
 */
static inline void sys_nap(const struct timespec *t)
{
	struct timespec left = *t;

	SYS(SYS_pselect6, 0, NULL, NULL, NULL, &left, NULL);
}

/*
 * The result as libc's functions return it: errno and -1 instead of -errno.  For wrappers that allocators call when they
 * start, perhaps inside dlsym, before libc's functions are known.
 */
static inline long sys_as_libc(long result)
{
	if ((unsigned long)result < -4095ul)
		return result;
	errno = (int)-result;
	return -1;
}

#endif
