/*
 * sampler: a signal for each period of CPU time that a thread uses.
 *
 * Two samplers:
 *
 *   perf    a task-clock event per thread that raises SIGTRAP in the thread
 *           itself (attr.sigtrap).  Needs Linux 5.18: before that a SIGTRAP that
 *           the program has blocked kills it.
 *   timer   a POSIX timer on the thread's CPU clock.  Needs neither permission nor
 *           descriptor, but ticks with the kernel (4 ms at CONFIG_HZ=250).  Also for
 *           threads that find no free descriptor for a perf event.
 *
 * An event of perf costs time whenever its thread leaves a processor and when it
 * comes back: 1 us, or 10 in a virtual machine.  A thread for which this would take a
 * fifth of its time is switched to the timer, which has no such cost.
 *
 * Time in the kernel (system calls, page faults) is work of a thread, too.  The timer
 * sees it.  With perf, a second timer samples the kernel alone: perf would need a
 * permission for that, and would send a SIGTRAP after an exec, which kills the new
 * program.
 *
 * While events are noted, perf rests, if there are timers: replay learns from the
 * times of events, which should be those of the program without us.  With perf, a
 * pipeline of five threads took 1.38 times as long in a burst, and takes 1.01 times
 * as long.  The event of a thread stops, or starts again, at the thread's first
 * sample after a burst has begun or ended.
 *
 * Timers run on clocks that advance by ticks: the clock of user time, and the clock of
 * user and kernel time.  (On the usual clock, which is exact, a timer fires at the
 * first tick after its time, so that a thread that runs for less than a tick is never
 * seen.)  The two clocks also tell whether a tick has hit the kernel.  Ticks only
 * decide when a sample is taken.  The time that it stands for comes from the exact
 * clock, without pauses.  Pauses begin at samples, so at ticks; ticks would count all
 * of them too rarely, or all too often.
 *
 * The clocks may need samples more often than the log does (conductor_set_period).  Then perf
 * takes several in each period, of which one is kept.  Timers never do.
 *
 * No call of the program ever fails with EINTR, or returns short, because of us:
 * perf interrupts user code alone, and the timer's signal is sent when the thread
 * leaves the kernel.  Before Linux 5.11 the signal was sent at once, possibly on the
 * way into a call that blocks.  There the clock of user time is used, which advances
 * only in ticks that hit user code; time in the kernel is not sampled.
 *
 * The handler runs on the thread's own stack, unless the program wants these
 * signals on alternate stacks; see sample_signal.c.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "breakpoint.h"
#include "event_log.h"
#include "hidden_fd.h"
#include "moment.h"
#include "process.h"
#include "rawcall.h"
#include "reach.h"
#include "sample.h"
#include "sample_signal.h"
#include "sampler.h"
#include "sys.h"
#include "thread.h"
#include "withdraw.h"

/* CLOCK_THREAD_CPUTIME_ID is CPUCLOCK_SCHED of the calling thread; these are CPUCLOCK_PROF and CPUCLOCK_VIRT of any. */
#define TICKS_CLOCK(tid) (~(tid) << 3 | 4)
#define USER_TICKS_CLOCK(tid) (~(tid) << 3 | 4 | 1)

enum {
	TRAP_PERF_CODE = 6,
	PATIENCE_NS = 200 * 1000 * 1000, /* limit on waiting for threads that are in the handler */
	TRIALS = 4,          /* measurements of the cost of stopping and starting an event */
	TOO_MUCH = 5,        /* limit on that cost: 1 / 5 of a thread's time.  Ticks are coarse samples, but better than more cost than that */
	JUDGED_NS = 50 * 1000 * 1000, /* the thread's time over which the cost is judged; ticks measure it roughly */
	ADOPTED_NS = 30 * 1000 * 1000, /* the same for a thread that is adopted: some ticks */
	FIRST_LEAST_NS = 50 * 1000, /* shortest time until the first sample of a thread */
};

/* Much longer than ARENA_ALIVE_NS, because sampling is not taken up again. */
static const int64_t FORSAKEN_NS = 60000000000;

static bool has_perf;    /* SIGTRAP is ours */
static int timer_signal; /* 0: the timer cannot be had */
static bool sees_kernel; /* the timer does */
static int64_t switch_ns; /* cost of a perf event each time that its thread leaves a processor */
static _Atomic int handlers; /* handlers that are running */
static _Atomic bool withdrawn; /* sampling has ended for all threads */

/* Timers of threads, by slot, + 1; 0: none. */
static _Atomic int timers[ARENA_THREADS];

static _Atomic int *timer_of(const struct arena_thread *t)
{
	return &timers[thread_number(t) - 1];
}

static void run_event(bool runs)
{
	self.sampling.perf_fd = hidden_fd_find(self.sampling.perf_fd, self.sampling.perf_id);
	if (self.sampling.perf_fd >= 0)
		SYS(SYS_ioctl, self.sampling.perf_fd, runs ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- the signal --------------------------------------------------------------- */

/* The kernel's siginfo for TRAP_PERF (Linux 5.13, uapi/asm-generic/siginfo.h); older libc headers lack it. */
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

bool sampler_sent(int sig, const siginfo_t *info)
{
	if (sig == SIGTRAP)
		return info->si_code == TRAP_PERF_CODE && perf_info(info)->data >> 32 == SAMPLER_MARK;
	if (info->si_code != SI_TIMER)
		return false;
	/* The last timer counts, too: it may have been deleted while its signal was pending. */
	return info->si_timerid == self.sampling.timer ||
	       (self.slot && info->si_timerid + 1 == atomic_load_explicit(timer_of(self.slot), memory_order_relaxed));
}

/* Is the recorder dead, or silent for too long?  Then samples are not read any more. */
static bool is_forsaken(void)
{
	return now_ns() - atomic_load_explicit(&arena->expires_ns, memory_order_relaxed) > FORSAKEN_NS;
}

/* The time that the calling thread has spent in the kernel, in ns; grows by ticks. */
static int64_t kernel_time(void)
{
	return clock_ns(TICKS_CLOCK(self.slot->tid)) - clock_ns(USER_TICKS_CLOCK(self.slot->tid));
}

/* The processor time of the calling thread, without pauses during which its timer was held. */
static int64_t own_time(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - self.used.held_ns;
}

/* Not inlined, so that its frame is gone when the handler does the rest. */
static __attribute__((noinline)) int64_t switches(void)
{
	struct rusage u = { 0 };

	SYS(SYS_getrusage, RUSAGE_THREAD, &u);
	return u.ru_nvcsw + u.ru_nivcsw;
}

/* The period comes from the perf event, and the timer is for the kernel alone. */
static bool uses_event(void)
{
	return self.sampling.perf_fd >= 0 && !self.sampling.rests;
}

/* Does its perf event take too much of the calling thread's time?  ns: its processor time since the last call. */
static bool event_is_dear(int64_t ns)
{
	int64_t now, cost;

	self.judged.ns += ns;
	if (self.judged.ns < JUDGED_NS)
		return false;
	now = switches();
	cost = (now - self.judged.switches) * switch_ns;
	ns = self.judged.ns;
	self.judged.switches = now;
	self.judged.ns = 0;
	return cost > ns / TOO_MUCH;
}

/*
 * Processor time of the calling thread since the last signal of its timer.  The first
 * signal stands for `ticked` instead, like first samples of perf.
 */
static int64_t used_ns(int64_t ticked)
{
	int64_t before = self.used.timed_ns;

	self.used.timed_ns = own_time();
	return before ? self.used.timed_ns - before : ticked;
}

/* The next signal of the timer stands for the time from now on. */
static void time_from_now(void)
{
	self.used.timed_ns = own_time();
	self.sampling.rest_ns = 0;
}

/*
 * A timer of 1 ms on a clock that ticks each 4 ms reports how many expirations one
 * signal stands for.  Beside a perf event, a signal stands for the kernel time since
 * the last one.  A remainder of less than a period is carried over to the next signal.
 */
static void timer_hit(const siginfo_t *info, const void *context)
{
	int64_t period = (int64_t)arena->period_ns, ns = (1 + (int64_t)info->si_overrun) * period, before = self.sampling.kernel_ns;
	uint32_t periods;

	self.sampling.perf_fd = hidden_fd_find(self.sampling.perf_fd, self.sampling.perf_id);
	if (uses_event() && event_is_dear(ns)) {
		hidden_fd_close(self.sampling.perf_fd, self.sampling.perf_id);
		self.sampling.perf_fd = -1;
		time_from_now();
		return;
	}
	if (uses_event()) {
		self.sampling.kernel_ns = kernel_time();
		self.sampling.rest_ns += self.sampling.kernel_ns - before;
	} else {
		self.sampling.rest_ns += used_ns(ns);
	}
	/* It may be negative: kernel_time reads two clocks, and a tick between the readings makes it go back. */
	if (self.sampling.rest_ns < period)
		return;
	periods = (uint32_t)(self.sampling.rest_ns / period);
	self.sampling.rest_ns -= periods * period;
	self.sampling.time = (struct sample_time){ .ns = periods * period, .kept_ns = periods * period, .periods = periods };
	sample_take(context, &self.sampling.time);
}

/* One of so many samples is kept, and stands for all of them. */
static void perf_hit(const void *context)
{
	struct sampling *s = &self.sampling;
	int64_t ns = (int64_t)s->period_ns;
	bool kept;

	if (s->rests) { /* a fork has started it */
		run_event(false);
		return;
	}
	kept = ++s->passed >= s->one_of;
	if (kept)
		s->passed = 0;
	s->time = (struct sample_time){ .ns = ns, .kept_ns = kept ? s->one_of * ns : 0, .periods = kept };
	sample_take(context, &s->time);
}

void sampler_handle(int sig, siginfo_t *info, void *context)
{
	int saved = errno;
	uint32_t number = (uint32_t)perf_info(info)->data;

	if (!arena || !self.slot)
		return;
	atomic_fetch_add_explicit(&handlers, 1, memory_order_relaxed);
	if (sig == SIGTRAP && number != SAMPLER_NUMBER) {
		if (number < SAMPLER_RAWCALL)
			breakpoint_hit(number);
		else
			rawcall_hit(number, context);
	} else if (unlikely(is_forsaken())) {
		atomic_store_explicit(&arena->clock.speedup, 0, memory_order_relaxed);
		sampler_pause(true);
	} else {
		withdraw_if_asked();
		if (has_perf)
			breakpoint_look();
		if (sig == SIGTRAP)
			perf_hit(context);
		else
			timer_hit(info, context);
		sampler_vary();
	}
	atomic_fetch_sub_explicit(&handlers, 1, memory_order_release);
	errno = saved;
}

/* ---- starting and stopping ---------------------------------------------------- */

/* The period of the samples from now on, which is up to an eighth longer or shorter than the common one. */
static void set_period(uint64_t ns)
{
	self.sampling.period_ns = ns;
	self.sampling.one_of = (uint32_t)(arena->period_ns / (uint64_t)vclock_period(&arena->clock));
}

/*
 * The first sample of a thread comes after a random part of a period, and stands for a
 * whole period, like all others.  So a thread that lives for x periods gets x samples
 * on average, however small x is.  If the first sample came after a whole period,
 * shorter threads would never be sampled.
 *
 * The event repeats this first period until a sample finds the thread outside the
 * kernel.  In some virtual machines a timer's interrupt takes longer than the 10 us
 * that the kernel allows as a period; a thread with such a period then does nothing
 * but take interrupts, for ever.  (Of 20,000 threads, two or three did.)
 */
static uint64_t first_period(void)
{
	/* One that has been running for long is on its way back into the call that it was in, which a sample would end. */
	if (self.life.adopted)
		return arena->period_ns;
	uint64_t period = (uint64_t)vclock_period(&arena->clock), first = 1 + sample_random() % period;
	uint64_t least = FIRST_LEAST_NS < period ? FIRST_LEAST_NS : period;

	return first < least ? least : first;
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
		.sig_data = (uint64_t)SAMPLER_MARK << 32 | SAMPLER_NUMBER,
	};

	return hidden_fd_open(&attr, id);
}

/* Deletes the timer of that slot, if there is one. */
static void delete_timer(const struct arena_thread *t)
{
	int timer = atomic_load_explicit(timer_of(t), memory_order_relaxed);

	if (!timer)
		return;
	/* Set first: its signal may come at any moment, and must be recognised as ours. */
	self.sampling.timer = timer - 1;
	atomic_store_explicit(timer_of(t), 0, memory_order_relaxed);
	SYS(SYS_timer_delete, timer - 1);
}

static bool run_timer(int timer, uint64_t first_ns)
{
	struct itimerspec every = { 0 };

	every.it_interval.tv_sec = (time_t)(arena->period_ns / 1000000000);
	every.it_interval.tv_nsec = (long)(arena->period_ns % 1000000000);
	every.it_value.tv_sec = (time_t)(first_ns / 1000000000);
	every.it_value.tv_nsec = (long)(first_ns % 1000000000);
	return SYS(SYS_timer_settime, timer, 0, &every, NULL) == 0;
}

static bool start_timer(struct arena_thread *t)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = timer_signal };
	int timer;

	ev._sigev_un._tid = t->tid;
	if (!timer_signal || SYS(SYS_timer_create, sees_kernel ? TICKS_CLOCK(t->tid) : USER_TICKS_CLOCK(t->tid), &ev, &timer) != 0)
		return false;
	atomic_store_explicit(timer_of(t), timer + 1, memory_order_relaxed);
	return run_timer(timer, self.life.adopted ? ADOPTED_NS : first_period());
}

void sampler_replace(uint32_t tid)
{
	uint32_t n = atomic_load_explicit(&arena->threads_used, memory_order_acquire), mine = process_number() - 1;

	if (sampler_has_withdrawn())
		return;
	for (uint32_t i = 0; i < n && i < ARENA_THREADS; i++) {
		struct arena_thread *t = reach_thread_at_hand(i);

		if (t && atomic_load_explicit(&t->state, memory_order_acquire) == SLOT_LIVE &&
		    atomic_load_explicit(&t->process, memory_order_relaxed) == mine && (uint32_t)t->tid == tid &&
		    !atomic_load_explicit(timer_of(t), memory_order_relaxed))
			start_timer(t);
	}
}

/* Should the perf event of the calling thread rest? */
static bool should_rest(void)
{
	return has_perf && event_on() && sees_kernel && atomic_load_explicit(timer_of(self.slot), memory_order_relaxed);
}

/* From now on the timer counts time in the kernel, or, if the perf event rests, all time of the calling thread. */
static void start_counting(bool rests)
{
	self.sampling.rests = rests;
	self.sampling.kernel_ns = kernel_time();
	self.judged.switches = switches();
	self.judged.ns = 0;
}

/* Opens and starts the perf event of the calling thread. */
static void start_event(uint64_t period)
{
	self.sampling.perf_fd = open_perf(period, &self.sampling.perf_id);
	self.sampling.first = true;
	run_event(true);
}

/*
 * The perf event of the calling thread rests from now on, or no longer.  A thread that began in a burst has none yet.  Not inlined,
 * for its frame's sake, as above.
 */
static __attribute__((noinline)) void rest(bool rests)
{
	start_counting(rests);
	time_from_now();
	if (self.sampling.perf_fd >= 0)
		run_event(!rests);
	else if (!rests)
		start_event((uint64_t)vclock_period(&arena->clock));
}

/*
 * A program whose work is periodic can beat with the sampler: at a ratio near 1/2, all
 * samples fall on the same two moments of its cycle.  So each thread draws a period
 * between 7/8 and 9/8 of the requested one, anew in each window.  Within a window the
 * period is constant: the samples then step through the cycle evenly, and cover it
 * better than random ones.
 */
void sampler_vary(void)
{
	uint32_t window = current_window();
	uint64_t period = (uint64_t)vclock_period(&arena->clock);

	if ((self.sampling.perf_fd >= 0 || self.sampling.rests) && self.sampling.rests != should_rest())
		rest(!self.sampling.rests);
	/* The first period of a thread was random, too; the event would repeat it. */
	if (!uses_event() || (self.sampling.period_window == window && !self.sampling.first))
		return;
	self.sampling.perf_fd = hidden_fd_find(self.sampling.perf_fd, self.sampling.perf_id);
	self.sampling.first = false;
	self.sampling.period_window = window;
	if (window)
		period += sample_random() % (period / 4 + 1) - period / 8;
	if (SYS(SYS_ioctl, self.sampling.perf_fd, PERF_EVENT_IOC_PERIOD, &period) == 0)
		set_period(period);
}

/* Starts the sampling of the calling thread. */
static bool arm(void)
{
	bool timed = (!has_perf || sees_kernel) && start_timer(self.slot);

	if (!has_perf)
		return timed;
	rawcall_watch();
	start_counting(should_rest());
	if (!self.sampling.rests)
		start_event(first_period());
	breakpoint_look();
	/* The program may have used all descriptors. */
	return self.sampling.perf_fd >= 0 || timed || start_timer(self.slot);
}

bool sampler_has_withdrawn(void)
{
	return atomic_load_explicit(&withdrawn, memory_order_relaxed);
}

bool sampler_start(void)
{
	set_period((uint64_t)vclock_period(&arena->clock));
	/* At random, so that the samples which are kept stand for the time of brief threads, too. */
	self.sampling.passed = (uint32_t)(sample_random() % self.sampling.one_of);
	self.used.timed_ns = self.sampling.rest_ns = 0;
	delete_timer(self.slot);
	self.sampling.perf_fd = -1;
	/* Before the first sample can come. */
	if (!sample_signal_in_place())
		withdraw(WITHDRAWN_HANDLER);
	withdraw_if_asked();
	if (sampler_has_withdrawn())
		return true;
	if (!sample_signal_have_room() || !arm())
		return false;
	/* Another thread may have ended all sampling in the meantime. */
	if (sampler_has_withdrawn())
		sampler_stop();
	return true;
}

void sampler_stop(void)
{
	hidden_fd_close(self.sampling.perf_fd, self.sampling.perf_id);
	self.sampling.perf_fd = -1;
	breakpoint_forget();
	rawcall_forget();
	delete_timer(self.slot);
}

static void stop_or_run(int timer, bool stop)
{
	static const struct itimerspec never;

	if (stop)
		SYS(SYS_timer_settime, timer, 0, &never, NULL);
	else
		run_timer(timer, arena->period_ns);
}

void sampler_pause(bool stop)
{
	int timer = atomic_load_explicit(timer_of(self.slot), memory_order_relaxed);

	if (!stop && (sampler_has_withdrawn() || !sample_signal_have_room()))
		return;
	hidden_fd_stop(false, stop);
	if (timer)
		stop_or_run(timer - 1, stop);
}

static void stop_or_run_all(bool stop)
{
	hidden_fd_stop(true, stop);
	for (uint32_t i = 0; i < ARENA_THREADS; i++) {
		int timer = atomic_load_explicit(&timers[i], memory_order_relaxed);

		if (timer)
			stop_or_run(timer - 1, stop);
	}
}

void sampler_withdraw(void)
{
	atomic_store_explicit(&withdrawn, true, memory_order_relaxed);
	stop_or_run_all(true);
}

void sampler_stop_all(bool stop)
{
	int64_t until = now_ns() + PATIENCE_NS;

	if (!stop && sampler_has_withdrawn())
		return;
	stop_or_run_all(stop);
	while (stop && atomic_load_explicit(&handlers, memory_order_acquire) > 0 && now_ns() < until)
		SYS(SYS_sched_yield);
}

/* No thread has a timer, and sampling has not been withdrawn from. */
static void forget_timers(uint32_t slots)
{
	for (uint32_t i = 0; i < slots && i < ARENA_THREADS; i++)
		if (atomic_load_explicit(&timers[i], memory_order_relaxed))
			atomic_store_explicit(&timers[i], 0, memory_order_relaxed);
	atomic_store_explicit(&withdrawn, false, memory_order_relaxed);
}

void sampler_forget(void)
{
	forget_timers(atomic_load_explicit(&arena->threads_used, memory_order_relaxed));
	atomic_store_explicit(&handlers, 0, memory_order_relaxed);
}

void sampler_forget_all(void)
{
	forget_timers(ARENA_THREADS);
	timer_signal = 0;
}

/*
 * A thread that spins in a pause uses processor time that must not count as the
 * program's.  Most pauses follow a sample.  If the timer ran on, a part of each period
 * would be a pause.
 */
void sampler_hold(void)
{
	if (uses_event()) {
		run_event(false);
	} else {
		self.used.hold_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	}
}

void sampler_go_on(void)
{
	static const struct timespec at_once = { 0, 0 };
	uint64_t set = timer_signal ? 1ull << (timer_signal - 1) : 0;
	siginfo_t info;

	if (uses_event()) {
		if (!sampler_has_withdrawn())
			run_event(true);
		return;
	}
	self.used.held_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - self.used.hold_ns;
	/* Discards a tick that hit the pause. */
	while (SYS(SYS_rt_sigtimedwait, &set, &info, &at_once, sizeof(set)) > 0) {
		if (!sampler_sent(timer_signal, &info)) {
			/* A signal of the program stays pending. */
			SYS(SYS_rt_tgsigqueueinfo, SYS(SYS_getpid), self.slot->tid, timer_signal, &info);
			break;
		}
	}
}

/* ---- choosing ------------------------------------------------------------------- */

static bool kernel_is_at_least(unsigned major, unsigned minor)
{
	struct utsname u;
	unsigned has_major, has_minor;

	return uname(&u) == 0 && sscanf(u.release, "%u.%u", &has_major, &has_minor) == 2 &&
	       (has_major > major || (has_major == major && has_minor >= minor));
}

/*
 * Disabling and enabling the event makes the kernel do the same work as when the thread
 * leaves a processor and returns.  The mean is used, because the cost is low whenever the
 * processor's timer happens to be due earlier.
 */
static int64_t cost_of_switch(int fd)
{
	int64_t began = now_ns();

	for (int i = 0; i < TRIALS; i++) {
		SYS(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
		SYS(SYS_ioctl, fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	return (now_ns() - began) / TRIALS;
}

/* 0, or the reason why not. */
static int try_perf(void)
{
	uint64_t id;
	int fd = open_perf(arena->period_ns, &id);

	if (fd < 0)
		return -fd;
	switch_ns = cost_of_switch(fd);
	hidden_fd_close(fd, id);
	/* Since 5.18 a blocked SIGTRAP of perf waits; before, the kernel kills the process. */
	return kernel_is_at_least(5, 18) && sample_signal_take(SIGTRAP) ? 0 : ENOSYS;
}

/* A seccomp filter may forbid the call. */
static bool has_timer(void)
{
	struct sigevent ev = { .sigev_notify = SIGEV_NONE };
	int timer;

	if (SYS(SYS_timer_create, CLOCK_MONOTONIC, &ev, &timer) != 0)
		return false;
	SYS(SYS_timer_delete, timer);
	return true;
}

void sampler_init(void)
{
	int err;

	if (has_timer() && sample_signal_take(ATTACH_TIMER_SIGNAL))
		timer_signal = ATTACH_TIMER_SIGNAL;
#if defined(__x86_64__)
	/* CONFIG_POSIX_CPU_TIMERS_TASK_WORK, which this architecture has since then. */
	sees_kernel = timer_signal && kernel_is_at_least(5, 11);
#endif
	atomic_store_explicit(&arena->kernel_sampled, sees_kernel, memory_order_relaxed);
	err = arena->want_sampler == SAMPLER_TIMER ? 0 : try_perf();
	has_perf = arena->want_sampler != SAMPLER_TIMER && err == 0;
	atomic_store_explicit(&arena->sampler_errno, err, memory_order_relaxed);
	if (has_perf)
		atomic_store_explicit(&arena->sampler, SAMPLER_PERF, memory_order_release);
	else if (timer_signal)
		atomic_store_explicit(&arena->sampler, SAMPLER_TIMER, memory_order_release);
	if (has_perf && arena->want_breaks)
		breakpoint_measure();
	if (has_perf)
		rawcall_init();
	/* From here on the recorder checks whether the handlers are still ours. */
	atomic_store_explicit(&process->signals, sample_signal_word(), memory_order_release);
}
