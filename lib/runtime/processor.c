/*
 * processor: what threads wait for when there are more of them than processors.
 *
 * Rule 3 of virtual clocks, for a processor as the object: a thread that could
 * run, and had to wait until another one left the processor, goes on because of
 * that one, so what the other was credited meanwhile it is not to lose again.
 *
 *     V = max(V as it became ready, V of the processor)
 *
 * This also stands in for locks whose release nobody sees: where the holder and
 * who wants the lock are on one processor, the latter finds it free.
 *
 * Who leaves a processor to wait notes its clock there.  Who is preempted cannot.
 * So each thread notes its clock whenever it looks at that anyway, and what it is
 * expected to be credited, as time passes, for what it does next: at a rate, from
 * which its clock at the moment that it was preempted follows.
 *
 * A processor has a clock of its own, which goes on by what the thread that has it
 * does, and which is that thread's mostly.  Who takes the processor from another one may
 * be earlier or later than that, in virtual time: earlier, the other one would have had
 * to wait for it then, and is as much later now; later, the other one would have gone on
 * until then.  So in both cases the clock of the processor goes on from where it was:
 * what a thread loses there is what the others did, wherever their clocks stand.
 */
#include <sched.h>

#include "runtime.h"

enum {
	AT_ONCE_NS = 50 * 1000, /* waking up takes so long without a queue */
	READINGS = 3,           /* of two clocks, at most, until they are of one moment */
};

unsigned processor_here(void)
{
	return (unsigned)sched_getcpu() % ARENA_PROCESSORS;
}

bool processor_is_of(unsigned processor, uint32_t number)
{
	return atomic_load_explicit(&arena->processor[processor % ARENA_PROCESSORS].by, memory_order_relaxed) == number;
}

static struct arena_processor *here(void)
{
	return &arena->processor[processor_here()];
}

static int64_t part(int64_t ns, uint32_t rate)
{
	return ns * rate >> 16;
}

/* ---- what a processor knows ------------------------------------------------------- */

/* What the processor knows of itself, and of who had it last; see arena_processor. */
struct left {
	int64_t virt_ns, real_ns;
	uint32_t by, rate;
	bool to_wait, under;
};

/* The processor that the calling thread has.  False: nobody has left it since then. */
static bool was_left(int64_t since, struct left *l)
{
	const struct arena_processor *p = here();

	if (atomic_load_explicit(&p->window, memory_order_acquire) != current_window())
		return false;
	l->by = atomic_load_explicit(&p->by, memory_order_relaxed);
	l->to_wait = atomic_load_explicit(&p->left, memory_order_relaxed);
	l->rate = atomic_load_explicit(&p->rate, memory_order_relaxed);
	l->virt_ns = atomic_load_explicit(&p->virt_ns, memory_order_relaxed);
	l->under = atomic_load_explicit(&p->under, memory_order_relaxed);
	l->real_ns = atomic_load_explicit(&p->real_ns, memory_order_relaxed);
	return l->real_ns >= since;
}

/* Its clock, as it would be by now, if it was left at `when`.  (Had who left it worked on for more than a period, it would have noted more.) */
static int64_t clock_of(const struct left *l, int64_t when, int64_t now)
{
	int64_t ran = when - l->real_ns, period = (int64_t)arena->period_ns;

	if (ran > period)
		ran = period;
	return l->virt_ns + (now - l->real_ns) - (ran > 0 ? part(ran, l->rate) : 0);
}

/* ---- who leaves it ---------------------------------------------------------------- */

/* The calling thread has the processor, still or anew: how far is its clock from that one's? */
static void take_over(int64_t virt, int64_t now)
{
	struct left l;
	bool known = was_left(now - 2 * (int64_t)arena->period_ns, &l);

	if (known && l.by == thread_number(self.slot))
		return;
	self.stand.under = known && (!l.to_wait || l.under);
	self.stand.behind_ns = self.stand.under ? clock_of(&l, now, now) - virt : 0;
}

static void write_note(int64_t virt, int64_t now, uint32_t rate, bool to_wait)
{
	struct arena_processor *p = here();

	self.stand.when_ns = now;
	atomic_store_explicit(&p->by, thread_number(self.slot), memory_order_relaxed);
	atomic_store_explicit(&p->left, to_wait, memory_order_relaxed);
	atomic_store_explicit(&p->under, self.stand.under, memory_order_relaxed);
	atomic_store_explicit(&p->rate, rate, memory_order_relaxed);
	atomic_store_explicit(&p->virt_ns, virt + self.stand.behind_ns, memory_order_relaxed);
	atomic_store_explicit(&p->real_ns, now, memory_order_relaxed);
	/* Pairs with the acquire in was_left. */
	atomic_store_explicit(&p->window, current_window(), memory_order_release);
}

static void note_at(int64_t virt, int64_t now, uint32_t rate, bool to_wait)
{
	take_over(virt, now);
	write_note(virt, now, rate, to_wait);
}

void processor_stand(int64_t virt, int64_t now)
{
	note_at(virt, now, 0, false);
}

static void note(struct arena_thread *t, int64_t now, bool goes_on)
{
	int64_t d = delay_of(t);
	uint32_t rate;
	int64_t expected = segment_expected(now, goes_on, &rate);

	earner_tell(t, expected, rate, now);
	note_at(now - d - expected, now, rate, !goes_on);
}

void processor_leave(struct arena_thread *t)
{
	note(t, now_ns(), false);
}

void processor_keep(struct arena_thread *t, int64_t now)
{
	if (window_speedup())
		note(t, now, true);
}

/* ---- who gets it ------------------------------------------------------------------ */

/* The later of the two clocks by now, but no later than v. */
static int64_t bound(int64_t v, int64_t ready_virt, int64_t left_virt)
{
	int64_t later = left_virt > ready_virt ? left_virt : ready_virt;

	return later < v ? later : v;
}

int64_t processor_bound(int64_t v, int64_t ready_virt, int64_t ready_ns, int64_t now)
{
	struct left l;

	return now - ready_ns >= AT_ONCE_NS && was_left(ready_ns, &l) ? bound(v, ready_virt, clock_of(&l, now, now)) : v;
}

/*
 * Wall time less processor time.  Waits that nobody wraps, page faults, are taken for this.
 *
 * A kernel that preempts lazily does so as a system call returns, such as that for
 * the processor time: what comes then is looked at again.
 */
static int64_t off_processor(void)
{
	int64_t wall, cpu, queued;

	for (int i = 0; i < READINGS; i++) {
		wall = now_ns();
		cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		if (now_ns() - wall < AT_ONCE_NS)
			break;
	}
	queued = self.wall_ns ? (wall - self.wall_ns) - (cpu - self.cpu_ns) : 0;
	self.wall_ns = wall;
	self.cpu_ns = cpu;
	return queued;
}

void processor_mark(struct arena_thread *t)
{
	self.wall_ns = now_ns();
	self.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	/* Preempted as that returned (see off_processor): here most of those are who have let another one go on. */
	if (now_ns() - self.wall_ns >= AT_ONCE_NS)
		processor_look(t);
}

/*
 * When did the thread get its processor back?  Not before it had been off it for so
 * long, and after the other one noted that it had it, but not long after.  A sampler's
 * interrupt is what a kernel most often takes the processor away at: the sample is
 * then the first thing that the thread meets when it is back.
 */
static int64_t back_at(const struct left *l, int64_t queued, bool in_sample, int64_t now)
{
	int64_t period = (int64_t)arena->period_ns, latest = now;
	int64_t earliest = self.stand.when_ns + queued > l->real_ns ? self.stand.when_ns + queued : l->real_ns;

	if (l->to_wait)
		return earliest < now ? earliest : now;
	if (in_sample)
		return now;
	if (latest > l->real_ns + period)
		latest = l->real_ns + period;
	return earliest < latest ? earliest + (latest - earliest) / 2 : latest;
}

/* It became ready with all the credit for its work until then, which it gets now. */
static void place(struct arena_thread *t, int64_t queued, const struct left *l, bool in_sample)
{
	int64_t now = now_ns(), back = back_at(l, queued, in_sample, now);
	int64_t early = segment_interrupted(back - queued, queued), virt = now - delay_of(t) - early;

	virt = bound(virt, virt - queued, clock_of(l, back, now));
	delay_set(t, now - virt - early);
	counter_add(&t->credit_ns, (uint64_t)early);
	delay_credit(t, early);
	self.stand.behind_ns = 0;
	self.stand.under = false;
	write_note(virt, now, 0, false);
}

/* Has somebody else had it since the calling thread noted that it did? */
static bool was_another(struct left *l)
{
	return was_left(self.stand.when_ns, l) && l->by != thread_number(self.slot);
}

bool processor_is_anothers(void)
{
	struct left l;

	return was_another(&l);
}

/* Is queueing what is sped up?  Then it is credited, and nobody's clock stands for it. */
static bool is_wanted(void)
{
	return class_is_wanted(CLASS_RUNQUEUE);
}

void processor_regained(struct arena_thread *t, int64_t queued_ns)
{
	struct left l;

	if (queued_ns >= AT_ONCE_NS && was_another(&l) && !is_wanted())
		place(t, queued_ns, &l, true);
}

bool processor_look(struct arena_thread *t)
{
	struct left l;
	int64_t queued;

	if (likely(!was_another(&l)))
		return false;
	queued = off_processor();
	self.queued_ns += queued;
	if (queued >= AT_ONCE_NS && !is_wanted())
		place(t, queued, &l, false);
	return true;
}

void processor_delayed(struct arena_thread *t, int64_t since_ns)
{
	int64_t now = now_ns(), d = delay_of(t);

	if (!is_wanted())
		delay_set(t, now - processor_bound(now - d, since_ns - d, since_ns, now));
}

int64_t processor_queued(struct arena_thread *t)
{
	int64_t queued = off_processor(), all = self.queued_ns + queued;

	self.queued_ns = 0;
	if (window_speedup() && !self.busy)
		processor_regained(t, queued);
	return all;
}

void processor_born(struct arena_thread *t, int64_t ready_ns)
{
	processor_delayed(t, ready_ns);
	processor_keep(t, now_ns());
	processor_mark(t);
}
