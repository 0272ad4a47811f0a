/*
 * Virtual clocks of whole programs, whose answers are known.
 *
 * A program is a few threads, each with a script that it runs for ever, on a processor of its
 * own.  It is simulated twice.  Once its region is really made faster, and nothing knows of
 * virtual clocks.  And once all runs as it is, and the clocks say what would be.  Both must
 * agree: that is what andweorc predicts, and what would come of it.
 *
 * The order of calls is that of lib/runtime/wait.c and sample.c.
 */
#include "unit.h"

#include "vclock/vclock.h"

enum {
	THREADS = 4,
	STEPS = 12,
	OBJECTS = 4,
	US = 1000,
	MS = 1000 * 1000,
	TICK = 5 * US,
	SETTLE_MS = 400,   /* until segments are known */
	MEASURE_MS = 2000,
};

enum op {
	END,     /* of the script: it begins again */
	WORK,    /* for `ns` */
	LOCK,    /* object */
	UNLOCK,
	POST,    /* a semaphore */
	TAKE,
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

enum state { RUNS, PAUSES, WAITS };

struct thread {
	const struct step *script;
	unsigned number, pc;
	enum state state;
	bool begun;     /* this step: what was to be paid before it is paid, */
	bool waited;    /* and it has waited, */
	unsigned round; /* at a barrier for this */
	int64_t work_left, pause_left, pause_wanted;
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
static bool clocks;      /* are virtual clocks on, or is the region made faster? */
static double speedup;
static int64_t now, open_ns, close_ns;
static unsigned visits, visits_open;

static uint64_t key_of(int64_t n)
{
	return (uint64_t)(n + 1) << 40;
}

static struct vclock_moment moment(const struct thread *t)
{
	return (struct vclock_moment){ .ns = now, .processor = t->number };
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

static void begin_segment(struct thread *t)
{
	vclock_begin_segment(&t->clock, site_of(t), now);
	vclock_keep_processor(&t->clock, moment(t));
}

static void settle(struct thread *t)
{
	if (!vclock_settle(&t->clock, now))
		vclock_begin_segment(&t->clock, site_of(t), now);
	vclock_keep_processor(&t->clock, moment(t));
}

static bool pauses(struct thread *t, int64_t debt, int64_t at_least)
{
	if (debt < at_least)
		return false;
	t->state = PAUSES;
	t->pause_wanted = t->pause_left = (debt + TICK - 1) / TICK * TICK;
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
	t->begun = !pauses(t, vclock_debt_before_lock(&t->clock, now), VCLOCK_LEAST_DEBT_NS);
	return t->begun;
}

static bool pay_before_release(struct thread *t)
{
	if (!clocks || t->begun)
		return true;
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
		vclock_end_segment(&t->clock, now);
		vclock_wait_begin(&t->clock, &t->wait, moment(t));
	}
}

static void go_on(struct thread *t, int64_t n)
{
	t->state = RUNS;
	if (!clocks)
		return;
	vclock_wait_by_peer(&t->clock, &t->wait, key_of(n), 0, moment(t));
	vclock_skip(&t->clock, now - t->wait.since_ns);
	begin_segment(t);
	/* No effect is seen before its cause. */
	assert_true(vclock_time(&t->clock, now) >= object[n].released_virt);
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
	if (t->waited) {
		go_on(t, n);
	} else if (clocks) {
		vclock_settle(&t->clock, now);
		vclock_lock(&t->clock, key_of(n), now);
		begin_segment(t);
	}
	next_step(t);
	return true;
}

static bool unlock(struct thread *t, int64_t n)
{
	if (clocks)
		vclock_settle(&t->clock, now);
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
	if (t->waited) {
		go_on(t, n);
	} else if (clocks) {
		vclock_settle(&t->clock, now);
		vclock_acquire(&t->clock, key_of(n), now);
		begin_segment(t);
	}
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
	if (!open_ns && now >= (int64_t)SETTLE_MS * MS) {
		open_ns = time_of(t);
		visits_open = visits;
	} else if (open_ns && !close_ns && now >= (int64_t)(SETTLE_MS + MEASURE_MS) * MS) {
		close_ns = time_of(t);
	}
	next_step(t);
	return true;
}

static bool work(struct thread *t, const struct step *s)
{
	if (!t->begun)
		t->work_left = clocks || !s->in ? s->arg : (int64_t)((double)s->arg * (1 - speedup));
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
	vclock_sampled(&t->clock, period, t->script[t->pc].in ? 1 << 16 : 0, 0, now);
	if (!pauses(t, vclock_debt(&t->clock), TICK))
		vclock_keep_processor(&t->clock, moment(t));
}

static void pass_tick(struct thread *t)
{
	if (t->state == PAUSES) {
		t->pause_left -= TICK;
		if (t->pause_left == 0) {
			t->state = RUNS;
			vclock_paused(&t->clock, t->pause_wanted, t->pause_wanted, true, moment(t));
			vclock_keep_processor(&t->clock, moment(t));
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

static void begin(const struct program *p)
{
	program = p;
	now = open_ns = close_ns = 0;
	visits = visits_open = arrived = generation = 0;
	memset(thread, 0, sizeof(thread));
	memset(object, 0, sizeof(object));
	memset(world, 0, sizeof(*world));
	world->period_ns = MS;
	world->speedup = (uint32_t)(speedup * 65536);
	world->region = 1;
	world->window = 1 << 2;
	for (unsigned i = 0; i < OBJECTS; i++)
		object[i].count = p->initial[i];
	for (nthreads = 0; nthreads < THREADS && p->script[nthreads][0].op != END; nthreads++) {
		struct thread *t = &thread[nthreads];

		t->script = p->script[nthreads];
		t->number = nthreads;
		vclock_open_account(&t->account, world, NULL);
		vclock_begin(&t->clock, world, &t->account, &t->memory, nthreads + 1);
	}
}

/* The time between two visits, on the clock of the threads that come to them. */
static double period_of(const struct program *p, double s, bool with_clocks)
{
	int64_t g = 0;

	speedup = s;
	clocks = with_clocks;
	begin(p);
	while (!close_ns) {
		for (unsigned i = 0; i < nthreads; i++)
			run_steps(&thread[i]);
		now += TICK;
		assert_true(now < 20 * (int64_t)MEASURE_MS * MS); /* nobody waits for ever */
		for (unsigned i = 0; i < nthreads; i++)
			pass_tick(&thread[i]);
		assert_true(vclock_owed(world) >= g); /* G only grows */
		g = vclock_owed(world);
	}
	return (double)(close_ns - open_ns) / (visits - visits_open);
}

/* ---- programs ------------------------------------------------------------------------------ */

static void predicts(const struct program *p, double within)
{
	double base = period_of(p, 0, false);

	for (double s = .25; s < .8; s += .25) {
		double truth = 100 * (1 - period_of(p, s, false) / base);
		double predicted = 100 * (1 - period_of(p, s, true) / base);

		if (getenv("SHOW"))
			fprintf(stderr, "%-40s %2.0f %%: really %6.2f, predicted %6.2f\n", p->name, 100 * s, truth, predicted);
		if (predicted < truth - within || predicted > truth + within)
			fail_msg("%s at %.0f %%: really %.2f, predicted %.2f", p->name, 100 * s, truth, predicted);
	}
}

#define IN(ns) { WORK, (ns), true }
#define OUT(ns) { WORK, (ns), false }

static const struct program alone = { "one thread", { { IN(700 * US), OUT(1300 * US), { VISIT, 0, false } } }, { 0 }, 0 };

static const struct program apart = {
	"two that never meet", { { IN(400 * US), OUT(600 * US), { VISIT, 0, false } }, { OUT(MS), { VISIT, 0, false } } }, { 0 }, 0,
};

static const struct program longer = {
	"barrier, the longer part",
	{ { IN(2 * MS), { BARRIER, 0, false }, { VISIT, 0, false } }, { OUT(MS), { BARRIER, 0, false } } }, { 0 }, 2,
};

static const struct program shorter = {
	"barrier, the shorter part",
	{ { OUT(2 * MS), { BARRIER, 0, false }, { VISIT, 0, false } }, { IN(MS), { BARRIER, 0, false } } }, { 0 }, 2,
};

static const struct program alike = {
	"barrier, half of two like parts",
	{ { IN(500 * US), OUT(500 * US), { BARRIER, 0, false }, { VISIT, 0, false } },
	  { IN(500 * US), OUT(500 * US), { BARRIER, 0, false } } }, { 0 }, 2,
};

static const struct program alike_quarter = {
	"barrier, a quarter of two like parts",
	{ { OUT(300 * US), IN(250 * US), OUT(450 * US), { BARRIER, 0, false }, { VISIT, 0, false } },
	  { OUT(300 * US), IN(250 * US), OUT(450 * US), { BARRIER, 0, false } } }, { 0 }, 2,
};

static const struct program alike_short = {
	"barrier, parts of half a period",
	{ { IN(300 * US), OUT(200 * US), { BARRIER, 0, false }, { VISIT, 0, false } },
	  { IN(300 * US), OUT(200 * US), { BARRIER, 0, false } } }, { 0 }, 2,
};

static const struct program one_of_three = {
	"barrier, one of three",
	{ { IN(900 * US), { BARRIER, 0, false }, { VISIT, 0, false } },
	  { OUT(800 * US), { BARRIER, 0, false } },
	  { OUT(500 * US), { BARRIER, 0, false } } }, { 0 }, 3,
};

#define HOLDER(inside, outside) { { LOCK, 0, false }, inside, { UNLOCK, 0, false }, outside, { VISIT, 0, false } }

static const struct program inside = {
	"lock, inside", { HOLDER(IN(500 * US), OUT(MS)), HOLDER(IN(500 * US), OUT(MS)) }, { 0 }, 0,
};

static const struct program outside = {
	"lock, outside: a knee", { HOLDER(OUT(500 * US), IN(MS)), HOLDER(OUT(500 * US), IN(MS)) }, { 0 }, 0,
};

static const struct program contended = {
	"lock of three, inside",
	{ HOLDER(IN(500 * US), OUT(500 * US)), HOLDER(IN(500 * US), OUT(500 * US)), HOLDER(IN(500 * US), OUT(500 * US)) }, { 0 }, 0,
};

/* What the first one earns the other one must know before it takes the lock; see earner.c. */
static const struct program unlike_apart = {
	"unlike threads at a lock, outside", { HOLDER(OUT(300 * US), IN(MS)), HOLDER(OUT(600 * US), OUT(200 * US)) }, { 0 }, 0,
};

static const struct program unlike_hold = {
	"unlike threads at a lock, inside", { HOLDER(OUT(300 * US), OUT(MS)), HOLDER(IN(600 * US), OUT(200 * US)) }, { 0 }, 0,
};

/* Semaphore 0: things; 1: room. */
#define QUEUE(make, use) 	{ 		{ { TAKE, 1, false }, make, { POST, 0, false } }, 		{ { TAKE, 0, false }, use, { POST, 1, false }, { VISIT, 0, false } }, 	}

static const struct program consumer = { "queue, the consumer", QUEUE(OUT(MS), IN(2 * MS)), { 0, 4 }, 0 };
static const struct program producer = { "queue, the producer", QUEUE(IN(MS), OUT(2 * MS)), { 0, 4 }, 0 };
static const struct program handoff = { "hand over and back, one side", QUEUE(IN(MS), OUT(1500 * US)), { 0, 1 }, 0 };

static const struct program stages = {
	"three stages, the middle one",
	{ { { TAKE, 2, false }, OUT(900 * US), { POST, 0, false } },
	  { { TAKE, 0, false }, IN(1200 * US), { POST, 1, false } },
	  { { TAKE, 1, false }, OUT(800 * US), { POST, 2, false }, { VISIT, 0, false } } }, { 0, 0, 4 }, 0,
};

static const struct {
	const struct program *program;
	double within; /* points */
} cases[] = {
	{ &alone, .5 }, { &apart, .5 }, { &longer, .5 }, { &shorter, .5 },
	{ &alike, .8 }, { &alike_quarter, .5 }, { &alike_short, .5 }, { &one_of_three, .5 },
	{ &inside, .5 }, { &outside, .5 }, { &contended, 1 }, { &unlike_apart, 2 }, { &unlike_hold, 2 },
	{ &consumer, .5 }, { &producer, .5 }, { &handoff, .5 }, { &stages, .5 },
};

static void programs_are_predicted(void **state)
{
	(void)state;
	world = calloc(1, sizeof(*world));
	assert_non_null(world);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		predicts(cases[i].program, getenv("SHOW") ? 1000 : cases[i].within);
	free(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_are_predicted),
	};

	return UNIT_MAIN(tests);
}
