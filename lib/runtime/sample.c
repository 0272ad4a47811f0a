/*
 * sample: a handler for each period of CPU time that a thread uses.
 *
 * Two samplers:
 *
 *   perf    a task-clock event per thread that raises SIGTRAP in the thread
 *           itself (attr.sigtrap).  Needs Linux 5.18: before that a SIGTRAP that
 *           the program has blocked kills it.
 *   timer   a POSIX timer on the thread's CPU clock.  Needs no permission, but
 *           ticks with the kernel (4 ms at CONFIG_HZ=250).
 *
 * Both run on CPU time, never on the wall clock: a thread that is blocked in a
 * system call is not interrupted.  exclude_kernel keeps the event from firing
 * inside a system call, so that no call of the program ever fails with EINTR
 * because of us.
 *
 * The handler runs on the thread's own stack: programs that install a small
 * alternate stack (Rust does) have sized it for their own handlers.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime.h"

enum {
	TRAP_PERF_CODE = 6,
	WALK_FRAMES = 96, /* of a stack that are looked at */
};

static int our_signal; /* 0 until a sampler has been chosen */
static struct sigaction program_action; /* what the program wants for our signal */

int sampler_signal(void)
{
	return our_signal;
}

/* ---- is the sample in the region? -------------------------------------------- */

static bool in_ranges(const struct arena_range *r, uint32_t n, uint64_t pc)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (pc < r[mid].lo)
			hi = mid;
		else if (pc >= r[mid].hi)
			lo = mid + 1;
		else
			return true;
	}
	return false;
}

/* Is the code at pc somebody else's, to be charged to its caller? */
static bool passes(const struct arena_scope *s, uint64_t pc)
{
	return !in_ranges(s->own, s->nown, pc) || in_ranges(s->passed, s->npassed, pc);
}

/*
 * The stack of the interrupted thread, innermost frame first, and whether it is
 * in the region.  Line regions: the innermost frame that is not somebody else's
 * decides, and the walk ends there.  Function regions: any frame will do.
 */
struct stack {
	uint32_t n;
	bool hit;
	bool decided; /* a frame that is not somebody else's has been seen */
	uint64_t pc[ARENA_FRAMES];
};

static void walk(struct stack *s, const ucontext_t *uc)
{
	const struct arena_target *target = &arena->targets[atomic_load_explicit(&arena->target, memory_order_acquire) & 1];
	const struct arena_scope *scope = &arena->scopes[atomic_load_explicit(&arena->scope, memory_order_acquire) & 1];
	const struct arena_modules *set = &arena->module_sets[atomic_load_explicit(&arena->modules, memory_order_acquire) & 1];
	/* A set that was published for the program before an exec speaks of addresses that are no more. */
	uint32_t nmodules = set->base == (uintptr_t)arena ? set->n : 0;
	bool whole = atomic_load_explicit(&arena->whole_stacks, memory_order_relaxed) != 0;
	struct unwind_cursor c;

	unwind_begin(&c, uc, self.stack_lo, self.stack_hi);
	s->n = 0;
	s->hit = s->decided = false;
	for (uint32_t depth = 0; depth < WALK_FRAMES; depth++) {
		/* A return address belongs to the call before it; interrupted code (c.regs) is where it is. */
		uint64_t at = c.regs ? c.pc : c.pc - 1;
		bool decides = !passes(scope, at);

		if (s->n < ARENA_FRAMES)
			s->pc[s->n++] = c.pc;
		if (target->nranges && in_ranges(target->range, target->nranges, at))
			s->hit = s->hit || target->inclusive || !s->decided;
		s->decided = s->decided || decides;
		if (s->decided && (s->hit || !target->inclusive) && !whole)
			return;
		if (!unwind_step(&c, set->module, nmodules) || !c.pc)
			return;
	}
}

/* ---- the handler -------------------------------------------------------------- */

static void count(_Atomic uint64_t *counter)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

static uint64_t next_random(void)
{
	/* xorshift64: period 2^64 - 1, never 0 */
	self.random ^= self.random << 13;
	self.random ^= self.random >> 7;
	self.random ^= self.random << 17;
	return self.random;
}

/*
 * A program whose work is periodic can beat with the sampler: at a ratio near 1/2
 * all samples fall into the same two moments of its round.  So each thread draws
 * a period between 7/8 and 9/8 of what was asked for, anew in each window.  Within
 * a window it stays: the samples then walk through the round in equal steps and
 * cover it more evenly than random ones would.
 */
static void vary_period(void)
{
	uint32_t window = window_number(atomic_load_explicit(&arena->window, memory_order_relaxed));
	uint64_t period = arena->period_ns;

	/* The first period of a thread was random too; the event repeats it until told otherwise. */
	if (self.perf_fd < 0 || (self.period_window == window && !self.first_sample))
		return;
	self.first_sample = false;
	self.period_window = window;
	if (window)
		period += next_random() % (period / 4 + 1) - period / 8;
	if (ioctl(self.perf_fd, PERF_EVENT_IOC_PERIOD, &period) == 0)
		self.period_ns = period;
}

static void keep_sample(struct arena_thread *t, const struct stack *stack)
{
	uint32_t head = atomic_load_explicit(&t->ring_head, memory_order_relaxed);
	/* Pairs with the conductor's release: it has read what is overwritten here. */
	uint32_t tail = atomic_load_explicit(&t->ring_tail, memory_order_acquire);
	struct arena_sample *s = &t->ring[head % ARENA_RING];

	if (head - tail >= ARENA_RING) {
		count(&t->lost);
		return;
	}
	s->nframes = stack->n;
	s->hit = stack->hit;
	for (uint32_t i = 0; i < stack->n; i++)
		s->pc[i] = stack->pc[i];
	atomic_store_explicit(&t->ring_head, head + 1, memory_order_release);
}

/* Opens an event for the calling thread. -1, with errno, when the kernel refuses. */
static int open_event(struct perf_event_attr *attr)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), high;

	if (fd < 0)
		return -1;
	/* Out of the program's way: it may count on the numbers of the descriptors that it opens. */
	high = fcntl(fd, F_DUPFD_CLOEXEC, 700);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	return fd;
}

/* Breakpoints that the conductor has asked for since this thread last looked. */
static void arm_breaks(void)
{
	/* Pairs with the conductor's release: what is counted is there. */
	uint32_t wanted = atomic_load_explicit(&arena->breaks_used, memory_order_acquire);

	for (; self.breaks < wanted && self.breaks < ARENA_BREAKS; self.breaks++) {
		const struct arena_break *b = &arena->brk[self.breaks];
		struct perf_event_attr attr = {
			.type = PERF_TYPE_BREAKPOINT,
			.size = sizeof(attr),
			.bp_type = HW_BREAKPOINT_X,
			.bp_addr = b->pc,
			.bp_len = sizeof(long),
			.sample_period = 1,
			.exclude_kernel = 1,
			.exclude_hv = 1,
			.sigtrap = 1,
			.remove_on_exec = 1,
			.sig_data = b->point,
		};
		int fd = open_event(&attr);

		if (fd < 0)
			atomic_store_explicit(&arena->break_errno, errno, memory_order_relaxed);
		self.break_fd[self.breaks] = fd;
	}
}

static void on_sample(int sig, siginfo_t *info, void *context)
{
	int saved = errno;
	struct arena_thread *t = self.slot;
	struct stack stack;
	uint32_t speedup;
	int64_t period = (int64_t)self.period_ns;

	(void)sig;
	if (!t || !arena)
		return;
	if (our_signal == SIGTRAP && self.breaks < atomic_load_explicit(&arena->breaks_used, memory_order_relaxed))
		arm_breaks();
	/* A timer of 1 ms that ticks each 4 ms tells how many expirations one signal stands for. */
	if (self.has_timer)
		period *= 1 + info->si_overrun;
	walk(&stack, context);
	count(&t->samples);
	if (stack.hit)
		count(&t->hits);
	keep_sample(t, &stack);

	speedup = window_speedup();
	if (speedup && now_ns() > atomic_load_explicit(&arena->expires_ns, memory_order_relaxed)) {
		/* The conductor is gone: nobody will ever end this window. */
		atomic_store_explicit(&arena->speedup, 0, memory_order_relaxed);
		speedup = 0;
	}
	if (speedup && self.busy) {
		/* Interrupted in the runtime itself: it takes the credit when it leaves. */
		self.deferred_ns += stack.hit ? period * speedup >> 16 : 0;
	} else if (speedup) {
		int64_t credit = segment_sample(period, stack.hit, speedup) + self.deferred_ns;

		self.deferred_ns = 0;
		if (credit)
			delay_credit(t, credit);
		delay_pay(t, 0);
	}
	vary_period();
	errno = saved;
}

/* What the kernel adds to siginfo for TRAP_PERF (Linux 5.13, uapi/asm-generic/siginfo.h); older libc headers lack it. */
struct perf_siginfo {
	int signo, err, code, pad;
	void *addr;
	unsigned long data; /* attr.sig_data */
	uint32_t type;      /* attr.type */
	uint32_t flags;
};

static const struct perf_siginfo *perf_info(const siginfo_t *info)
{
	return (const struct perf_siginfo *)(const void *)info;
}

static void on_break(const siginfo_t *info)
{
	int saved = errno;

	if (arena && self.slot && !self.busy)
		point_visit((int)perf_info(info)->data);
	errno = saved;
}

/* ---- the program's own use of our signal ------------------------------------- */

/*
 * A SIGTRAP that is not a sample (a breakpoint instruction, raise) is the
 * program's: its handler is called, or the default action taken.
 */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL }, wanted = program_action;
	sigset_t before;

	if (our_signal == SIGTRAP && info->si_code == TRAP_PERF_CODE && perf_info(info)->type == PERF_TYPE_BREAKPOINT) {
		on_break(info);
		return;
	}
	if (our_signal != SIGTRAP || info->si_code == TRAP_PERF_CODE) {
		on_sample(sig, info, context);
		return;
	}
	if (!(wanted.sa_flags & SA_SIGINFO) && wanted.sa_handler == SIG_IGN)
		return;
	if (!(wanted.sa_flags & SA_SIGINFO) && wanted.sa_handler == SIG_DFL) {
		real.sigaction(sig, &dfl, NULL);
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
		return;
	}
	if (wanted.sa_flags & (int)SA_RESETHAND)
		program_action = dfl;
	real.pthread_sigmask(SIG_BLOCK, &wanted.sa_mask, &before);
	if (wanted.sa_flags & SA_SIGINFO)
		wanted.sa_sigaction(sig, info, context);
	else
		wanted.sa_handler(sig);
	real.pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void sampler_keep_action(const struct sigaction *act, struct sigaction *old)
{
	struct sigaction before = program_action;

	if (act)
		program_action = *act;
	if (old)
		*old = before;
}

/* ---- starting and stopping ---------------------------------------------------- */

/*
 * Each thread's first sample comes after a random part of a period, and stands
 * for a whole one like all others: then a thread that lives for x periods is
 * sampled x times on average, however small x is.  Were the first one due after
 * a whole period, a thread that lives for less than that would never be seen.
 */
static uint64_t first_period(void)
{
	return 1 + next_random() % arena->period_ns;
}

static int open_perf(uint64_t period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = 1,
		.remove_on_exec = 1, /* required with sigtrap */
	};

	return open_event(&attr);
}

static bool start_timer(void)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = our_signal };
	struct itimerspec every = { 0 };

	ev._sigev_un._tid = self.slot->tid;
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &ev, &self.timer) != 0)
		return false;
	every.it_interval.tv_sec = (time_t)(arena->period_ns / 1000000000);
	every.it_interval.tv_nsec = (long)(arena->period_ns % 1000000000);
	every.it_value.tv_nsec = (long)(first_period() % 1000000000);
	self.has_timer = true;
	return timer_settime(self.timer, 0, &every, NULL) == 0;
}

bool sampler_start(void)
{
	self.period_ns = arena->period_ns;
	if (our_signal == SIGTRAP) {
		self.perf_fd = open_perf(first_period());
		self.first_sample = true;
		ioctl(self.perf_fd, PERF_EVENT_IOC_ID, &self.perf_id);
		arm_breaks();
		if (self.perf_fd < 0)
			return false;
		return ioctl(self.perf_fd, PERF_EVENT_IOC_ENABLE, 0) == 0;
	}
	return our_signal && start_timer();
}

/* A program may close descriptors that it does not know, and get their numbers for its own. */
static bool is_still_ours(void)
{
	uint64_t id;

	return self.perf_fd >= 0 && ioctl(self.perf_fd, PERF_EVENT_IOC_ID, &id) == 0 && id == self.perf_id;
}

void sampler_stop(void)
{
	if (is_still_ours())
		close(self.perf_fd);
	self.perf_fd = -1;
	while (self.breaks > 0)
		if (self.break_fd[--self.breaks] >= 0)
			close(self.break_fd[self.breaks]);
	if (self.has_timer)
		timer_delete(self.timer);
	self.has_timer = false;
}

/* Since 5.18 a blocked SIGTRAP of perf waits; before, the kernel kills the process. */
static bool kernel_has_safe_sigtrap(void)
{
	struct utsname u;
	unsigned major, minor;

	return uname(&u) == 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 18));
}

static bool use_signal(int sig)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
	sigset_t set;

	if (real.sigaction(sig, &action, &program_action) != 0)
		return false;
	our_signal = sig;
	sigemptyset(&set);
	sigaddset(&set, sig);
	real.pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return true;
}

void sampler_init(void)
{
	int fd;

	if (arena->want_sampler != SAMPLER_TIMER) {
		fd = open_perf(arena->period_ns);
		if (fd < 0) {
			atomic_store_explicit(&arena->sampler_errno, errno, memory_order_relaxed);
		} else {
			close(fd);
			if (kernel_has_safe_sigtrap() && use_signal(SIGTRAP)) {
				atomic_store_explicit(&arena->sampler, SAMPLER_PERF, memory_order_release);
				return;
			}
			atomic_store_explicit(&arena->sampler_errno, ENOSYS, memory_order_relaxed);
		}
	}
	/* The tenth from the top: libraries that take real-time signals begin at either end. */
	if (use_signal(SIGRTMAX - 10))
		atomic_store_explicit(&arena->sampler, SAMPLER_TIMER, memory_order_release);
}
