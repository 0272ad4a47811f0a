/*
 * earner: what threads have earned in the middle of a segment.
 *
 * A thread is credited at a sample, or when its segment ends.  Until then G lags behind
 * what it has earned.  Another thread that takes a lock meanwhile would pay too little
 * before that, and would have the lock too late in virtual time.  Then the acquire rule
 * would take back what the earner is credited.  So a thread publishes here what it earns,
 * and a thread that is about to take a lock reads it.  Of two unlike threads at one lock
 * (t/workload/unlike), experiments said 1 to 2 and 6 to 10 points, where 7.9 and 20.4 are
 * right.  With this they say 6 to 10 and 20 to 22.
 *
 * The other thread may stop earning at once.  Then too much was paid, and is prepaid.
 *
 * A thread reads this before it takes a lock, and at no other time.  When it also did so
 * before each release, the spinning of t/workload/spinflag was predicted at -4 points,
 * where 0 is right.
 *
 * A thread in a fine segment meets others hundreds of times in a period.  It is credited
 * each time, so it has nothing to publish.  It does not read this, either: doing so took
 * 2 points from the gain of t/workload/locks.
 */
#include "vclock/parts.h"

/* Two threads may have one place: the last one to write is seen, the other is not. */
static struct vclock_earner *place_of(const struct vclock *c)
{
	return &c->world->earner[c->number % VCLOCK_EARNERS];
}

static void say_nothing(struct vclock *c)
{
	struct vclock_earner *e = place_of(c);

	if (c->earns && atomic_load_explicit(&e->by, memory_order_relaxed) == c->number)
		atomic_store_explicit(&e->rate, 0, memory_order_relaxed);
	c->earns = false;
}

void earner_tell(struct vclock *c, int64_t expected, uint32_t rate, struct vclock_moment m)
{
	struct vclock_earner *e = place_of(c);
	int64_t d, g;

	if (rate == 0 || c->segment.fine) {
		say_nothing(c);
		return;
	}
	c->earns = true;
	d = vclock_delay(c);
	g = vclock_owed(c->world);
	atomic_store_explicit(&e->by, c->number, memory_order_relaxed);
	atomic_store_explicit(&e->on, m.processor, memory_order_relaxed);
	atomic_store_explicit(&e->rate, rate, memory_order_relaxed);
	atomic_store_explicit(&e->owed_ns, (d < g ? d : g) + expected, memory_order_relaxed);
	atomic_store_explicit(&e->real_ns, m.ns, memory_order_relaxed);
	/* Pairs with the acquire in owed_to. */
	atomic_store_explicit(&e->window, vclock_window(c->world), memory_order_release);
}

/*
 * The value of G if that earner were credited now; 0 if it earns nothing.  A thread that has
 * lost its processor earns nothing.  (When it did, stages of a pipeline that share two
 * processors were worth 14 to 22 points instead of 25.)  A thread that has no sample for a
 * period has lost it, too.
 */
static int64_t owed_to(const struct vclock *c, const struct vclock_earner *e, int64_t now)
{
	const struct vclock_world *w = c->world;
	uint32_t rate, by;
	int64_t ran, period = vclock_period(w);

	if (atomic_load_explicit(&e->window, memory_order_acquire) != vclock_window(w))
		return 0;
	rate = atomic_load_explicit(&e->rate, memory_order_relaxed);
	by = atomic_load_explicit(&e->by, memory_order_relaxed);
	if (rate == 0 || by == c->number || !processor_is_of(w, atomic_load_explicit(&e->on, memory_order_relaxed), by))
		return 0;
	ran = now - atomic_load_explicit(&e->real_ns, memory_order_relaxed);
	ran = ran < 0 ? 0 : ran > period ? period : ran;
	return atomic_load_explicit(&e->owed_ns, memory_order_relaxed) + (ran * rate >> 16);
}

int64_t earner_owed(const struct vclock *c, int64_t g, int64_t now)
{
	for (unsigned i = 0; i < VCLOCK_EARNERS; i++) {
		int64_t owed = owed_to(c, &c->world->earner[i], now);

		if (owed > g)
			g = owed;
	}
	return g;
}
