/*
 * vclock: applies the rules (see vclock.h) to the clock of a thread, for each of its
 * events.
 *
 * A thread calls these in this order:
 *
 *   a sample         vclock_sampled, pay, vclock_keep_processor
 *   lets another go  vclock_settle, pay, vclock_release, vclock_begin_segment, vclock_keep_processor
 *   unlocks          the same without paying
 *   takes a lock     pay before it; then vclock_settle, vclock_lock, and so on
 *   acquires         vclock_settle, vclock_acquire, and so on
 *   sets a timer     as it lets another go; then vclock_set_timer tells for how long
 *   waits            vclock_end_segment, (pay, vclock_release,) vclock_wait_begin; the wait; its end; vclock_begin_segment
 *   is born          vclock_be_born, in place of vclock_begin_segment
 *
 * The end of a wait depends on what has ended it:
 *
 *   another thread   vclock_wait_by_peer; and vclock_was_ready, if it has not ended it
 *   unknown          vclock_wait_by_unknown
 *   the outside      (vclock_wait_answered, if it is known what for,) vclock_wait_credit, pay
 *
 * "Pay" is a loop: while vclock_debt returns a debt, pause for it, and call vclock_paused.
 * Before each of these calls, a thread for which vclock_was_displaced is true calls
 * vclock_regain.
 */
#include "vclock/parts.h"

enum {
	PREEMPTED_NS = 50 * 1000, /* a thread whose pause was so much longer than planned was not running */
};

void vclock_be_born(struct vclock *c, uint64_t routine, uint64_t arg, int64_t now)
{
	segment_be_born(c, routine, arg, now);
}

/* ---- credit ------------------------------------------------------------------------- */

void vclock_sampled(struct vclock *c, int64_t period, uint32_t weight, int64_t more, int64_t now)
{
	vclock_credit_work(c, segment_sample(c, period, weight, now) + more);
}

bool vclock_settle(struct vclock *c, int64_t now)
{
	bool goes_on = c->segment.fine && c->segment.of;

	if (vclock_speedup(c->world)) {
		c->segment.ends++;
		vclock_credit_work(c, goes_on ? segment_so_far(c, now) : segment_end(c, now));
	}
	return goes_on;
}

void vclock_end_segment(struct vclock *c, int64_t now)
{
	if (vclock_speedup(c->world)) {
		c->segment.ends++;
		vclock_credit_work(c, segment_end(c, now));
	}
	c->segment.of = NULL;
}

void vclock_begin_segment(struct vclock *c, const void *site, int64_t now)
{
	segment_begin(c, site, now);
}

/* ---- pay ---------------------------------------------------------------------------- */

int64_t vclock_debt(struct vclock *c)
{
	int64_t d = vclock_delay(c);

	return vclock_owed(c->world) - d;
}

bool vclock_looks_ahead(const struct vclock *c)
{
	return !c->segment.fine && vclock_speedup(c->world) != 0;
}

int64_t vclock_debt_before_lock(struct vclock *c, int64_t now)
{
	int64_t d = vclock_delay(c), g = vclock_owed(c->world);

	return (vclock_looks_ahead(c) ? earner_owed(c, g, now) : g) - d;
}

void vclock_paused(struct vclock *c, int64_t wanted, int64_t paused, bool busy, struct vclock_moment m)
{
	/*
	 * The thread was preempted in its pause, or woke up on a busy processor.  It spent
	 * the rest of the time in a queue.
	 */
	bool queued = paused - wanted >= PREEMPTED_NS && (busy || vclock_was_displaced(c, m.processor));

	vclock_set_delay(c, vclock_delay(c) + (queued ? wanted : paused));
	vclock_skip(c, paused);
	if (queued)
		vclock_regain(c, paused - wanted, true, m);
}

/* ---- waits -------------------------------------------------------------------------- */

struct vclock_wait vclock_wait_since(struct vclock *c, int64_t since_ns)
{
	int64_t d = vclock_delay(c), g = vclock_owed(c->world);

	return (struct vclock_wait){
		.since_ns = since_ns,
		.delay_ns = d,
		.base_ns = d < g ? d : g,
		.window = atomic_load_explicit(&c->account->window, memory_order_relaxed),
	};
}

void vclock_wait_begin(struct vclock *c, struct vclock_wait *w, struct vclock_moment m)
{
	*w = vclock_wait_since(c, m.ns);
	if (vclock_speedup(c->world))
		vclock_leave_processor(c, m);
}

int64_t vclock_share(int64_t ns, uint32_t weight, uint32_t speedup)
{
	return (int64_t)((double)ns * weight / 65536 * speedup / 65536);
}

void vclock_wait_credit(struct vclock *c, const struct vclock_wait *w, uint32_t weight, int64_t now)
{
	/* The whole wait, or the part of it since the window began. */
	bool same = w->window == atomic_load_explicit(&c->account->window, memory_order_relaxed);
	int64_t since = same ? w->since_ns : atomic_load_explicit(&c->world->began_ns, memory_order_relaxed);
	int64_t base = same ? w->base_ns : atomic_load_explicit(&c->world->floor_ns, memory_order_relaxed);
	int64_t ns = vclock_share(now > since ? now - since : 0, weight, vclock_speedup(c->world));

	vclock_credit_up_to(c, ns, base + ns);
}
