/*
 * pay: pauses, by which a thread pays what it owes; see lib/vclock.
 *
 * A thread that runs pauses on its processor, spinning: in virtual time it has not left
 * that, and neither those who queue for it nor the scheduler are to see it free.  (Asleep,
 * its wake-ups disturb the others by more than the pause: 6 % of the time of two threads
 * that alternate beside it.)  What a thread owes when a wait for the outside is over is more
 * of that wait: it sleeps.
 *
 * Context: any; between runtime_enter and runtime_leave, or in the handler.
 */
#include <sys/prctl.h>

#include "runtime.h"

enum {
	SLEEP_MARGIN_NS = 60 * 1000,      /* a sleep ends at most this much early; the rest is spun */
	SLEEP_WORTHWHILE_NS = 40 * 1000,  /* below this a sleep costs more than it yields the processor for */
	MOST_ROUNDS = 16,                 /* of paying: at 75 % all but 1 % of what was owed first is paid by then */
	SLEEP_SLICE_NS = 5 * 1000 * 1000, /* after which a sleeper looks whether its window is still on */
	STAND_NS = 20 * 1000,             /* how often a thread that spins notes at its processor that its clock stands */
};

static void sleep_until(int64_t end)
{
	struct timespec at = { .tv_sec = end / 1000000000, .tv_nsec = end % 1000000000 };

	SYS(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/*
 * How much earlier than wanted a sleep is to end: what recent ones were overslept
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
	/* A signal may end it early; a wild oversleep moves the average little. */
	if (woken > now + ns && woken < now + ns + 2 * SLEEP_MARGIN_NS)
		self.latency_ns += (woken - (now + ns) - self.latency_ns) / 8;
	return woken;
}

static bool window_is_over(void)
{
	return current_window() != atomic_load_explicit(&self.clock.account->window, memory_order_relaxed);
}

/*
 * A signal handler of the program's could leave us by a jump, or go on with what is
 * not its turn; it waits.  (Under a filter that forbids this it does not.)
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

/* The clock of the thread stands meanwhile, at `virt`. */
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
	/* The default slack of 50 us would be overslept each time; the program's own setting comes back. */
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

/* Lets `ns` pass; returns how much really did.  Ends early when the window does. */
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
 * What the thread has to pay if it is at_least ns, else 0.  What others were credited while it
 * had no processor is none of that.
 */
static int64_t due(int64_t at_least, bool before_lock)
{
	int64_t debt = debt_of(before_lock);

	if (debt <= 0 || debt < at_least)
		return 0;
	if (offcpu_look())
		debt = debt_of(before_lock);
	return debt < at_least || debt < 0 ? 0 : debt;
}

/*
 * What is credited to others while it pauses it owes too: at a speedup of s, s times as
 * much in each round.  A thread that spins on a flag until this one has paid would else
 * see it too early, by all that its spinning was credited.
 */
static void pay_all(int64_t at_least, bool before_lock, enum pause how)
{
	int64_t debt;

	for (int round = 0; round < MOST_ROUNDS && (debt = due(at_least, before_lock)) > 0; round++) {
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

void pay_not(void)
{
	due(VCLOCK_LEAST_DEBT_NS, false);
}
