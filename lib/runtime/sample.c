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
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <ucontext.h>

#include "runtime.h"

enum {
	TRAP_PERF_CODE = 6,
};

static int our_signal; /* 0 until a sampler has been chosen */
static struct sigaction program_action; /* what the program wants for our signal */

int sampler_signal(void)
{
	return our_signal;
}

/* ---- the handler -------------------------------------------------------------- */

static void count(_Atomic uint64_t *counter)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

uint64_t sample_random(void)
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
		period += sample_random() % (period / 4 + 1) - period / 8;
	if (SYS(SYS_ioctl, self.perf_fd, PERF_EVENT_IOC_PERIOD, &period) == 0)
		self.period_ns = period;
}

void sample_keep(struct arena_thread *t, const struct stack *stack, uint32_t class, uint32_t weight)
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
	s->class = (uint16_t)class;
	s->weight = weight;
	for (uint32_t i = 0; i < stack->n; i++)
		s->place[i] = stack->place[i];
	atomic_store_explicit(&t->ring_head, head + 1, memory_order_release);
}

int sampler_open(struct perf_event_attr *attr, uint64_t *id)
{
	int fd = (int)SYS(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), high;

	if (fd < 0)
		return fd;
	/* Out of the program's way: it may count on the numbers of the descriptors that it opens. */
	high = (int)SYS(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 700);
	if (high >= 0) {
		SYS(SYS_close, fd);
		fd = high;
	}
	SYS(SYS_ioctl, fd, PERF_EVENT_IOC_ID, id);
	return fd;
}

void sampler_close(int fd, uint64_t id)
{
	uint64_t now;

	/* A program may close descriptors that it does not know, and get their numbers for its own. */
	if (fd >= 0 && SYS(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &now) == 0 && now == id)
		SYS(SYS_close, fd);
}

static int64_t thread_cpu_ns(void)
{
	struct timespec t;

	SYS(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/*
 * How long the thread could have run since its last sample, and did not: wall
 * time less processor time, where no wait came between (a wait or pause starts
 * this anew, wall_ns 0).  Waits that nobody wraps, page faults, are taken for
 * this.  Keeps samples of it; returns the credit when just this is sped up.
 */
static int64_t queued_ns(struct arena_thread *t, const struct stack *stack, uint32_t speedup)
{
	bool wanted = arena->targets[atomic_load_explicit(&arena->target, memory_order_relaxed) & 1].class == CLASS_RUNQUEUE;
	int64_t wall, cpu, queued, n, period = (int64_t)arena->period_ns;
	struct stack copy;

	if (speedup && !wanted)
		return 0;
	wall = now_ns();
	cpu = thread_cpu_ns();
	queued = self.wall_ns ? (wall - self.wall_ns) - (cpu - self.cpu_ns) : 0;
	self.wall_ns = wall;
	self.cpu_ns = cpu;
	if (queued <= 0)
		return 0;
	self.residue_ns[CLASS_RUNQUEUE] += queued;
	n = self.residue_ns[CLASS_RUNQUEUE] / period;
	if (n > 0) {
		self.residue_ns[CLASS_RUNQUEUE] -= n * period;
		copy = *stack;
		copy.hit = wanted;
		sample_keep(t, &copy, CLASS_RUNQUEUE, (uint32_t)n);
	}
	return wanted && speedup ? (int64_t)((double)queued * speedup / 65536) : 0;
}

static void on_sample(int sig, siginfo_t *info, void *context)
{
	int saved = errno;
	struct arena_thread *t = self.slot;
	struct unwind_cursor at;
	struct stack stack;
	uint32_t speedup;
	int64_t period = (int64_t)self.period_ns, queued;

	(void)sig;
	if (!t || !arena)
		return;
	if (our_signal == SIGTRAP)
		breakpoint_look();
	/* A timer of 1 ms that ticks each 4 ms tells how many expirations one signal stands for. */
	if (self.has_timer)
		period *= 1 + info->si_overrun;
	unwind_begin(&at, context, self.stack_lo, self.stack_hi);
	stack_walk(&stack, &at);
	/*
	 * One that waits, spinning, does not do what it waits for.  The call is deeper
	 * in the stack than its struct wait; where it is not, a jump has left the call.
	 */
	if (self.waiting && __builtin_frame_address(0) < (void *)self.waiting)
		stack.hit = false;
	else
		self.waiting = 0;
	count(&t->samples);
	if (stack.hit)
		count(&t->hits);
	sample_keep(t, &stack, CLASS_CPU, 1);

	speedup = window_speedup();
	queued = queued_ns(t, &stack, speedup);
	if (speedup && now_ns() > atomic_load_explicit(&arena->expires_ns, memory_order_relaxed)) {
		/* The conductor is gone: nobody will ever end this window. */
		atomic_store_explicit(&arena->speedup, 0, memory_order_relaxed);
		speedup = 0;
	}
	if (speedup && self.busy) {
		/* Interrupted in the runtime itself: it takes the credit when it leaves. */
		self.deferred_ns += stack.hit ? period * speedup >> 16 : 0;
	} else if (speedup) {
		int64_t credit = segment_sample(period, stack.hit, speedup) + self.deferred_ns + queued;

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

	if (arena && self.slot)
		breakpoint_hit((uint32_t)perf_info(info)->data);
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
		SYS(SYS_tgkill, SYS(SYS_getpid), SYS(SYS_gettid), sig);
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
	return 1 + sample_random() % arena->period_ns;
}

static int open_perf(uint64_t period, uint64_t *id)
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

	return sampler_open(&attr, id);
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
		self.perf_fd = open_perf(first_period(), &self.perf_id);
		self.first_sample = true;
		breakpoint_look();
		if (self.perf_fd < 0)
			return false;
		return SYS(SYS_ioctl, self.perf_fd, PERF_EVENT_IOC_ENABLE, 0) == 0;
	}
	return our_signal && start_timer();
}

void sampler_stop(void)
{
	sampler_close(self.perf_fd, self.perf_id);
	self.perf_fd = -1;
	breakpoint_forget();
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
	uint64_t id;
	int fd;

	if (arena->want_sampler != SAMPLER_TIMER) {
		fd = open_perf(arena->period_ns, &id);
		if (fd < 0) {
			atomic_store_explicit(&arena->sampler_errno, -fd, memory_order_relaxed);
		} else {
			SYS(SYS_close, fd);
			if (kernel_has_safe_sigtrap() && use_signal(SIGTRAP)) {
				atomic_store_explicit(&arena->sampler, SAMPLER_PERF, memory_order_release);
				if (arena->want_breaks)
					breakpoint_measure();
				return;
			}
			atomic_store_explicit(&arena->sampler_errno, ENOSYS, memory_order_relaxed);
		}
	}
	/* The tenth from the top: libraries that take real-time signals begin at either end. */
	if (use_signal(SIGRTMAX - 10))
		atomic_store_explicit(&arena->sampler, SAMPLER_TIMER, memory_order_release);
}
