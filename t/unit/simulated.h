/*
 * simulated: programs of a few threads, simulated to know their answers.
 *
 * Each thread has a script that it runs for ever.  There are as many processors as threads, or
 * fewer: then threads take turns, first come, first served.
 *
 * A program is simulated twice: once with a region that is really faster, without virtual clocks,
 * and once unchanged, with virtual clocks that predict the effect.  Both must agree: the
 * prediction of andweorc, and the truth.
 *
 * The order of calls is that of lib/runtime (wait.c, sync.c, sample.c, offcpu.c).
 */
#ifndef ANDWEORC_T_SIMULATED_H
#define ANDWEORC_T_SIMULATED_H

#include "unit.h"

#include "vclock/vclock.h"

enum {
	THREADS = 5,
	STEPS = 16,
	OBJECTS = 6,
	US = 1000,
	MS = 1000 * 1000,
	TICK = 5 * US,
	SETTLE_MS = 400,   /* until segments are known */
	MEASURE_MS = 2000,
	SLICE_MS = 3,      /* of a processor, while others queue for it */
};

enum op {
	END,     /* of the script: it begins again */
	WORK,    /* for `ns` */
	LOCK,    /* object */
	UNLOCK,
	POST,    /* a semaphore */
	TAKE,
	AWAIT,   /* until the object, a count, is not 0; its lock (LOCK_OF) is held.  Takes one */
	ADD,     /* one to that, with the lock held, */
	SIGNAL,  /* and lets one that awaits it go on */
	BARRIER, /* of all threads that have one */
	VISIT,   /* a progress point */
};

struct step {
	enum op op;
	int64_t arg; /* ns of work; number of an object */
	bool in;     /* in the region that is sped up */
};

struct program {
	const char *name;
	struct step script[THREADS][STEPS];
	int initial[OBJECTS]; /* of semaphores */
	unsigned at_barrier;
};

struct conditions {
	bool varies;         /* work varies between nothing and three times the given value, which is the mean */
	unsigned processors; /* at most; 0: as many as threads */
};

enum state { RUNS, PAUSES, WAITS };

struct thread {
	const struct step *script;
	unsigned number, pc;
	enum state state;
	bool begun;     /* this step: the debt before it is paid */
	bool waited;    /* this step: the thread has waited */
	bool signalled;
	unsigned round; /* at a barrier for this */
	uint64_t random;
	int64_t work_left, pause_began, pause_wanted;
	unsigned on, last;       /* processor + 1 that it has (0: none), and that it had last */
	unsigned ready;          /* > 0: it could run, and has none; the least comes first */
	int64_t slice_ns, cpu_ns; /* of its turn on a processor; of processor time, all in all */
	int64_t look_ns, look_cpu_ns; /* time of its last look at time without a processor; 0: not counted */
	int64_t since_sample;
	struct vclock clock;
	struct vclock_account account;
	struct vclock_memory memory;
	struct vclock_wait wait;
};

struct object {
	int owner;              /* of a lock: thread + 1; 0: free */
	int count;              /* of a semaphore */
	int64_t released_virt;  /* V of the last release */
};

static struct vclock_world *world;
static struct thread thread[THREADS];
static struct object object[OBJECTS];
static const struct program *program;
static unsigned nthreads, arrived, generation;
static struct conditions how;
static bool clocks;      /* are virtual clocks on, or is the region made faster? */
static double speedup;
static int64_t now, open_ns, close_ns;
static unsigned visits, first_visit, last_visit; /* of those that the period is measured between; 0: by time */

enum { NONE = -1 };

static uint64_t key_of(int64_t n)
{
	return (uint64_t)(n + 1) << 40;
}

static struct vclock_moment moment(const struct thread *t)
{
	return (struct vclock_moment){ .ns = now, .processor = t->last - 1 };
}

static int64_t time_of(struct thread *t)
{
	return clocks ? vclock_time(&t->clock, now) : now;
}

static void next_step(struct thread *t)
{
	t->pc = t->script[t->pc + 1].op == END ? 0 : t->pc + 1;
	t->begun = t->waited = false;
}

/* Where a segment begins. */
static const void *site_of(const struct thread *t)
{
	return &t->script[t->pc];
}

/* ---- with clocks -------------------------------------------------------------------- */

/* As offcpu.c does. */
static int64_t off_since_look(struct thread *t)
{
	int64_t ns = t->look_ns ? (now - t->look_ns) - (t->cpu_ns - t->look_cpu_ns) : 0;

	t->look_ns = now;
	t->look_cpu_ns = t->cpu_ns;
	return ns;
}

static void offcpu_look(struct thread *t)
{
	if (vclock_was_displaced(&t->clock, t->last - 1))
		vclock_regain(&t->clock, off_since_look(t), false, moment(t));
}

static void offcpu_begin(struct thread *t)
{
	t->look_ns = now;
	t->look_cpu_ns = t->cpu_ns;
}

static void offcpu_pass(struct thread *t)
{
	t->look_ns = 0;
}

static void begin_segment(struct thread *t)
{
	vclock_begin_segment(&t->clock, site_of(t), now);
	vclock_keep_processor(&t->clock, moment(t));
}

static void settle(struct thread *t)
{
	offcpu_look(t);
	if (!vclock_settle(&t->clock, now))
		vclock_begin_segment(&t->clock, site_of(t), now);
	vclock_keep_processor(&t->clock, moment(t));
}

/* Accounts for the thread's work up to now; its segment has ended. */
static void settle_up(struct thread *t)
{
	offcpu_look(t);
	vclock_settle(&t->clock, now);
}

static bool pauses(struct thread *t, int64_t debt, int64_t at_least)
{
	if (debt < at_least)
		return false;
	t->state = PAUSES;
	t->pause_began = now;
	t->pause_wanted = (debt + TICK - 1) / TICK * TICK;
	vclock_stand(&t->clock, vclock_time(&t->clock, now), moment(t));
	return true;
}

/* False: it pauses first. */
static bool pay_before_lock(struct thread *t)
{
	if (!clocks || t->begun)
		return true;
	if (vclock_debt_before_lock(&t->clock, now) >= VCLOCK_LEAST_DEBT_NS)
		settle(t);
	offcpu_look(t);
	t->begun = !pauses(t, vclock_debt_before_lock(&t->clock, now), VCLOCK_LEAST_DEBT_NS);
	return t->begun;
}

static bool pay_before_release(struct thread *t)
{
	if (!clocks || t->begun)
		return true;
	offcpu_look(t);
	vclock_end_segment(&t->clock, now);
	t->begun = !pauses(t, vclock_debt(&t->clock), VCLOCK_LEAST_DEBT_NS);
	return t->begun;
}

static void release(struct thread *t, int64_t n)
{
	object[n].released_virt = time_of(t);
	if (clocks)
		vclock_release(&t->clock, key_of(n), now);
}

static void wait_for(struct thread *t)
{
	t->state = WAITS;
	t->waited = true;
	if (clocks) {
		offcpu_look(t);
		vclock_end_segment(&t->clock, now);
		vclock_wait_begin(&t->clock, &t->wait, moment(t));
		offcpu_pass(t);
	}
}

/* By way of n, and, but for NONE, the lock. */
static void go_on_by(struct thread *t, int64_t n, int64_t lock)
{
	t->state = RUNS;
	if (!clocks)
		return;
	if (!vclock_wait_by_peer(&t->clock, &t->wait, key_of(n), lock == NONE ? 0 : key_of(lock), moment(t)))
		vclock_was_ready(&t->clock, t->wait.since_ns, moment(t));
	vclock_skip(&t->clock, now - t->wait.since_ns);
	begin_segment(t);
	offcpu_begin(t);
}

static void go_on(struct thread *t, int64_t n)
{
	go_on_by(t, n, NONE);
	/* No effect is seen before its cause. */
	assert_true(time_of(t) >= object[n].released_virt);
}

/* The thread has acquired n: it has waited, or the rule for its clock is applied now. */
static void get(struct thread *t, int64_t n, void (*at_once)(struct vclock *c, uint64_t key, int64_t now))
{
	if (t->waited) {
		go_on(t, n);
	} else if (clocks) {
		settle_up(t);
		at_once(&t->clock, key_of(n), now);
		begin_segment(t);
	}
	next_step(t);
}

/* ---- steps: false when the thread cannot go on at once -------------------------------- */

static bool lock(struct thread *t, int64_t n)
{
	struct object *o = &object[n];

	if (!t->waited && !pay_before_lock(t))
		return false;
	if (o->owner) {
		if (!t->waited)
			wait_for(t);
		return false;
	}
	o->owner = (int)t->number + 1;
	get(t, n, vclock_lock);
	return true;
}

static bool unlock(struct thread *t, int64_t n)
{
	if (clocks)
		settle_up(t);
	release(t, n);
	object[n].owner = 0;
	if (clocks)
		begin_segment(t);
	next_step(t);
	return true;
}

static bool post(struct thread *t, int64_t n)
{
	if (!pay_before_release(t))
		return false;
	release(t, n);
	object[n].count++;
	if (clocks)
		begin_segment(t);
	next_step(t);
	return true;
}

static bool take(struct thread *t, int64_t n)
{
	if (object[n].count == 0) {
		if (!t->waited)
			wait_for(t);
		return false;
	}
	object[n].count--;
	get(t, n, vclock_acquire);
	return true;
}

/* Both counts of a queue, things and room, have one lock. */
enum { QUEUE_LOCK = 4 };

static bool await(struct thread *t, int64_t n)
{
	if (t->state == WAITS) {
		if (!t->signalled || object[QUEUE_LOCK].owner)
			return false;
		object[QUEUE_LOCK].owner = (int)t->number + 1;
		go_on_by(t, n, QUEUE_LOCK);
		t->signalled = false;
	}
	if (object[n].count == 0) {
		if (clocks)
			settle_up(t);
		release(t, QUEUE_LOCK);
		object[QUEUE_LOCK].owner = 0;
		wait_for(t);
		return false;
	}
	object[n].count--;
	next_step(t);
	return true;
}

static bool add(struct thread *t, int64_t n)
{
	object[n].count++;
	next_step(t);
	return true;
}

static bool signal_one(struct thread *t, int64_t n)
{
	if (clocks)
		settle_up(t);
	release(t, n);
	for (unsigned i = 0; i < nthreads; i++) {
		struct thread *other = &thread[(t->number + i) % nthreads];
		const struct step *at = &other->script[other->pc];

		if (other->state == WAITS && at->op == AWAIT && at->arg == n && !other->signalled) {
			other->signalled = true;
			break;
		}
	}
	if (clocks)
		begin_segment(t);
	next_step(t);
	return true;
}

static bool barrier(struct thread *t, int64_t n)
{
	if (!t->waited) {
		if (!pay_before_release(t))
			return false;
		/* The objects of two rounds are two: a thread may come again before another one has gone on. */
		release(t, n + generation % 2);
		arrived++;
		t->round = generation;
		wait_for(t);
		if (arrived == program->at_barrier) {
			arrived = 0;
			generation++;
		}
	}
	if (generation == t->round)
		return false;
	go_on(t, n + t->round % 2);
	next_step(t);
	return true;
}

static bool visit(struct thread *t)
{
	visits++;
	if (clocks)
		settle(t);
	if (!first_visit && now >= (int64_t)SETTLE_MS * MS)
		first_visit = visits;
	if (!last_visit && now >= (int64_t)(SETTLE_MS + MEASURE_MS) * MS)
		last_visit = visits;
	if (visits == first_visit)
		open_ns = time_of(t);
	if (visits == last_visit)
		close_ns = time_of(t);
	next_step(t);
	return true;
}

/* From 0 to 1; xorshift64 (Marsaglia 2003). */
static double next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) * 0x1p-53;
}

/* The amount of work this time, with a mean of ns. */
static int64_t drawn(struct thread *t, int64_t ns)
{
	double u;

	if (!how.varies)
		return ns;
	u = next_random(&t->random);
	return (int64_t)((double)ns * 3 * u * u);
}

static bool work(struct thread *t, const struct step *s)
{
	int64_t ns;

	if (!t->begun) {
		ns = drawn(t, s->arg);
		t->work_left = clocks || !s->in ? ns : (int64_t)((double)ns * (1 - speedup));
	}
	t->begun = true;
	if (t->work_left > 0)
		return false;
	next_step(t);
	return true;
}

static bool step(struct thread *t)
{
	const struct step *s = &t->script[t->pc];

	switch (s->op) {
	case WORK: return work(t, s);
	case LOCK: return lock(t, s->arg);
	case UNLOCK: return unlock(t, s->arg);
	case POST: return post(t, s->arg);
	case TAKE: return take(t, s->arg);
	case AWAIT: return await(t, s->arg);
	case ADD: return add(t, s->arg);
	case SIGNAL: return signal_one(t, s->arg);
	case BARRIER: return barrier(t, s->arg);
	case VISIT: return visit(t);
	case END: break;
	}
	return false;
}

/* ---- time passes ------------------------------------------------------------------------ */

static void sample(struct thread *t)
{
	/* As real ones, they differ, and are in step with no work. */
	const int64_t period = (955 + 30 * (int64_t)t->number) * US;

	t->since_sample += TICK;
	if (t->since_sample < period)
		return;
	t->since_sample -= period;
	vclock_regain(&t->clock, off_since_look(t), true, moment(t));
	vclock_sampled(&t->clock, period, t->script[t->pc].in ? 1 << 16 : 0, 0, now);
	if (!pauses(t, vclock_debt(&t->clock), TICK))
		vclock_keep_processor(&t->clock, moment(t));
}

static void pass_tick(struct thread *t)
{
	t->cpu_ns += TICK;
	t->slice_ns -= TICK;
	if (t->state == PAUSES) {
		if (now >= t->pause_began + t->pause_wanted) {
			t->state = RUNS;
			vclock_paused(&t->clock, t->pause_wanted, now - t->pause_began, true, moment(t));
			vclock_keep_processor(&t->clock, moment(t));
			offcpu_begin(t);
		}
	} else if (t->state == RUNS) {
		t->work_left -= TICK;
		if (clocks)
			sample(t);
	}
}

static void run_steps(struct thread *t)
{
	while (t->state != PAUSES && step(t))
		;
}

/* ---- processors ---------------------------------------------------------------------------- */

static unsigned processors, turns;
static struct thread *has[THREADS]; /* by processor */

/* Has its wait ended? */
static bool can_go_on(const struct thread *t)
{
	const struct step *s = &t->script[t->pc];

	switch (s->op) {
	case LOCK: return object[s->arg].owner == 0;
	case TAKE: return object[s->arg].count > 0;
	case AWAIT: return t->signalled && object[QUEUE_LOCK].owner == 0;
	case BARRIER: return generation != t->round;
	default: return true;
	}
}

static void give_processor(struct thread *t, unsigned p)
{
	has[p] = t;
	t->on = t->last = p + 1;
	t->ready = 0;
	t->slice_ns = SLICE_MS * MS;
}

static void leave(struct thread *t)
{
	has[t->on - 1] = NULL;
	t->on = 0;
}

static struct thread *first_ready(void)
{
	struct thread *first = NULL;

	for (unsigned i = 0; i < nthreads; i++)
		if (thread[i].ready && (!first || thread[i].ready < first->ready))
			first = &thread[i];
	return first;
}

static void schedule(void)
{
	struct thread *t;

	for (unsigned i = 0; i < nthreads; i++) {
		t = &thread[i];
		if (!t->on && !t->ready && (t->state != WAITS || can_go_on(t)))
			t->ready = ++turns;
	}
	/* To the processor that it had last, if that is free. */
	for (unsigned i = 0; i < nthreads; i++) {
		t = &thread[i];
		if (t->ready && t->last && !has[t->last - 1] && t->state == WAITS)
			give_processor(t, t->last - 1);
	}
	for (unsigned p = 0; p < processors; p++) {
		if (has[p] && has[p]->slice_ns <= 0 && first_ready()) {
			t = has[p];
			leave(t);
			give_processor(first_ready(), p);
			t->ready = ++turns;
		}
		if (!has[p] && first_ready())
			give_processor(first_ready(), p);
	}
}

/* To switch takes a tick. */
static void run_all(void)
{
	schedule();
	for (unsigned p = 0; p < processors; p++) {
		struct thread *t = has[p];

		if (!t)
			continue;
		run_steps(t);
		if (t->state == WAITS)
			leave(t);
	}
}

static void begin(const struct program *p)
{
	program = p;
	now = open_ns = close_ns = 0;
	visits = arrived = generation = 0;
	memset(thread, 0, sizeof(thread));
	memset(object, 0, sizeof(object));
	memset(world, 0, sizeof(*world));
	world->period_ns = MS;
	world->speedup = (uint32_t)(speedup * 65536);
	world->region = 1;
	world->window_word = 1 << 2;
	memset(has, 0, sizeof(has));
	turns = 0;
	for (unsigned i = 0; i < OBJECTS; i++)
		object[i].count = p->initial[i];
	for (nthreads = 0; nthreads < THREADS && p->script[nthreads][0].op != END; nthreads++) {
		struct thread *t = &thread[nthreads];

		t->script = p->script[nthreads];
		t->number = nthreads;
		t->random = 0x9e3779b97f4a7c15u * (nthreads + 1);
		vclock_open_account(&t->account, world, NULL);
		vclock_begin(&t->clock, world, &t->account, &t->memory, nthreads + 1);
	}
	processors = how.processors && how.processors < nthreads ? how.processors : nthreads;
}

/* The time between two visits, on the clock of the threads that come to them. */
static double period_of(const struct program *p, double s, bool with_clocks)
{
	int64_t g = 0;

	speedup = s;
	clocks = with_clocks;
	begin(p);
	while (!close_ns) {
		run_all();
		now += TICK;
		assert_true(now < 20 * (int64_t)MEASURE_MS * MS); /* no thread waits for ever */
		for (unsigned i = 0; i < processors; i++)
			if (has[i])
				pass_tick(has[i]);
		assert_true(vclock_owed(world) >= g); /* G only grows */
		g = vclock_owed(world);
	}
	return (double)(close_ns - open_ns) / (last_visit - first_visit);
}

/* The gain if the region takes s less time, in per cent of the program's time: real, and predicted. */
struct gain {
	double really, predicted;
};

static double gain_of(const struct program *p, double base, double s, bool with_clocks)
{
	return 100 * (1 - period_of(p, s, with_clocks) / base);
}

/* Calls found(p, s, gain, data) for s = .25, .5, .75. */
static inline void simulate(const struct program *p, struct conditions conditions,
			    void (*found)(const struct program *p, double s, struct gain g, void *data), void *data)
{
	double base;

	how = conditions;
	/* All runs do the work of this one. */
	first_visit = last_visit = 0;
	base = period_of(p, 0, false);
	for (double s = .25; s < .8; s += .25)
		found(p, s, (struct gain){ gain_of(p, base, s, false), gain_of(p, base, s, true) }, data);
}

static inline void simulation_begin(void)
{
	world = calloc(1, sizeof(*world));
	assert_non_null(world);
}

static inline void simulation_end(void)
{
	free(world);
}

#define IN(ns) { WORK, (ns), true }
#define OUT(ns) { WORK, (ns), false }

#endif
