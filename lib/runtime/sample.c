/*
 * sample: accounts for a period of processor time of a thread.
 *
 * It runs in the handler of the sampling signal (sampler.c), in the interrupted thread.
 * It finds the code that runs, and whether that is in the region; then it credits the
 * thread, and makes it pay its debt.
 */
#include "event_log.h"
#include "moment.h"
#include "offcpu.h"
#include "pay.h"
#include "sample.h"
#include "stack.h"
#include "thread.h"
#include "yield.h"

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
	/* Pairs with the conductor's release: it has read the sample that is overwritten here. */
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

/*
 * Takes samples of the time without a processor; they are hits when this class is `wanted`
 * (the region).  Returns that time.
 */
static int64_t queued_ns(struct arena_thread *t, struct stack *stack, bool wanted)
{
	int64_t queued = offcpu_sample(), n, period = (int64_t)arena->period_ns;
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
 * If a handler of the program interrupts the runtime and leaves by a jump, `busy` stays
 * set for ever.  In no other case do consecutive samples find it set so often.
 */
static void look_for_jumps(void)
{
	if (likely(!runtime_is_inside())) {
		self.found_busy = 0;
	} else if (++self.found_busy > FOREVER) {
		self.found_busy = 0;
		self.busy &= ~(RUNTIME_HUSHED - 1);
	}
}

/*
 * In a burst: notes the sample that is kept next.  Not in the runtime, because the sample
 * may have interrupted the writing of the log.  A thread without a log notes nothing:
 * mapping one takes more stack than a handler may use.
 */
static __attribute__((noinline)) void note_event(struct arena_thread *t, int64_t ns)
{
	int64_t now;

	if (!event_on() || !event_has_log(t))
		return;
	now = now_ns();
	event_queued(t, now);
	event_note(t, BURST_SAMPLE, now, ns, atomic_load_explicit(&t->ring_head, memory_order_relaxed), 0, NULL);
}

/*
 * The result of the handler's last stack walk.  Not on the stack, which may be small.  One
 * for each thread is enough, because no signal interrupts the handler.  sample_was_work reads
 * it later.  In one of ten thousand calls that were hit, the next sample has overwritten it by then.
 */
static TLS struct stack sampled;

/* Inlined, or the handler would have one frame more. */
static inline __attribute__((always_inline)) void keep_work(struct arena_thread *t, const struct sample_time *time)
{
	counter_add(&t->worked_ns, (uint64_t)time->ns);
	if (!time->periods)
		return;
	if (sampled.hit)
		counter_add(&t->hits, time->periods);
	note_event(t, time->kept_ns);
	sample_keep(t, &sampled, CLASS_CPU, time->periods);
}

/* Returns the depth of the stack.  Not inlined, so that its frame is gone when the handler does the rest. */
static __attribute__((noinline)) uintptr_t walk_interrupted(const void *context)
{
	struct unwind_cursor at;
	uintptr_t sp;

	unwind_begin(&at, context, self.stack.lo, self.stack.hi);
	sp = at.sp;
	stack_walk(&sampled, &at);
	return sp;
}

bool sample_hit_wait(void)
{
	return self.in_wait.time.ns > 0;
}

void sample_was_work(struct arena_thread *t)
{
	const struct in_wait in = self.in_wait;

	if (!in.time.ns)
		return;
	keep_work(t, &in.time);
	if (window_speedup())
		vclock_credit_work(&self.clock, vclock_lump(in.time.ns, in.weight, window_speedup()));
}

enum whose { PROGRAMS, WAITS, OURS };

/* Whose time does the sample stand for?  sp: the depth of the interrupted stack. */
static enum whose whose_time(struct arena_thread *t, uintptr_t sp)
{
	/*
	 * A thread that spins in a wait does no work of the region.  While it waits,
	 * its stack pointer is below its struct wait; if not, the call was left by a
	 * jump.
	 */
	if (self.waiting && sp >= self.waiting) {
		self.waiting = 0;
		atomic_store_explicit(&t->wait.since, 0, memory_order_relaxed);
		/* A library is hushed only in a wait. */
		runtime_unhush_all();
	}
	look_for_jumps();
	/* The time of the runtime is none of the program's: no code of the program could save it. */
	if (runtime_is_inside() || sampled.in_runtime)
		return OURS;
	return self.waiting ? WAITS : PROGRAMS;
}

/* Only time of the program has a weight. */
static void count_sample(struct arena_thread *t, uintptr_t sp, const struct sample_time *time)
{
	enum whose whose = whose_time(t, sp);

	counter_add(&t->samples, time->periods);
	counter_add(&t->sampled_ns, (uint64_t)time->ns);
	if (whose == PROGRAMS) {
		keep_work(t, time);
		return;
	}
	if (whose == OURS) {
		counter_add(&t->own_ns, (uint64_t)time->ns);
	} else {
		self.in_wait.time.periods += time->periods;
		self.in_wait.time.kept_ns += time->kept_ns;
		self.in_wait.time.ns += time->ns;
		self.in_wait.weight = sampled.weight;
	}
	sampled.weight = 0;
}

void sample_take(const void *context, const struct sample_time *time)
{
	struct arena_thread *t = self.slot;
	uintptr_t sp = walk_interrupted(context);
	bool wanted = class_is_wanted(CLASS_RUNQUEUE);
	uint32_t speedup;
	int64_t queued;

	if (yield_is_over())
		yield_no_more();
	count_sample(t, sp, time);
	speedup = window_speedup();
	queued = queued_ns(t, &sampled, wanted);
	if (speedup && !arena_is_conducted(arena, now_ns())) {
		/* The conductor is dead, and will not end this window. */
		atomic_store_explicit(&arena->clock.speedup, 0, memory_order_relaxed);
		speedup = 0;
	}
	/* A clock has one user at a time: a sample that has interrupted the runtime leaves it alone. */
	if (speedup && !self.busy) {
		int64_t more = wanted ? vclock_lump(queued, arena_weight(arena, true, false), speedup) : 0;

		vclock_sampled(&self.clock, time->ns, sampled.weight, more, now_ns());
		/* A waiting thread pays after the wait, if it owes anything: a pause now could only delay it. */
		if (!self.waiting)
			pay(0, PAUSE_BUSY);
		vclock_keep_processor(&self.clock, moment_now());
	}
}
