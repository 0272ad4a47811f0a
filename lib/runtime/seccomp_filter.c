/*
 * seccomp_filter: see seccomp_filter.h.
 *
 * The wrappers of prctl(2) and seccomp(2) see filters as they are installed.  Filters
 * under which the program was started are unknown: calls that they deny fail, as other
 * refused calls do.
 *
 * A filter holds for the thread that installs it and for those that it creates;
 * here it is assumed to hold for all threads, which is safe and simple.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include "hidden_fd.h"
#include "process.h"
#include "real.h"
#include "sampler.h"
#include "seccomp_filter.h"
#include "sys.h"
#include "thread.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

enum {
	FILTERS = 32,
	STEPS = 1 << 14, /* steps of all filters */
};

static struct sock_filter step[STEPS];
static _Atomic uint32_t steps_used;
static struct {
	_Atomic uint32_t n; /* steps; 0: none */
	uint32_t begin;
} filter[FILTERS];
static _Atomic int filters_used;
static _Atomic uint32_t blind; /* there are filters that could not be read: no call is allowed */

_Atomic uint32_t sys_sealed;

/* ---- running a filter ---------------------------------------------------------------- */

static uint32_t word_at(const struct seccomp_data *data, uint32_t offset)
{
	uint32_t word = 0;

	if (offset <= sizeof(*data) - sizeof(word))
		memcpy(&word, (const char *)data + offset, sizeof(word));
	return word;
}

static uint32_t compute(uint32_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_ADD: return a + b;
	case BPF_SUB: return a - b;
	case BPF_MUL: return a * b;
	case BPF_DIV: return b ? a / b : 0;
	case BPF_AND: return a & b;
	case BPF_OR: return a | b;
	case BPF_XOR: return a ^ b;
	case BPF_LSH: return b < 32 ? a << b : 0;
	case BPF_RSH: return b < 32 ? a >> b : 0;
	default: return -a; /* BPF_NEG */
	}
}

static bool jump_holds(uint32_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_JEQ: return a == b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	default: return (a & b) != 0; /* BPF_JSET */
	}
}

/* The kernel has checked the filter: jumps go forward and stay inside, and the last step returns. */
static uint32_t verdict(const struct sock_filter *f, uint32_t n, const struct seccomp_data *data)
{
	uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = { 0 };

	for (uint32_t pc = 0; pc < n; pc++) {
		uint32_t k = f[pc].k, operand = BPF_SRC(f[pc].code) == BPF_X ? x : k;

		switch (BPF_CLASS(f[pc].code)) {
		case BPF_LD:
			a = BPF_MODE(f[pc].code) == BPF_ABS   ? word_at(data, k)
			    : BPF_MODE(f[pc].code) == BPF_LEN ? (uint32_t)sizeof(*data)
			    : BPF_MODE(f[pc].code) == BPF_MEM ? memory[k % BPF_MEMWORDS]
							      : k;
			break;
		case BPF_LDX:
			x = BPF_MODE(f[pc].code) == BPF_LEN   ? (uint32_t)sizeof(*data)
			    : BPF_MODE(f[pc].code) == BPF_MEM ? memory[k % BPF_MEMWORDS]
							      : k;
			break;
		case BPF_ST:
			memory[k % BPF_MEMWORDS] = a;
			break;
		case BPF_STX:
			memory[k % BPF_MEMWORDS] = x;
			break;
		case BPF_ALU:
			a = compute(BPF_OP(f[pc].code), a, operand);
			break;
		case BPF_JMP:
			if (BPF_OP(f[pc].code) == BPF_JA)
				pc += k;
			else
				pc += jump_holds(BPF_OP(f[pc].code), a, operand) ? f[pc].jt : f[pc].jf;
			break;
		case BPF_RET:
			return BPF_RVAL(f[pc].code) == BPF_A ? a : k;
		default:
			if (BPF_MISCOP(f[pc].code) == BPF_TAX)
				x = a;
			else
				a = x;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

static bool is_allowed(uint32_t action)
{
	action &= SECCOMP_RET_ACTION_FULL;
	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

bool sys_may(long n, long a, long b, long c, long d, long e, long f)
{
	struct seccomp_data data = {
		.nr = (int)n,
		.arch = ARCH,
		.args = { (uint64_t)a, (uint64_t)b, (uint64_t)c, (uint64_t)d, (uint64_t)e, (uint64_t)f },
	};

	if (atomic_load_explicit(&blind, memory_order_relaxed))
		return false;
	for (int i = 0; i < FILTERS && i < atomic_load_explicit(&filters_used, memory_order_relaxed); i++) {
		/* Pairs with the release in keep: the steps are there. */
		uint32_t length = atomic_load_explicit(&filter[i].n, memory_order_acquire);

		if (length && !is_allowed(verdict(&step[filter[i].begin], length, &data)))
			return false;
	}
	return true;
}

/* ---- keeping a copy -------------------------------------------------------------------- */

/* Reads memory that may not be mapped, without a fault. */
static long read_memory(void *to, const void *from, size_t bytes)
{
	struct iovec here = { to, bytes }, there = { NULL, bytes };

	memcpy(&there.iov_base, &from, sizeof(from));
	return SYS(SYS_process_vm_readv, SYS(SYS_getpid), &here, 1, &there, 1, 0);
}

enum copied { COPIED, NOT_COPIED, NOT_THERE };

/* NOT_THERE: the kernel cannot read it either. */
static enum copied copy_filter(struct seccomp_filter *s, const void *prog)
{
	struct sock_fprog p;
	uint32_t begin;
	long n = read_memory(&p, prog, sizeof(p));

	if (n == -EFAULT || (n == sizeof(p) && p.len == 0))
		return NOT_THERE;
	if (n != sizeof(p) || p.len > BPF_MAXINSNS)
		return NOT_COPIED;
	begin = atomic_fetch_add_explicit(&steps_used, p.len, memory_order_relaxed);
	s->filter = atomic_fetch_add_explicit(&filters_used, 1, memory_order_relaxed);
	if (begin + p.len > STEPS || s->filter >= FILTERS)
		return NOT_COPIED;
	n = read_memory(&step[begin], p.filter, p.len * sizeof(*p.filter));
	if (n != (long)(p.len * sizeof(*p.filter)))
		return n == -EFAULT ? NOT_THERE : NOT_COPIED;
	filter[s->filter].begin = begin;
	s->length = p.len;
	return COPIED;
}

static bool allows(const struct seccomp_filter *s, long n)
{
	struct seccomp_data data = { .nr = (int)n, .arch = ARCH };

	return is_allowed(verdict(&step[filter[s->filter].begin], s->length, &data));
}

static void leave_profiling(struct seccomp_filter *s)
{
	s->left = self.slot != NULL;
	thread_end();
}

void seccomp_filter_prepare(struct seccomp_filter *s, bool strict, bool all_threads, const void *prog)
{
	enum copied copied;

	*s = (struct seccomp_filter){ .filter = -1 };
	/* Not for a child of vfork(2), which uses its parent's memory. */
	if (!arena || SYS(SYS_getpid) != process_pid)
		return;
	if (strict) {
		leave_profiling(s); /* not even the clock may be read */
		return;
	}
	copied = copy_filter(s, prog);
	if (copied == NOT_THERE)
		return;
	s->blind = copied == NOT_COPIED;
	/* Timers and events are stopped now, while the filter still allows the calls for that. */
	if (s->blind || !allows(s, SYS_rt_sigreturn)) {
		leave_profiling(s);
		s->stopped = all_threads;
		if (all_threads)
			sampler_stop_all(true);
	}
	if (s->blind)
		atomic_fetch_add_explicit(&blind, 1, memory_order_relaxed);
	else
		atomic_store_explicit(&filter[s->filter].n, s->length, memory_order_release);
	atomic_store_explicit(&sys_sealed, 1, memory_order_release);
}

/* The filter forbids a call that the runtime cannot do without. */
static bool all_is_well(void)
{
	static const long needed[] = { SYS_perf_event_open, SYS_ioctl, SYS_fcntl, SYS_close, SYS_timer_create,
				       SYS_clock_nanosleep, SYS_prctl, SYS_rt_sigreturn, SYS_mremap };

	for (unsigned i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!sys_may(needed[i], 0, 0, 0, 0, 0, 0))
			return false;
	return true;
}

void seccomp_filter_settle(struct seccomp_filter *s, bool done)
{
	struct arena_thread *slot;
	int saved = errno;

	if (!arena)
		return;
	if (done) {
		if (s->left || s->blind || !all_is_well())
			atomic_store_explicit(&arena->sealed, 1, memory_order_relaxed);
		return;
	}
	if (s->length)
		atomic_store_explicit(&filter[s->filter].n, 0, memory_order_relaxed);
	if (s->blind)
		atomic_fetch_sub_explicit(&blind, 1, memory_order_relaxed);
	if (s->stopped)
		sampler_stop_all(false);
	if (s->left && (slot = thread_reserve()) != NULL) {
		slot->routine = 0;
		thread_begin(slot);
	}
	errno = saved;
}

/* ---- the program's calls ------------------------------------------------------------------ */

EXPORT int prctl(int option, ...)
{
	unsigned long v[4];
	struct seccomp_filter s;
	va_list ap;
	int result;

	va_start(ap, option);
	for (unsigned i = 0; i < 4; i++)
		v[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (!REAL(prctl))
		return (int)sys_as_libc(SYS(SYS_prctl, option, v[0], v[1], v[2], v[3]));
	/*
	 * The processor's clock would then fault.  In a sample, that kills the program: a
	 * fault in the handler cannot be handled.
	 */
	if (arena && option == PR_SET_TSC && v[0] == PR_TSC_SIGSEGV)
		thread_renounce();
	if (likely(!arena || option != PR_SET_SECCOMP))
		return real.prctl(option, v[0], v[1], v[2], v[3]);
	seccomp_filter_prepare(&s, v[0] == SECCOMP_MODE_STRICT, false, (const void *)v[1]);
	result = real.prctl(option, v[0], v[1], v[2], v[3]);
	seccomp_filter_settle(&s, result == 0);
	return result;
}
