/*
 * wait: calls that can block, and the credit of a blocked thread.
 *
 * A wait for another thread of the recording ends by a release of that thread.  The
 * acquire rule (lib/vclock) sets the clock of the waiting thread.  It is not credited:
 * a wait does no work of the region.
 *
 * A wait for the outside (a device, time, a process without the runtime) does not
 * depend on another clock.  It takes real time, which is also its length in virtual
 * time.  So
 *
 *   - the thread still owes what was credited to others during the wait;
 *   - if the wait is in the region, it is credited s times its length.  The others must
 *     pause during the wait, not after it: otherwise a thread that polls for the
 *     waiter's result sees it from its virtual future.  So a wait that is expected to be
 *     long is published (struct arena_wait), and the conductor raises G as time passes
 *     (lib/recorder/wait_credit.c), by
 *         G = max(G, base + s * (now - since)),      base = min(D, G) at the start
 *     This needs no lock, since doing it twice does no harm.  The thread takes its
 *     credit when it wakes.  The length of a sleep is known in advance: G is raised a
 *     little early, so that all threads have paid when it ends.
 *
 * Waits are sampled once for each period of waiting, at the place of the wait.  The
 * remainder is carried over, so that waits and work have the same rate of samples.
 *
 * Most calls that can wait do not.  They are over after some hundred nanoseconds, and
 * programs make a million of them a second.  Such a call is work of the kernel for the
 * code that called: its samples are those of processor time, and it is no event.
 */
#include "event_log.h"
#include "offcpu.h"
#include "pay.h"
#include "process.h"
#include "sample.h"
#include "stack.h"
#include "sync.h"
#include "wait.h"
#include "yield.h"

enum {
	LONG_NS = 50 * 1000, /* waits at least as long as this are credited exactly; shorter ones by their samples */
	ALWAYS = 1 << 16,    /* all calls wait; see struct arena_site */
	CALL_NS = 2 * 1000,  /* in less, no thread gives its processor away and has it again: the call did not wait */
};

/* ---- the expected length -------------------------------------------------- */

static struct arena_site *site_of(struct arena_thread *t, const void *site)
{
	uint64_t key = (uintptr_t)site;

	return &t->site[key * 0x9e3779b97f4a7c15u >> 40 & (ARENA_SITES - 1)];
}

static int64_t expected_ns(struct arena_thread *t, const void *site)
{
	const struct arena_site *s = site_of(t, site);

	return s->key == (uintptr_t)site ? s->mean_ns : 0;
}

/* Do calls at that site mostly not wait, as far as is known? */
static bool mostly_works(struct arena_thread *t, const void *site)
{
	const struct arena_site *s = site_of(t, site);

	return s->key != (uintptr_t)site || s->waits < ALWAYS / 2;
}

/* Learns from a call.  One that a sample has hit tells nothing: it is taken for one like the others. */
static void learn_call(const struct wait *w, bool waited, int64_t ns)
{
	struct arena_site *s = site_of(w->t, w->site);

	if (sample_hit_wait())
		return;
	if (s->key != (uintptr_t)w->site) {
		w->t->has_sites = 1;
		s->key = (uintptr_t)w->site;
		s->mean_ns = ns;
		s->waits = waited ? ALWAYS : 0;
	} else {
		s->mean_ns += (ns - s->mean_ns) / 8;
		s->waits += ((waited ? ALWAYS : 0) - s->waits) / 8;
	}
}

/* ---- the region ------------------------------------------------------------------- */

/* Walks the stack of the calling thread, from the wrapper that called us outwards. */
static __attribute__((noinline)) void look_at_stack(struct stack *s, uint32_t class)
{
	struct unwind_cursor c;

	UNWIND_HERE(&c, self.stack.lo, self.stack.hi);
	stack_walk_wait(s, &c, class);
}

/* From now on the conductor may credit the wait. */
static void publish(struct wait *w, int64_t ns, uint32_t speedup)
{
	struct arena_wait *a = &w->t->wait;
	struct stack stack;

	look_at_stack(&stack, w->class);
	w->hit = stack.weight && speedup != 0;
	a->outside = w->outside;
	a->at.nframes = stack.n;
	a->at.hit = w->hit;
	a->weight = stack.weight;
	a->at.class = (uint16_t)w->class;
	for (uint32_t i = 0; i < stack.n; i++)
		a->at.place[i] = stack.place[i];
	atomic_store_explicit(&a->base, w->began.base_ns, memory_order_relaxed);
	atomic_store_explicit(&a->until, ns == WAIT_UNKNOWN ? INT64_MAX : w->began.since_ns + ns, memory_order_relaxed);
	/* Pairs with the acquire of the conductor. */
	atomic_store_explicit(&a->since, w->began.since_ns, memory_order_release);
	atomic_store_explicit(&arena->waits[thread_number(w->t) - 1], 1, memory_order_relaxed);
	if (w->hit && !atomic_load_explicit(&arena->ticking, memory_order_relaxed))
		process_news();
	if (w->hit && ns != WAIT_UNKNOWN)
		vclock_raise(&arena->clock,
			     w->began.base_ns + vclock_share(ns < ARENA_AHEAD_NS ? ns : ARENA_AHEAD_NS, stack.weight, speedup));
}

void wait_begin(struct wait *w, enum arena_class class, const void *site, bool outside, int64_t ns)
{
	wait_begin_releasing(w, class, site, outside, ns, 0);
}

static void set_kind(struct wait *w, enum arena_class class, const void *site, bool outside)
{
	w->site = site;
	w->class = class;
	w->outside = outside;
	w->brief = w->any = w->by_clock = w->hit = false;
	w->told = w->asked = false;
	w->extended_ns = 0;
	yield_no_more();
	w->before = self.waiting;
}

/*
 * Last before the call.  Calls of other classes may wait by spinning.  Work of the kernel that
 * is not sampled is better taken for a wait: waits are.
 */
static void watch_switches(struct wait *w)
{
	w->told = w->class == CLASS_IO && atomic_load_explicit(&arena->kernel_sampled, memory_order_relaxed) && switched_watch();
}

void wait_begin_releasing(struct wait *w, enum arena_class class, const void *site, bool outside, int64_t ns, uint64_t key)
{
	struct vclock_moment begin;
	struct arena_thread *t;
	uint32_t speedup;

	w->t = NULL;
	if (!wait_is_watched())
		return;
	w->t = t = self.slot;
	set_kind(w, class, site, outside);
	runtime_enter();
	speedup = window_speedup();
	if (speedup)
		offcpu_look();
	begin = moment_now();
	vclock_end_segment(&self.clock, begin.ns);
	if (key && speedup) {
		pay_and_release(key);
		begin = moment_now();
	} else if (speedup) {
		pay_forgive_queued();
	}
	vclock_wait_begin(&self.clock, &w->began, begin);
	if (event_on()) {
		event_queued(t, w->began.since_ns);
		if (key)
			event_note(t, BURST_RELEASE, w->began.since_ns, 0, key, 0, site);
	}
	if (outside && (ns == WAIT_UNKNOWN ? expected_ns(t, site) : ns) >= LONG_NS)
		publish(w, ns, speedup);
	w->looked_ns = offcpu_pass(); /* also in case the wait is left by a jump out of a handler, and never ends */
	self.in_wait = (struct in_wait){ 0 };
	self.waiting = (uintptr_t)w;
	runtime_leave();
	watch_switches(w);
}

static bool has_release_noted(const struct wait *w, uint64_t key)
{
	return key && w->t && w->t == self.slot && event_on();
}

void wait_released_nothing(const struct wait *w, uint64_t key)
{
	if (!has_release_noted(w, key))
		return;
	runtime_enter();
	event_withdraw_release(w->t, w->began.since_ns, key);
	runtime_leave();
}

void wait_released_into(const struct wait *w, uint64_t key, uint64_t room)
{
	if (!has_release_noted(w, key))
		return;
	runtime_enter();
	event_release_took(w->t, w->began.since_ns, key, room, w->site);
	runtime_leave();
}

bool wait_begin_brief(struct wait *w, enum arena_class class, const void *site)
{
	const struct arena_site *s;

	w->t = NULL;
	w->brief = false;
	if (!wait_is_watched())
		return true;
	s = site_of(self.slot, site);
	if (s->key != (uintptr_t)site || s->mean_ns >= CALL_NS)
		return false;
	w->t = self.slot;
	set_kind(w, class, site, true);
	w->brief = true;
	w->began.since_ns = now_ns();
	self.in_wait = (struct in_wait){ 0 };
	self.waiting = (uintptr_t)w;
	watch_switches(w);
	return true;
}

/* What wait_begin would have done then, except that the conductor does not know of the wait. */
static void begin_late(struct wait *w)
{
	struct vclock_moment begin = moment_at(w->began.since_ns);

	runtime_enter();
	w->brief = false;
	vclock_end_segment(&self.clock, begin.ns);
	if (window_speedup())
		pay_forgive_queued();
	vclock_wait_begin(&self.clock, &w->began, begin);
	if (event_on())
		event_queued(w->t, begin.ns);
	w->looked_ns = offcpu_pass();
	runtime_leave();
}

/* The kernel has worked for the code that called.  A sample of that counts. */
static void end_brief(struct wait *w)
{
	if (unlikely(sample_hit_wait())) {
		runtime_enter();
		sample_was_work(w->t);
		runtime_leave();
	}
	self.waiting = w->before;
}

bool wait_was_brief(struct wait *w)
{
	if (!w->brief || w->t != self.slot)
		return true;
	if (wait_has_not_blocked(w) || (!w->told && !sample_hit_wait() && now_ns() - w->began.since_ns < CALL_NS)) {
		end_brief(w);
		return true;
	}
	begin_late(w);
	return false;
}

/* ---- the end ------------------------------------------------------------------------ */

/*
 * Has the call not waited, now that it is over?  Then a byte was there, or could be written, and
 * the kernel has worked for the code that called.  A sample makes the call longer (by 20 to 60 us
 * in a virtual machine), and looks like a switch.  So a call that was hit is taken for one like most before.
 */
static bool was_work(struct wait *w, int64_t now)
{
	int64_t length = now - w->began.since_ns;

	if (w->hit || w->extended_ns)
		return false;
	if (wait_has_not_blocked(w))
		return true;
	return length < CALL_NS || (sample_hit_wait() && length < (int64_t)arena->period_ns && mostly_works(w->t, w->site));
}

/*
 * Samples for a wait of so many ns.  A wait of less than a period gets one sample, or
 * none.
 */
static void sample_wait(struct wait *w, uint32_t class, int64_t ns, int64_t now, struct stack *stack, bool *looked)
{
	int64_t period = (int64_t)arena->period_ns, n;

	self.residue_ns[class] += ns;
	n = self.residue_ns[class] / period;
	if (n == 0)
		return;
	self.residue_ns[class] -= n * period;
	look_at_stack(stack, class);
	*looked = true;
	if (event_on() && class != CLASS_LOCK)
		event_note(w->t, BURST_WAITING, now, n * period, atomic_load_explicit(&w->t->ring_head, memory_order_relaxed), 0, w->site);
	sample_keep(w->t, stack, class, n < INT32_MAX ? (uint32_t)n : INT32_MAX);
}

/* The common part of all functions that end a wait.  The clock is up to date. */
static void finish_wait(struct wait *w, uint32_t class, bool may_credit, int64_t now)
{
	struct arena_thread *t = w->t;
	int64_t length = now - w->began.since_ns - w->extended_ns;
	uint32_t speedup = window_speedup();
	struct stack stack;
	bool looked = false;

	if (w->worked) {
		sample_was_work(t);
		learn_call(w, false, w->told ? 0 : length);
		return;
	}
	learn_call(w, true, length);
	counter_add(&t->waited_ns[class], (uint64_t)length);
	sample_wait(w, class, length, now, &stack, &looked);
	if (speedup && may_credit) {
		if (length >= LONG_NS) {
			/* The stack is the same as at the beginning of the wait, but the region may be another. */
			if (!looked)
				look_at_stack(&stack, class);
			if (stack.weight)
				vclock_wait_credit(&self.clock, &w->began, stack.weight, now);
		} else if (looked && stack.weight) {
			vclock_credit(&self.clock, vclock_share((int64_t)arena->period_ns, stack.weight, speedup));
		}
	}
}

/* False: there is nothing to account for.  Sets *now to the end of the wait. */
static bool end_wait(struct wait *w, int64_t *now)
{
	/* A signal handler may have forked during the wait, and returned in the child. */
	if (!w->t || w->t != self.slot || !arena)
		return false;
	runtime_enter();
	if (w->outside) {
		atomic_store_explicit(&arena->waits[thread_number(w->t) - 1], 0, memory_order_relaxed);
		atomic_store_explicit(&w->t->wait.since, 0, memory_order_release);
	}
	offcpu_pass();
	vclock_delay(&self.clock); /* the floor, if the window has changed */
	*now = now_ns();
	w->worked = was_work(w, *now);
	return true;
}

/* After end_wait, so that it is known when a later call has not waited.  Not after a yield, by which no thread gives up its processor. */
static void count_switches(const struct wait *w)
{
	if (!w->worked && !w->asked && wait_is_accounted())
		switched_by_itself();
}

static void go_on(struct wait *w)
{
	int64_t now;

	if (window_speedup()) {
		now = now_ns();
		vclock_skip(&self.clock, now - w->began.since_ns);
		vclock_begin_segment(&self.clock, w->site, now);
		vclock_keep_processor(&self.clock, moment_at(now));
		/* To look is a system call, and takes as long as most calls that do not wait. */
		if (w->worked && w->looked_ns)
			offcpu_go_on(w->looked_ns);
		else
			offcpu_begin();
	}
	self.waiting = w->before;
	runtime_leave();
}

/* In a burst. */
static void note_end(struct wait *w, enum burst_kind kind, uint64_t a, uint64_t b, int64_t now)
{
	event_note(w->t, kind | (w->any ? BURST_ANY : 0), now, w->worked ? 0 : now - w->began.since_ns, a, b, w->site);
	if (!w->worked)
		event_ran(now);
}

static void end_by_peer(struct wait *w, uint64_t a, uint64_t b, bool shares)
{
	struct vclock_wait began;
	bool waited = true;
	int64_t now;

	if (!end_wait(w, &now))
		return;
	count_switches(w);
	began = w->began;
	/* A call that did not wait has got what was there, also if it came while the thread was preempted in it. */
	if (w->worked)
		began.since_ns = now;
	if (event_on())
		note_end(w, b ? BURST_WAIT : BURST_ACQUIRE, a, b, now);
	if (window_speedup()) {
		waited = shares ? vclock_wait_to_share(&self.clock, &began, a, moment_now()) :
				  vclock_wait_by_peer(&self.clock, &began, a, b, moment_now());
		/* A thread that lets another one go on may be preempted by it inside the call. */
		if (!waited)
			vclock_was_ready(&self.clock, w->began.since_ns, moment_now());
	}
	/*
	 * A wait for a peer is not credited, unless waiting itself is the region.  A call
	 * that did not have to wait is work of the kernel: it copies bytes that were in a
	 * pipe.
	 */
	if (waited || now - w->began.since_ns >= LONG_NS)
		finish_wait(w, CLASS_LOCK, class_is_wanted(CLASS_LOCK), now);
	else
		finish_wait(w, w->class, true, now);
	go_on(w);
}

void wait_by_peer(struct wait *w, uint64_t key)
{
	end_by_peer(w, key, 0, false);
}

void wait_to_share(struct wait *w, uint64_t key)
{
	end_by_peer(w, key, 0, true);
}

void wait_by_peer2(struct wait *w, uint64_t a, uint64_t b)
{
	end_by_peer(w, a, b, false);
}

/* Some thread has perhaps ended the wait; nothing is known of it. */
static void account_yield(struct wait *w, int64_t now)
{
	if (event_on()) {
		event_poll(w->t, now, now - w->began.since_ns, w->site);
		event_ran(now);
	}
	if (window_speedup())
		vclock_wait_by_unknown(&self.clock, &w->began, now);
	finish_wait(w, CLASS_LOCK, class_is_wanted(CLASS_LOCK), now);
}

void wait_yielded(struct wait *w)
{
	int64_t now;

	if (!end_wait(w, &now))
		return;
	w->worked = false;
	account_yield(w, now);
	go_on(w);
}

void wait_yielded_again(int64_t since_ns, const void *site)
{
	struct wait w = { .t = self.slot, .site = site, .class = CLASS_LOCK };
	int64_t now;

	runtime_enter();
	w.began = vclock_wait_since(&self.clock, since_ns);
	offcpu_pass();
	now = now_ns();
	account_yield(&w, now);
	if (window_speedup()) {
		vclock_skip(&self.clock, now - since_ns);
		vclock_keep_processor(&self.clock, moment_at(now));
	}
	runtime_leave();
}

/* In a burst. */
static void note_outside(struct wait *w, uint64_t asked, int64_t now)
{
	if (asked)
		note_end(w, BURST_ANSWERED, asked, 0, now);
	else if (w->by_clock || w->class == CLASS_LOCK)
		note_end(w, w->by_clock ? BURST_CLOCK : BURST_TIMEOUT, 0, 0, now);
	else
		event_outside(w->t, (w->class == CLASS_SLEEP ? BURST_SLEEP : BURST_OUTSIDE) | (w->any ? BURST_ANY : 0), now,
			      now - w->began.since_ns, w->site);
}

/* asked: see wait_answered; 0: that is not known. */
static void end_outside(struct wait *w, uint64_t asked)
{
	int64_t now;

	if (!end_wait(w, &now))
		return;
	count_switches(w);
	if (w->by_clock && !asked)
		counter_add(&w->t->absolute_ns, (uint64_t)(now - w->began.since_ns));
	/* A call that has not waited is no event: neither another thread nor replay could see it.  Except: it would wait if it came sooner. */
	if (event_on() && (asked || !w->worked))
		note_outside(w, asked, now);
	/* A wait in the region is shorter by its credit. */
	if (asked && window_speedup() && !w->hit)
		vclock_wait_answered(&self.clock, &w->began, asked, now);
	/* A wait for a lock that no thread has ended is a sleep. */
	finish_wait(w, w->class == CLASS_LOCK ? (uint32_t)CLASS_SLEEP : w->class, true, now);
	if (window_speedup())
		pay(VCLOCK_LEAST_DEBT_NS, w->worked ? PAUSE_BUSY : PAUSE_ASLEEP);
	go_on(w);
}

void wait_outside(struct wait *w)
{
	end_outside(w, 0);
}

void wait_answered(struct wait *w, uint64_t asked)
{
	end_outside(w, asked);
}

void wait_none(struct wait *w)
{
	int64_t now;

	if (end_wait(w, &now))
		go_on(w);
}

bool wait_once_more(struct wait *w, struct timespec *until, int64_t *ns)
{
	if (!w->t || !window_speedup())
		return false;
	runtime_enter();
	*ns = vclock_debt(&self.clock);
	runtime_leave();
	if (*ns < VCLOCK_LEAST_DEBT_NS)
		return false;
	w->again_ns = now_ns();
	*until = timespec_of(w->again_ns + *ns);
	return true;
}

void wait_extended(struct wait *w)
{
	int64_t ns = now_ns() - w->again_ns;

	runtime_enter();
	vclock_set_delay(&self.clock, vclock_delay(&self.clock) + ns);
	runtime_leave();
	w->extended_ns += ns;
}

void wait_stranger(struct wait *w)
{
	if (w->t)
		counter_add(&w->t->stranger_ns, (uint64_t)(now_ns() - w->began.since_ns));
	wait_outside(w);
}
