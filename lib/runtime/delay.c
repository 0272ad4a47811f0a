/*
 * delay: virtual clocks.
 *
 * Code cannot be made faster, but all else can be made slower.  While region R
 * is "sped up by s", a period that a thread spends in R is credited with s
 * times its length, and every other thread must lose as much.
 *
 * Thread i has a delay account D_i: the time it has paused plus the time it has
 * been credited.  Its virtual clock is V_i = wall - D_i.  G is the delay that
 * every thread owes by now.  One principle decides everything below: a thread
 * may not see an effect from its virtual future.
 *
 *   credit   A sample of period p in R: c = s * p; G = max(G, min(D_i, G) + c);
 *            D_i += c.  The min keeps what a thread has overslept (D_i > G)
 *            from making the others sleep too.
 *   pay      A thread with D_i < G pauses, and D_i grows by the real length of
 *            the pause: what it oversleeps is prepaid.  A thread that runs pauses
 *            on its processor, spinning: in virtual time it has not left it, and
 *            neither those who queue for it nor the scheduler are to see it free.
 *            (Asleep, its wake-ups disturb the others by more than the pause: 6 %
 *            of the time of two threads that alternate beside it.)  What it owes
 *            when a wait for the outside is over is more of that wait: it sleeps.
 *            Before a lock it also pays what others have earned, and are credited
 *            later (earner.c).
 *   release  Before a thread may let another one go on, it pays, and leaves its
 *            virtual time V_i at the object.  (Who has a lock paid before it took
 *            that: while it pauses, others would have to wait that need not.)
 *   acquire  A thread that goes on because of another does so no earlier, in
 *            virtual time, than the release:
 *                V_j = max(V_j as it began to wait, V_i + time since the release)
 *            and the pause that the releaser made already is not owed again.
 *            Even when it need not wait in real time: its credit may have
 *            brought it here before, in virtual time, the release took place.
 *
 * The last rule is stronger than the one of Coz (forgive what the waker paid):
 * beyond the knee of a barrier or a lock, where a credit buys nothing, it takes
 * back the part of the credit that the thread could not have used.
 *
 * With each window all accounts begin anew (D_i is set to the floor, G as the
 * window began): neither debts nor what was prepaid leaks from one to the next,
 * and no herd of threads pauses at the switch.
 *
 * All functions: context any; the caller holds self.busy or is the handler, so
 * that delay_ns has one writer.
 */
#include <sys/prctl.h>

#include "runtime.h"

enum {
	SLEEP_MARGIN_NS = 60 * 1000,      /* a sleep ends at most this much early; the rest is spun */
	SLEEP_WORTHWHILE_NS = 40 * 1000,  /* below this a sleep costs more than it yields the processor for */
	MOST_ROUNDS = 16,                 /* of paying: at 75 % all but 1 % of what was owed first is paid by then */
	SLEEP_SLICE_NS = 5 * 1000 * 1000, /* after which a sleeper looks whether its window is still on */
	PREEMPTED_NS = 50 * 1000,         /* who spins for so much longer than it wanted to was not running */
	PASSING_BY_NS = 500 * 1000,       /* at a lock: see sync_take */
	GATHERED_NS = 30 * 1000,          /* of credits, before all others are to know */
	STAND_NS = 20 * 1000,             /* how often who spins notes at its processor that its clock stands */
};

int64_t delay_of(struct arena_thread *t)
{
	uint32_t window = window_number(atomic_load_explicit(&arena->window, memory_order_acquire));
	int64_t d = atomic_load_explicit(&t->delay_ns, memory_order_relaxed);

	if (unlikely(atomic_load_explicit(&t->window, memory_order_relaxed) != window)) {
		d = atomic_load_explicit(&arena->floor_ns, memory_order_relaxed);
		atomic_store_explicit(&t->delay_ns, d, memory_order_relaxed);
		atomic_store_explicit(&t->window, window, memory_order_relaxed);
		self.gathered_ns = 0;
	}
	return d;
}

void delay_set(struct arena_thread *t, int64_t d)
{
	atomic_store_explicit(&t->delay_ns, d, memory_order_relaxed);
}

void delay_credit_from(struct arena_thread *t, int64_t ns, int64_t g)
{
	arena_raise_delay(arena, g);
	delay_set(t, delay_of(t) + ns);
}

void delay_credit(struct arena_thread *t, int64_t ns)
{
	int64_t d = delay_of(t);
	int64_t g = atomic_load_explicit(&arena->delay_ns, memory_order_relaxed);

	delay_credit_from(t, ns, (d < g ? d : g) + ns);
}

/*
 * Small ones are gathered before G is raised: it is read at each lock, and threads that
 * are credited hundreds of times in a millisecond would take its cache line from each
 * other all the time, which they do not in baselines.
 */
void delay_credit_work(struct arena_thread *t, int64_t ns)
{
	int64_t d = delay_of(t), before = self.gathered_ns;

	counter_add(&t->credit_ns, (uint64_t)ns);
	self.gathered_ns += ns;
	if (self.gathered_ns < GATHERED_NS) {
		delay_set(t, d + ns);
		return;
	}
	self.gathered_ns = 0;
	delay_set(t, d - before);
	delay_credit(t, before + ns);
}

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

static bool window_is_over(const struct arena_thread *t)
{
	return current_window() != atomic_load_explicit(&t->window, memory_order_relaxed);
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
static void spin_until(const struct arena_thread *t, int64_t end, int64_t virt)
{
	int64_t now = now_ns(), noted = now;

	while (now < end && !window_is_over(t)) {
		if (now - noted >= STAND_NS) {
			processor_stand(virt, now);
			noted = now;
		}
#if defined(__x86_64__)
		__builtin_ia32_pause();
#endif
		now = now_ns();
	}
}

static void nap_until(const struct arena_thread *t, int64_t end)
{
	/* The default slack of 50 us would be overslept each time; the program's own setting comes back. */
	long slack = SYS(SYS_prctl, PR_GET_TIMERSLACK);
	int64_t now = now_ns();

	SYS(SYS_prctl, PR_SET_TIMERSLACK, 1);
	while (now < end - margin() && !window_is_over(t)) {
		int64_t slice = end - margin() - now;

		now = sleep_some(now, slice < SLEEP_SLICE_NS ? slice : SLEEP_SLICE_NS);
	}
	if (slack > 0)
		SYS(SYS_prctl, PR_SET_TIMERSLACK, slack);
}

/* Lets `ns` pass; returns how much really did.  Ends early when the window does. */
static int64_t pause_for(struct arena_thread *t, int64_t ns, enum pause how)
{
	int64_t start = now_ns();
	uint64_t mask;
	bool blocked = block_signals(&mask), held = blocked && how == PAUSE_BUSY;

	if (how == PAUSE_ASLEEP)
		processor_leave(t);
	else
		processor_stand(start - delay_of(t), start);
	if (held)
		sampler_hold();
	if (how == PAUSE_ASLEEP && ns >= SLEEP_WORTHWHILE_NS)
		nap_until(t, start + ns);
	spin_until(t, start + ns, start - delay_of(t));
	if (held)
		sampler_go_on();
	if (blocked)
		unblock_signals(&mask);
	return now_ns() - start;
}

int64_t delay_debt(struct arena_thread *t)
{
	int64_t d = delay_of(t), g = atomic_load_explicit(&arena->delay_ns, memory_order_relaxed);

	return (self.before_lock ? earner_owed(t, g) : g) - d;
}

/* What the thread has to pay if it is at_least ns, else 0.  What others were credited while it had no processor is none of that. */
static int64_t due(struct arena_thread *t, int64_t at_least)
{
	int64_t debt = delay_debt(t);

	if (debt <= 0 || debt < at_least)
		return 0;
	processor_look(t);
	debt = delay_debt(t);
	return debt < at_least || debt < 0 ? 0 : debt;
}

void delay_forgive(struct arena_thread *t)
{
	due(t, RELEASE_DEBT_NS);
}

void delay_pay(struct arena_thread *t, int64_t at_least, enum pause how)
{
	int64_t debt;

	/*
	 * What is credited to others while it pauses it owes too: at a speedup of s, s
	 * times as much in each round.  Who spins on a flag until we have paid would
	 * else see it too early, by all that its spinning was credited.
	 */
	for (int round = 0; round < MOST_ROUNDS && (debt = due(t, at_least)) > 0; round++) {
		int64_t paused = pause_for(t, debt, how);

		if (paused - debt >= PREEMPTED_NS && (how == PAUSE_BUSY || processor_is_anothers())) {
			/* It had to give its processor away, or found another one there: the rest of the time it was in a queue. */
			delay_set(t, delay_of(t) + debt);
			segment_skip(paused);
			processor_regained(t, paused - debt);
		} else {
			delay_set(t, delay_of(t) + paused);
			segment_skip(paused);
		}
		processor_mark(t);
		counter_add(&t->paused_ns, (uint64_t)paused);
		at_least = RELEASE_DEBT_NS;
	}
}

/* ---- sync objects ----------------------------------------------------------- */

/*
 * A direct-mapped table.  Two objects in one place overwrite each other; the
 * tag tells, and the loser is treated as an object without history.  The fields
 * of a place are stored one by one: a reader between two stores sees the two
 * releases mixed, which are microseconds apart.
 */
static struct arena_object *object_of(uint64_t key, uint64_t *tag)
{
	uint64_t window = current_window();

	*tag = (key ^ window * 0x9e3779b97f4a7c15u) | 1;
	return &arena->object[key >> 40 & (ARENA_OBJECTS - 1)];
}

/*
 * Is what the object knows the calling thread's own?  Its clock goes back by what it is
 * credited afterwards for work of before; its own release is not to take that from it.
 */
static bool is_own(const struct arena_thread *t, uint64_t key)
{
	uint64_t tag;
	const struct arena_object *o = object_of(key, &tag);

	return atomic_load_explicit(&o->tag, memory_order_relaxed) == tag &&
	       atomic_load_explicit(&o->by, memory_order_relaxed) == thread_number(t);
}

void sync_took(uint64_t key, int64_t now)
{
	self.took_key = key;
	self.took_ns = now;
}

/* How long the calling thread has had the lock. */
static uint32_t held_ns(uint64_t key, int64_t now)
{
	int64_t held = now - self.took_ns;

	return self.took_key == key && held < UINT32_MAX ? (uint32_t)held : UINT32_MAX;
}

void sync_leave(struct arena_thread *t, uint64_t key, int64_t now)
{
	uint64_t tag;
	struct arena_object *o = object_of(key, &tag);
	int64_t virt = now - delay_of(t);
	uint32_t by = thread_number(t);

	/* Several may release one object (arrive at a barrier): who goes on waits for the latest of them. */
	if (atomic_load_explicit(&o->tag, memory_order_relaxed) == tag && !is_own(t, key)) {
		int64_t other = atomic_load_explicit(&o->virt_ns, memory_order_relaxed);

		if (virt < other) {
			virt = other;
			by = atomic_load_explicit(&o->by, memory_order_relaxed);
		}
	}
	atomic_store_explicit(&o->by, by, memory_order_relaxed);
	atomic_store_explicit(&o->held_ns, held_ns(key, now), memory_order_relaxed);
	atomic_store_explicit(&o->virt_ns, virt, memory_order_relaxed);
	atomic_store_explicit(&o->real_ns, now, memory_order_relaxed);
	/* Pairs with the acquire in sync_seen: who sees the tag sees this window's numbers. */
	atomic_store_explicit(&o->tag, tag, memory_order_release);
}

int64_t sync_release(struct arena_thread *t, uint64_t key)
{
	int64_t now;

	delay_pay(t, RELEASE_DEBT_NS, PAUSE_BUSY);
	now = now_ns();
	sync_leave(t, key, now);
	return now;
}

static bool sync_seen(uint64_t key, int64_t *virt, int64_t *when)
{
	uint64_t tag;
	struct arena_object *o = object_of(key, &tag);

	if (atomic_load_explicit(&o->tag, memory_order_acquire) != tag)
		return false;
	*virt = atomic_load_explicit(&o->virt_ns, memory_order_relaxed);
	*when = atomic_load_explicit(&o->real_ns, memory_order_relaxed);
	return true;
}

/* The thread, which need not wait, is no earlier than virt, unless that is its own. */
static void not_before(struct arena_thread *t, uint64_t key, int64_t virt, int64_t now)
{
	if (now - delay_of(t) < virt && !is_own(t, key))
		delay_set(t, now - virt);
}

static bool go_on(struct arena_thread *t, uint64_t key, bool known, int64_t virt, int64_t when, int64_t blocked_at, int64_t blocked_delay)
{
	int64_t d = delay_of(t), now = now_ns();
	/* What was released before the wait began was not waited for. */
	bool waited = blocked_at && (!known || when >= blocked_at);

	if (waited) {
		int64_t began = atomic_load_explicit(&arena->began_ns, memory_order_relaxed);
		int64_t g = atomic_load_explicit(&arena->delay_ns, memory_order_relaxed);
		/* A wait that began in another window begins again with this one, on the floor of its debts. */
		int64_t earliest = blocked_at > began ? blocked_at - blocked_delay : began - d;

		/* Without a history, the releaser is taken to have paid all that was owed. */
		int64_t v = known ? processor_bound(virt + (now - when), virt, when, now) : now - g;

		delay_set(t, now - (v > earliest ? v : earliest));
	} else if (known) {
		not_before(t, key, virt, now);
	}
	return waited;
}

bool sync_acquire(struct arena_thread *t, uint64_t key, int64_t blocked_at, int64_t blocked_delay)
{
	int64_t virt = 0, when = 0;
	bool known = sync_seen(key, &virt, &when);

	return go_on(t, key, known, virt, when, blocked_at, blocked_delay);
}

bool sync_acquire2(struct arena_thread *t, uint64_t a, uint64_t b, int64_t blocked_at, int64_t blocked_delay)
{
	int64_t va = 0, ta = 0, vb = 0, tb = 0;
	bool ka = sync_seen(a, &va, &ta), kb = sync_seen(b, &vb, &tb);

	if (ka && (!kb || ta >= tb))
		return go_on(t, a, true, va, ta, blocked_at, blocked_delay);
	return go_on(t, b, kb, vb, tb, blocked_at, blocked_delay);
}

/*
 * A lock says that two did something one after the other, not that one went on because
 * of the other.  A thread that is done with a free lock before another one takes it, in
 * virtual time, though in real time that has been there already, would not have waited:
 * where many put things into a queue, that would take back a quarter of all credits.
 * But when the threads at a queue come apart, as one has become the faster one, it would
 * have had to wait in the end.
 */
void sync_take(struct arena_thread *t, uint64_t key, int64_t now)
{
	uint64_t tag;
	int64_t virt, when, held, ahead;

	if (sync_seen(key, &virt, &when)) {
		held = atomic_load_explicit(&object_of(key, &tag)->held_ns, memory_order_relaxed);
		ahead = virt - (now - delay_of(t));
		not_before(t, key, ahead >= 2 * held ? virt - PASSING_BY_NS : virt, now);
	}
	sync_took(key, now);
}

int64_t sync_released_at(uint64_t key)
{
	int64_t virt, when;

	return sync_seen(key, &virt, &when) ? when : 0;
}
