/*
 * processor: the acquire rule for processors, when there are more threads than those.
 *
 * The object is the processor.  A runnable thread that had to wait until another one
 * left the processor goes on because of that one.  So it does not owe again what the
 * other thread was credited in that time.
 *
 *     V = max(V as it became ready, V of the processor)
 *
 * This also covers locks without wrappers: where the holder and the thread that wants the
 * lock are on one processor, the latter finds the lock free.
 *
 * A thread that leaves a processor to wait notes its clock there.  A thread that is
 * preempted cannot.  So each thread notes its clock at each event, together with the rate
 * of its credit from then on.  From both follows its clock at the moment of the
 * preemption.
 *
 * A processor has a clock of its own.  It advances with the thread that is running, and is
 * mostly equal to that thread's clock.  A thread that takes the processor from another one
 * may be earlier in virtual time: then the other one would have had to wait for it, and is
 * that much later now.  Or it is later: then the other one would have run on until then.
 * In both cases the clock of the processor continues from its last value.  A thread there
 * loses the time that the others ran, whatever their clocks are.
 */
#include "vclock/parts.h"

/* ---- the clock of a processor ------------------------------------------------------- */

/* A copy of a struct vclock_processor, field by field.  It may mix two notes, which are microseconds apart. */
struct left {
	int64_t virt_ns, real_ns;
	uint32_t by, rate;
	bool to_wait, under;
};

/* False: no thread has noted its clock there since then. */
static bool was_left(const struct vclock_world *w, uint32_t processor, int64_t since, struct left *l)
{
	const struct vclock_processor *p = &w->processor[processor % VCLOCK_PROCESSORS];

	if (atomic_load_explicit(&p->window, memory_order_acquire) != vclock_window(w))
		return false;
	l->by = atomic_load_explicit(&p->by, memory_order_relaxed);
	l->to_wait = atomic_load_explicit(&p->left, memory_order_relaxed);
	l->rate = atomic_load_explicit(&p->rate, memory_order_relaxed);
	l->virt_ns = atomic_load_explicit(&p->virt_ns, memory_order_relaxed);
	l->under = atomic_load_explicit(&p->under, memory_order_relaxed);
	l->real_ns = atomic_load_explicit(&p->real_ns, memory_order_relaxed);
	return l->real_ns >= since;
}

/*
 * Its clock at the present time, if it was left at `when`. If the thread that left it had
 * run on for more than a period, it would have noted its clock again.
 */
static int64_t clock_of(const struct vclock_world *w, const struct left *l, int64_t when, int64_t now)
{
	int64_t ran = when - l->real_ns, period = vclock_period(w);

	if (ran > period)
		ran = period;
	return l->virt_ns + (now - l->real_ns) - (ran > 0 ? ran * l->rate >> 16 : 0);
}

/* ---- a thread that leaves it ------------------------------------------------------- */

/* Notes whether the thread has taken the processor from another one, and by how much the processor's clock is ahead of its own. */
static void take_over(struct vclock *c, int64_t virt, struct vclock_moment m)
{
	struct left l;
	bool known = was_left(c->world, m.processor, m.ns - 2 * vclock_period(c->world), &l);

	if (known && l.by == c->number)
		return;
	c->note.under = known && (!l.to_wait || l.under);
	c->note.behind_ns = c->note.under ? clock_of(c->world, &l, m.ns, m.ns) - virt : 0;
}

static void write_note(struct vclock *c, int64_t virt, uint32_t rate, bool to_wait, struct vclock_moment m)
{
	struct vclock_processor *p = &c->world->processor[m.processor % VCLOCK_PROCESSORS];

	c->note.when_ns = m.ns;
	atomic_store_explicit(&p->by, c->number, memory_order_relaxed);
	atomic_store_explicit(&p->left, to_wait, memory_order_relaxed);
	atomic_store_explicit(&p->under, c->note.under, memory_order_relaxed);
	atomic_store_explicit(&p->rate, rate, memory_order_relaxed);
	atomic_store_explicit(&p->virt_ns, virt + c->note.behind_ns, memory_order_relaxed);
	atomic_store_explicit(&p->real_ns, m.ns, memory_order_relaxed);
	/* Pairs with the acquire in was_left. */
	atomic_store_explicit(&p->window, vclock_window(c->world), memory_order_release);
}

static void note_clock(struct vclock *c, int64_t virt, uint32_t rate, bool to_wait, struct vclock_moment m)
{
	take_over(c, virt, m);
	write_note(c, virt, rate, to_wait, m);
}

/* Notes the thread's clock: with the credit that it still expects, and the rate of the credit to come. */
static void note_expected(struct vclock *c, bool goes_on, struct vclock_moment m)
{
	uint32_t rate;
	int64_t virt = vclock_time(c, m.ns), expected = segment_expected(c, m.ns, goes_on, &rate);

	earner_tell(c, expected, rate, m);
	note_clock(c, virt - expected, rate, !goes_on, m);
}

void vclock_leave_processor(struct vclock *c, struct vclock_moment m)
{
	note_expected(c, false, m);
}

void vclock_keep_processor(struct vclock *c, struct vclock_moment m)
{
	note_expected(c, true, m);
}

void vclock_stand(struct vclock *c, int64_t virt, struct vclock_moment m)
{
	note_clock(c, virt, 0, false, m);
}

/* ---- a thread that gets it --------------------------------------------------------- */

/* The later of the two clocks, as of now, but not later than v. */
static int64_t later_of(int64_t v, int64_t ready_virt, int64_t left_virt)
{
	int64_t later = left_virt > ready_virt ? left_virt : ready_virt;

	return later < v ? later : v;
}

int64_t processor_bound(const struct vclock *c, int64_t v, int64_t ready_virt, int64_t ready_ns, struct vclock_moment m)
{
	struct left l;

	return m.ns - ready_ns >= VCLOCK_AT_ONCE_NS && was_left(c->world, m.processor, ready_ns, &l)
		       ? later_of(v, ready_virt, clock_of(c->world, &l, m.ns, m.ns)) : v;
}

/*
 * When did the thread get its processor back?  Not before it had been off it for so
 * long, and not before the other thread noted that it was running, but not long after
 * that.  Kernels mostly preempt at an interrupt of the sampler; then the sample is the
 * first event of the thread when it is back.
 */
static int64_t back_at(const struct vclock *c, const struct left *l, int64_t queued, bool just_now, int64_t now)
{
	int64_t period = vclock_period(c->world), latest = now;
	int64_t earliest = c->note.when_ns + queued > l->real_ns ? c->note.when_ns + queued : l->real_ns;

	if (l->to_wait)
		return earliest < now ? earliest : now;
	if (just_now)
		return now;
	if (latest > l->real_ns + period)
		latest = l->real_ns + period;
	return earliest < latest ? earliest + (latest - earliest) / 2 : latest;
}

/* Credits the thread for all its work up to the time at which it became ready. */
static void set_clock(struct vclock *c, int64_t queued, const struct left *l, bool just_now, struct vclock_moment m)
{
	int64_t back = back_at(c, l, queued, just_now, m.ns);
	int64_t early = segment_interrupted(c, back - queued, queued), virt = vclock_time(c, m.ns) - early;

	virt = later_of(virt, virt - queued, clock_of(c->world, l, back, m.ns));
	vclock_set_delay(c, m.ns - virt - early);
	account_count(c->account, early);
	vclock_credit(c, early);
	c->note.behind_ns = 0;
	c->note.under = false;
	write_note(c, virt, 0, false, m);
}

/* Has another thread used the processor since the calling thread noted its clock there? */
static bool was_anothers(const struct vclock *c, uint32_t processor, struct left *l)
{
	return was_left(c->world, processor, c->note.when_ns, l) && l->by != c->number;
}

bool vclock_was_displaced(const struct vclock *c, uint32_t processor)
{
	struct left l;

	return was_anothers(c, processor, &l);
}

/* Is the region the class `runqueue`?  Then time in the queue is credited, and the rules of this file do not apply. */
static bool is_sped_up(const struct vclock *c)
{
	return atomic_load_explicit(&c->world->queueing, memory_order_relaxed) != 0;
}

void vclock_regain(struct vclock *c, int64_t ns, bool just_now, struct vclock_moment m)
{
	struct left l;

	if (ns >= VCLOCK_AT_ONCE_NS && was_anothers(c, m.processor, &l) && !is_sped_up(c))
		set_clock(c, ns, &l, just_now, m);
}

void vclock_was_ready(struct vclock *c, int64_t since, struct vclock_moment m)
{
	int64_t v = vclock_time(c, m.ns), ready = vclock_time(c, since);

	if (!is_sped_up(c))
		vclock_set_delay(c, m.ns - processor_bound(c, v, ready, since, m));
}
