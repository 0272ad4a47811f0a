/*
 * syscall: system calls that the program makes by number.
 *
 * Nearly all calls are passed on by a jump, with all registers and the stack unchanged.
 * A call that can block or wake is accounted for, and then made by libc's syscall(2),
 * or by our wrapper of the libc function of the same name.
 */
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "runtime/create.h"
#include "runtime/process.h"
#include "runtime/sample_signal.h"
#include "runtime/sampler.h"
#include "runtime/seccomp_filter.h"
#include "runtime/withdraw.h"
#include "sigwait.h"
#include "sleep.h"
#include "syscall.h"
#include "wrap.h"

/* Numbers of calls that older headers do not have.  They are the same on all architectures. */
enum {
	NR_IO_URING_SETUP = 425,
	NR_IO_URING_ENTER = 426,
	NR_CLONE3 = 435,
	NR_CLOSE_RANGE = 436,
	NR_FUTEX_WAITV = 449,
	NR_FUTEX_WAKE = 454,
	NR_FUTEX_WAIT = 455,
	NR_FUTEX_REQUEUE = 456,
};

/* Before our functions are resolved, or while they are. */
static long call_early(long n, long a, long b, long c, long d, long e, long f);

/* The function to which calls are passed. */
static long (*syscall_pass)(long, long, long, long, long, long, long) __attribute__((used)) = call_early;

static long call_early(long n, long a, long b, long c, long d, long e, long f)
{
	if (!real.syscall)
		return sys_as_libc(SYS(n, a, b, c, d, e, f));
	syscall_pass = real.syscall;
	return real.syscall(n, a, b, c, d, e, f);
}

long call_make(const struct call *c)
{
	return syscall_pass(c->n, c->a, c->b, c->c, c->d, c->e, c->f);
}

/* ---- calls that can block or wake ------------------------------------------------------------ */

static long wait_for_signal(const struct call *c)
{
	struct call changed = *c;
	siginfo_t own;
	struct wait w;
	long sig;

	if (!c->b)
		changed.b = (long)&own;
	wait_begin(&w, CLASS_LOCK, c->site, false, WAIT_UNKNOWN);
	do {
		sig = call_make(&changed);
	} while (sig > 0 && unlikely(sampler_sent((int)sig, (const siginfo_t *)changed.b)));
	signal_wait_end(&w, (int)sig, (const siginfo_t *)changed.b);
	sample_signal_settle();
	return sig;
}

static long suspend(const struct call *c)
{
	uint64_t set, before = self.signals.masked;
	struct call changed = *c;
	struct wait w;
	long result;

	/* Memory that cannot be read is left to the kernel, which reports EFAULT. */
	if ((uintptr_t)c->a >= 4096 && c->b == sizeof(set)) {
		set = sample_signal_believe(SIG_SETMASK, *(const uint64_t *)c->a);
		changed.a = (long)&set;
	}
	wait_begin(&w, CLASS_LOCK, c->site, false, WAIT_UNKNOWN);
	result = call_make(&changed);
	signal_wait_end_any(&w);
	self.signals.masked = before;
	sample_signal_settle();
	return result;
}

static long sleep_for(const struct call *c)
{
	bool by_clock = c->n == SYS_clock_nanosleep;
	int flags = by_clock ? (int)c->b : 0;
	struct wait w;
	long result;

	sleep_begin(&w, by_clock ? (clockid_t)c->a : CLOCK_MONOTONIC, flags, (const struct timespec *)(by_clock ? c->c : c->a),
		    c->site);
	result = call_make(c);
	sleep_end(&w, flags);
	return result;
}

/*
 * Calls for which libc has a function of the same name and arguments: the wrapper of
 * that function accounts for them.
 */
static long call_by_name(const struct call *c)
{
	int fd = (int)c->a;

	switch (c->n) {
	case SYS_read: return read(fd, (void *)c->b, (size_t)c->c);
	case SYS_write: return write(fd, (const void *)c->b, (size_t)c->c);
	case SYS_readv: return readv(fd, (const struct iovec *)c->b, (int)c->c);
	case SYS_writev: return writev(fd, (const struct iovec *)c->b, (int)c->c);
	case SYS_pread64: return pread64(fd, (void *)c->b, (size_t)c->c, c->d);
	case SYS_pwrite64: return pwrite64(fd, (const void *)c->b, (size_t)c->c, c->d);
	case SYS_fsync: return fsync(fd);
	case SYS_fdatasync: return fdatasync(fd);
	case SYS_recvfrom:
		return recvfrom(fd, (void *)c->b, (size_t)c->c, (int)c->d, (struct sockaddr *)c->e, (socklen_t *)c->f);
	case SYS_sendto:
		return sendto(fd, (const void *)c->b, (size_t)c->c, (int)c->d, (const struct sockaddr *)c->e, (socklen_t)c->f);
	case SYS_recvmsg: return recvmsg(fd, (struct msghdr *)c->b, (int)c->c);
	case SYS_sendmsg: return sendmsg(fd, (const struct msghdr *)c->b, (int)c->c);
	case SYS_connect: return connect(fd, (const struct sockaddr *)c->b, (socklen_t)c->c);
	case SYS_accept: return accept(fd, (struct sockaddr *)c->b, (socklen_t *)c->c);
	case SYS_accept4: return accept4(fd, (struct sockaddr *)c->b, (socklen_t *)c->c, (int)c->d);
#ifdef SYS_poll
	case SYS_poll: return poll((struct pollfd *)c->a, (nfds_t)c->b, (int)c->c);
#endif
#ifdef SYS_epoll_wait
	case SYS_epoll_wait: return epoll_wait(fd, (struct epoll_event *)c->b, (int)c->c, (int)c->d);
#endif
	/* A mask would have another size than libc's. */
	case SYS_epoll_pwait: return c->e ? call_make(c) : epoll_wait(fd, (struct epoll_event *)c->b, (int)c->c, (int)c->d);
	case SYS_sendmmsg: return sendmmsg(fd, (struct mmsghdr *)c->b, (unsigned)c->c, (int)c->d);
	case SYS_recvmmsg: return recvmmsg(fd, (struct mmsghdr *)c->b, (unsigned)c->c, (int)c->d, (struct timespec *)c->e);
	case SYS_close: return close(fd);
	case NR_CLOSE_RANGE: return close_range((unsigned)c->a, (unsigned)c->b, (int)c->c);
	case SYS_dup: return dup(fd);
#ifdef SYS_dup2
	case SYS_dup2: return dup2(fd, (int)c->b);
#endif
	case SYS_dup3: return dup3(fd, (int)c->b, (int)c->c);
	case SYS_fcntl: return fcntl(fd, (int)c->b, c->c);
	case SYS_prctl: return prctl((int)c->a, c->b, c->c, c->d, c->e);
	case SYS_wait4: return wait4((pid_t)c->a, (int *)c->b, (int)c->c, (struct rusage *)c->d);
#ifdef SYS_pause
	case SYS_pause: return pause();
#endif
	default: return call_make(c);
	}
}

/* Unlike functions of libc, syscall(2) is not a cancellation point. */
static long by_name(const struct call *c)
{
	int before;
	long result;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	result = call_by_name(c);
	pthread_setcancelstate(before, &before);
	return result;
}

static long send_to_process(const struct call *c)
{
	signal_to_process((pid_t)c->a, (int)c->b, c->site);
	return call_make(c);
}

static long send_to_thread(const struct call *c)
{
	if (c->n == SYS_tkill)
		signal_to_thread((pid_t)c->a, (int)c->b, c->site);
	else
		signal_to_thread((pid_t)c->b, (int)c->c, c->site);
	return call_make(c);
}

/* Changes of the signal mask, past libc's functions. */
static long change_mask(const struct call *c)
{
	struct call changed = *c;
	uint64_t before = self.signals.masked, set;
	long result;

	if (c->d != sizeof(set))
		return call_make(c);
	if (c->b) {
		set = sample_signal_believe((int)c->a, *(const uint64_t *)c->b);
		changed.b = (long)&set;
	}
	result = call_make(&changed);
	if (result != 0)
		self.signals.masked = before;
	else if (c->c)
		*(uint64_t *)c->c |= before;
	sample_signal_settle();
	return result;
}

static long install_filter(const struct call *c)
{
	bool is_one = c->a == SECCOMP_SET_MODE_FILTER || c->a == SECCOMP_SET_MODE_STRICT;
	struct seccomp_filter s;
	long result;

	if (!is_one)
		return call_make(c);
	seccomp_filter_prepare(&s, c->a == SECCOMP_SET_MODE_STRICT, (c->b & SECCOMP_FILTER_FLAG_TSYNC) != 0, (const void *)c->c);
	result = call_make(c);
	/* A positive result is a descriptor, or the tid of a thread that could not be synchronised. */
	seccomp_filter_settle(&s, result == 0 || (result > 0 && (c->b & SECCOMP_FILTER_FLAG_NEW_LISTENER)));
	return result;
}

static long change_action(const struct call *c)
{
	if (c->d != sizeof(uint64_t) || !sample_signal_act((int)c->a, (const void *)c->b, (void *)c->c))
		return call_make(c);
	return 0;
}

static long trace(const struct call *c)
{
	long result;
	int err;

	withdraw_before_ptrace(c->a, c->b);
	result = call_make(c);
	err = errno;
	withdraw_after_ptrace(c->a, result);
	errno = err;
	return result;
}

static long end_thread(const struct call *c)
{
	create_end();
	return call_make(c);
}

/*
 * A child with its own memory is an ordinary process.  Any other child shares our memory,
 * and returns to our caller.
 */
static long copy_process(const struct call *c)
{
	const uint64_t *flags = c->n == SYS_clone		       ? (const uint64_t *)&c->a
				: c->n == NR_CLONE3 && c->a >= 4096 ? (const uint64_t *)c->a /* the first field of its struct */
								    : NULL;
	bool shares = flags && (*flags & CLONE_VM) != 0;
	long result;

	process_forking();
	result = call_make(c);
	if (result == 0 && !shares)
		process_forked();
	return result;
}

static long end_process(const struct call *c)
{
	_exit((int)c->a);
}

/* ---- which is which -------------------------------------------------------------------- */

#define HANDLERS 512
#define DIGITS(x) DIGITS_OF(x)
#define DIGITS_OF(x) #x

static long (*const handler[HANDLERS])(const struct call *) __attribute__((used)) = {
	[SYS_futex] = call_futex,
	[NR_FUTEX_WAITV] = call_futex_waitv,
	[NR_FUTEX_WAKE] = call_futex_wake,
	[NR_FUTEX_WAIT] = call_futex_wait,
	[NR_FUTEX_REQUEUE] = call_futex_requeue,
	[SYS_nanosleep] = sleep_for,
	[SYS_clock_nanosleep] = sleep_for,
	[NR_IO_URING_SETUP] = call_uring_setup,
	[NR_IO_URING_ENTER] = call_uring_enter,
	[SYS_kill] = send_to_process,
	[SYS_rt_sigqueueinfo] = send_to_process,
	[SYS_tkill] = send_to_thread,
	[SYS_tgkill] = send_to_thread,
	[SYS_rt_tgsigqueueinfo] = send_to_thread,
	[SYS_clone] = copy_process,
	[NR_CLONE3] = copy_process,
#ifdef SYS_fork
	[SYS_fork] = copy_process,
#endif
	[SYS_exit] = end_thread,
	[SYS_exit_group] = end_process,
	[SYS_rt_sigtimedwait] = wait_for_signal,
	[SYS_rt_sigsuspend] = suspend,
#ifdef SYS_pause
	[SYS_pause] = by_name,
#endif
	[SYS_rt_sigprocmask] = change_mask,
	[SYS_rt_sigaction] = change_action,
	[SYS_ptrace] = trace,
	[SYS_seccomp] = install_filter,
	[SYS_prctl] = by_name,
	[SYS_epoll_pwait] = by_name,
	[SYS_sendmmsg] = by_name,
	[SYS_recvmmsg] = by_name,
	[SYS_close] = by_name,
	[NR_CLOSE_RANGE] = by_name,
	[SYS_dup] = by_name,
#ifdef SYS_dup2
	[SYS_dup2] = by_name,
#endif
	[SYS_dup3] = by_name,
	[SYS_fcntl] = by_name,
	[SYS_wait4] = by_name,
	[SYS_read] = by_name,
	[SYS_write] = by_name,
	[SYS_readv] = by_name,
	[SYS_writev] = by_name,
	[SYS_pread64] = by_name,
	[SYS_pwrite64] = by_name,
	[SYS_fsync] = by_name,
	[SYS_fdatasync] = by_name,
	[SYS_recvfrom] = by_name,
	[SYS_sendto] = by_name,
	[SYS_recvmsg] = by_name,
	[SYS_sendmsg] = by_name,
	[SYS_connect] = by_name,
	[SYS_accept] = by_name,
	[SYS_accept4] = by_name,
#ifdef SYS_poll
	[SYS_poll] = by_name,
#endif
#ifdef SYS_epoll_wait
	[SYS_epoll_wait] = by_name,
#endif
};

static __attribute__((used, noinline)) long syscall_account(long n, long a, long b, long c, long d, long e, long f,
							     const void *site)
{
	const struct call call = { n, a, b, c, d, e, f, site };

	/* These affect all threads, so they are handled even for threads that are not watched. */
	bool is_for_all = n == SYS_seccomp || n == SYS_rt_sigaction || n == SYS_ptrace;

	return wait_is_watched() || (arena && is_for_all) ? handler[n](&call) : call_make(&call);
}

/*
 * The entry.  Where a caller passes fewer than six arguments, it has data of its own in
 * the place of the sixth, perhaps the futex word that it waits on.  That place must not
 * be written, not even with the value that was read from it, as compilers do before a
 * jump.
 */
#if defined(__x86_64__)
__asm__(".pushsection .text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	cmpq	$0, arena(%rip)\n"
	"	je	1f\n"
	"	cmpq	$" DIGITS(HANDLERS) ", %rdi\n"
	"	jae	1f\n"
	"	leaq	handler(%rip), %rax\n"
	"	cmpq	$0, (%rax,%rdi,8)\n"
	"	jne	2f\n"
	"1:	jmp	*syscall_pass(%rip)\n"
	"2:	subq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq	8(%rsp)\n" /* the return address */
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq	24(%rsp)\n" /* the sixth argument */
	"	.cfi_adjust_cfa_offset 8\n"
	"	call	syscall_account\n"
	"	addq	$24, %rsp\n"
	"	.cfi_adjust_cfa_offset -24\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size syscall, . - syscall\n"
	".popsection\n");
#else
EXPORT long wrap_syscall(long n, long a, long b, long c, long d, long e, long f) __asm__("syscall");

/* All arguments are in registers, even variadic ones. */
long wrap_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	if (unlikely(arena != NULL) && (unsigned long)n < HANDLERS && handler[n])
		return syscall_account(n, a, b, c, d, e, f, SITE);
	return syscall_pass(n, a, b, c, d, e, f);
}
#endif
