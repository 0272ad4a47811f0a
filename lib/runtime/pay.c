/*
 * pay: pauses, by which a thread pays what it owes; see lib/vclock.
 *
 * A running thread pauses by spinning on its processor: in virtual time it has not left the
 * processor, so neither queued threads nor the scheduler may see it free.  (If it slept, its
 * wake-ups would disturb other threads by more than the pause: by 6 % of the time of two
 * threads that alternate beside it.)  After a wait for the outside, a thread pays its debt
 * asleep, as if the wait were longer.
 *
 * Context: any; between runtime_enter and runtime_leave, or in the handler.
 */
#include <sys/prctl.h>

#include "moment.h"
#include "offcpu.h"
#include "pay.h"
#include "sampler.h"
#include "sys.h"
#include "thread.h"

enum {
	SLEEP_MARGIN_NS = 60 * 1000,      /* a sleep ends at most this much early; the rest is spun */
	SLEEP_WORTHWHILE_NS = 40 * 1000,  /* below this a sleep costs more than it yields the processor for */
	MOST_ROUNDS = 16,                 /* rounds of paying: at a speedup of 75 %, all but 1 % of the first debt is then paid */
	SLEEP_SLICE_NS = 5 * 1000 * 1000, /* how often a sleeper checks whether its window is still on */
	STAND_NS = 20 * 1000,             /* how often a spinning thread notes at its processor that its clock stands */
};

static void sleep_until(int64_t end)
{
	struct timespec at = timespec_of(end);

	SYS(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	/* One switch more.  To ask for it, as switched_by_itself does, takes more of the stack than a handler may use. */
	self.gave_up++;
}

/*
 * How much earlier a sleep is to end: the average by which recent sleeps were overslept
 * (2 us on a quiet machine, 20 in a virtual one), so that little is left to spin.
 */
static int64_t margin(void)
{
	return self.latency_ns < SLEEP_MARGIN_NS ? self.latency_ns : SLEEP_MARGIN_NS;
}

static int64_t sleep_some(int64_t now, int64_t ns)
{
	int64_t woken;

	sleep_until(now + ns);
	woken = now_ns();
	/* A signal may end the sleep early; a single very long one changes the average little. */
	if (woken > now + ns && woken < now + ns + 2 * SLEEP_MARGIN_NS)
		self.latency_ns += (woken - (now + ns) - self.latency_ns) / 8;
	return woken;
}

static bool window_is_over(void)
{
	return current_window() != atomic_load_explicit(&self.clock.account->window, memory_order_relaxed);
}

/*
 * Blocks signals during the pause: a signal handler of the program could leave the
 * pause by a jump, or do work during it.  (Not possible under a seccomp filter that
 * forbids the call.)
 */
static bool block_signals(uint64_t *before)
{
	static const uint64_t all = ~0ull;

	return SYS(SYS_rt_sigprocmask, SIG_SETMASK, &all, before, sizeof(all)) == 0;
}

static void unblock_signals(const uint64_t *before)
{
	SYS(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof(*before));
}

/* The clock of the thread stands at `virt` during the pause. */
static void spin_until(int64_t end, int64_t virt)
{
	int64_t now = now_ns(), noted = now;

	while (now < end && !window_is_over()) {
		if (now - noted >= STAND_NS) {
			vclock_stand(&self.clock, virt, moment_at(now));
			noted = now;
		}
#if defined(__x86_64__)
		__builtin_ia32_pause();
#endif
		now = now_ns();
	}
}

static void nap_until(int64_t end)
{
	/* With the default timer slack, each sleep would last 50 us too long.  The program's setting is restored. */
	long slack = SYS(SYS_prctl, PR_GET_TIMERSLACK);
	int64_t now = now_ns();

	SYS(SYS_prctl, PR_SET_TIMERSLACK, 1);
	while (now < end - margin() && !window_is_over()) {
		int64_t slice = end - margin() - now;

		now = sleep_some(now, slice < SLEEP_SLICE_NS ? slice : SLEEP_SLICE_NS);
	}
	if (slack > 0)
		SYS(SYS_prctl, PR_SET_TIMERSLACK, slack);
}

/* Waits for `ns`; returns how long it really took.  Ends early when the window ends. */
static __attribute__((noinline)) int64_t pause_for(int64_t ns, enum pause how)
{
	struct vclock_moment start = moment_now();
	int64_t virt = vclock_time(&self.clock, start.ns);
	uint64_t mask;
	bool blocked = block_signals(&mask), held = blocked && how == PAUSE_BUSY;

	if (how == PAUSE_ASLEEP)
		vclock_leave_processor(&self.clock, start);
	else
		vclock_stand(&self.clock, virt, start);
	if (held)
		sampler_hold();
	if (how == PAUSE_ASLEEP && ns >= SLEEP_WORTHWHILE_NS)
		nap_until(start.ns + ns);
	spin_until(start.ns + ns, virt);
	if (held)
		sampler_go_on();
	if (blocked)
		unblock_signals(&mask);
	return now_ns() - start.ns;
}

static int64_t debt_of(bool before_lock)
{
	return before_lock && vclock_looks_ahead(&self.clock) ? vclock_debt_before_lock(&self.clock, now_ns()) : vclock_debt(&self.clock);
}

/*
 * The debt of the thread if it is at_least ns, else 0.  Credits of others while the thread had
 * no processor are not part of it.
 */
static int64_t debt_due(int64_t at_least, bool before_lock)
{
	int64_t debt = debt_of(before_lock);

	if (debt <= 0 || debt < at_least)
		return 0;
	if (offcpu_look())
		debt = debt_of(before_lock);
	return debt < at_least || debt < 0 ? 0 : debt;
}

/*
 * While a thread pauses, others are credited, and it owes that too: at a speedup of s,
 * s times the last pause.  So it pays in rounds.  Otherwise a thread that spins on a
 * flag until this one has paid would see the flag too early, by all the credit for its
 * spinning.
 */
static void pay_all(int64_t at_least, bool before_lock, enum pause how)
{
	int64_t debt;

	for (int round = 0; round < MOST_ROUNDS && (debt = debt_due(at_least, before_lock)) > 0; round++) {
		int64_t paused = pause_for(debt, how);

		vclock_paused(&self.clock, debt, paused, how == PAUSE_BUSY, moment_now());
		offcpu_begin();
		counter_add(&self.slot->paused_ns, (uint64_t)paused);
		at_least = VCLOCK_LEAST_DEBT_NS;
	}
}

void pay(int64_t at_least, enum pause how)
{
	pay_all(at_least, false, how);
}

void pay_before_lock(void)
{
	pay_all(VCLOCK_LEAST_DEBT_NS, true, PAUSE_BUSY);
}

bool pay_is_due_before_lock(void)
{
	return debt_of(true) >= VCLOCK_LEAST_DEBT_NS;
}

void pay_forgive_queued(void)
{
	if (debt_of(false) >= VCLOCK_LEAST_DEBT_NS)
		offcpu_look();
}
