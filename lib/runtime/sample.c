/*
 * sample: what becomes of a period of CPU time that a thread has used.
 *
 * In the handler of the sampler's signal (sampler.c), on the thread that it hit:
 * whose code runs, is that in the region, what is it credited, and what does the
 * thread owe?
 */
#include "runtime.h"

enum { FOREVER = 50 }; /* samples in a row */

/* ---- the handler -------------------------------------------------------------- */

uint64_t sample_random(void)
{
	/* xorshift64: period 2^64 - 1, never 0 */
	self.random ^= self.random << 13;
	self.random ^= self.random >> 7;
	self.random ^= self.random << 17;
	return self.random;
}

void sample_keep(struct arena_thread *t, const struct stack *stack, uint32_t class, uint32_t weight)
{
	uint32_t head = atomic_load_explicit(&t->ring_head, memory_order_relaxed);
	/* Pairs with the conductor's release: it has read what is overwritten here. */
	uint32_t tail = atomic_load_explicit(&t->ring_tail, memory_order_acquire);
	struct arena_sample *s = &t->ring[head % ARENA_RING];

	if (head - tail >= ARENA_RING) {
		counter_add(&t->lost, weight);
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

/* How long the thread has been without a processor; keeps samples of that, as hits when it is `wanted` (sped up). */
static int64_t queued_ns(struct arena_thread *t, struct stack *stack, bool wanted)
{
	int64_t queued = offcpu_sample(), n, period = (int64_t)arena->clock.period_ns;
	bool hit = stack->hit;

	if (queued <= 0)
		return 0;
	self.residue_ns[CLASS_RUNQUEUE] += queued;
	n = self.residue_ns[CLASS_RUNQUEUE] / period;
	if (n > 0) {
		self.residue_ns[CLASS_RUNQUEUE] -= n * period;
		stack->hit = wanted;
		sample_keep(t, stack, CLASS_RUNQUEUE, (uint32_t)n);
		stack->hit = hit;
	}
	return queued;
}

/*
 * A handler of the program's that interrupted the runtime and left by a jump has
 * left it busy for ever.  Nobody else is found so, time and again.
 */
static void look_for_jumps(void)
{
	if (likely(!self.busy)) {
		self.found_busy = 0;
	} else if (++self.found_busy > FOREVER) {
		self.found_busy = 0;
		self.busy = 0;
	}
}

/*
 * In a burst: the sample is the next to be kept.  One that hits the runtime itself must
 * not interrupt what that notes.  A thread that has noted nothing yet has no log: to
 * map one takes more of a stack than a handler may.
 */
static __attribute__((noinline)) void note_event(struct arena_thread *t, int64_t ns)
{
	int64_t now;

	if (!event_on() || self.busy || !event_has_log(t))
		return;
	now = now_ns();
	event_queued(t, now);
	event_note(t, BURST_SAMPLE, now, ns, atomic_load_explicit(&t->ring_head, memory_order_relaxed), 0, NULL);
}

void credit_deferred(void)
{
	int64_t deferred = self.deferred_ns;

	if (unlikely(deferred)) {
		/* A sample between these two lines adds to deferred_ns and is not lost. */
		self.deferred_ns -= deferred;
		vclock_credit_work(&self.clock, deferred);
	}
}

/* The stack that the handler looks at.  Not on its own stack, which may be small; no signal interrupts the handler. */
static TLS struct stack sampled;

/* Returns where the stack ended.  Not inlined: its frame would be on the stack of a handler in which the rest is done. */
static __attribute__((noinline)) uintptr_t walk_interrupted(const void *context)
{
	struct unwind_cursor at;
	uintptr_t sp;

	unwind_begin(&at, context, self.stack_lo, self.stack_hi);
	sp = at.sp;
	stack_walk(&sampled, &at);
	return sp;
}

void sample_take(const void *context, uint32_t periods, int64_t ns)
{
	struct arena_thread *t = self.slot;
	struct stack *stack = &sampled;
	uint32_t speedup;
	uintptr_t sp = walk_interrupted(context);
	bool waits = false;
	bool wanted = class_is_wanted(CLASS_RUNQUEUE);
	int64_t queued;

	/*
	 * One that waits, spinning, does not do what it waits for.  The call is deeper
	 * in the stack than its struct wait; where it is not, a jump has left the call.
	 */
	if (self.waiting && sp < self.waiting) {
		stack->hit = false;
		stack->weight = 0;
		waits = true;
	} else if (self.waiting) {
		self.waiting = 0;
		atomic_store_explicit(&t->wait.since, 0, memory_order_relaxed);
	}
	look_for_jumps();
	counter_add(&t->samples, periods);
	counter_add(&t->sampled_ns, (uint64_t)ns);
	if (stack->hit)
		counter_add(&t->hits, periods);
	/* That time is told of as one of waiting when the wait is over (wait.c). */
	if (!waits) {
		counter_add(&t->worked_ns, (uint64_t)ns);
		note_event(t, ns);
		sample_keep(t, stack, CLASS_CPU, periods);
	}

	speedup = window_speedup();
	queued = queued_ns(t, stack, wanted);
	if (speedup && now_ns() > atomic_load_explicit(&arena->expires_ns, memory_order_relaxed)) {
		/* The conductor is gone: nobody will ever end this window. */
		atomic_store_explicit(&arena->clock.speedup, 0, memory_order_relaxed);
		speedup = 0;
	}
	if (speedup && self.busy) {
		/* Interrupted in the runtime itself: it takes the credit when it leaves. */
		self.deferred_ns += vclock_lump(ns, stack->weight, speedup);
	} else if (speedup) {
		int64_t more = self.deferred_ns;

		if (wanted)
			more += vclock_lump(queued, arena_weight(arena, true, false), speedup);
		self.deferred_ns = 0;
		vclock_sampled(&self.clock, ns, stack->weight, more, now_ns());
		/* A thread that waits pays when it goes on, if it must: a pause now would only make it late. */
		if (!waits)
			pay(0, PAUSE_BUSY);
		vclock_keep_processor(&self.clock, moment_now());
	}
}
