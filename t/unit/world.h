/*
 * world: programs of virtual threads, of which everything is known.
 *
 * A program is C functions that compute(), lock(), wait_for() and so on in virtual time,
 * on so many virtual processors.  It can be recorded as a burst, and run again with the
 * work of some regions really made smaller: that is the truth for a prediction.  It
 * shares only the events with lib/replay.  Such programs are in world_*.h.
 */
#ifndef ANDWEORC_TEST_WORLD_H
#define ANDWEORC_TEST_WORLD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"
#include "replay/burst.h"

enum { TASKS = 4096, STACK_BYTES = 64 << 10, WAITERS = 64, REGIONS = 16 };

#define US 1e3
#define MS 1e6
#define S  1e9

#define LOOK_NS (4 * MS)
#define HOT_NS  (0.5 * MS)

enum state { FREE, RUNS, SLEEPS, READY, BLOCKED, DONE };

struct task {
	struct place at;     /* where it goes on */
	char *stack;
	void (*body)(void *);
	void *argument;
	uint32_t id;
	enum state state;
	double until;        /* sleeps */
	double blocked_at;   /* when it last began to wait */
	double left;         /* of what it computes */
	double slower;       /* factor of what it computes next; 0: as fast as ever */
	double slice;        /* left of it */
	unsigned processor;  /* that it runs on, or ran on last */
	unsigned noted;      /* 1 + the processor of its last event; 0: it has none */
	double ready_since, queued;
	double ran_until;    /* when it last left a processor */
	bool woken;          /* is ready because it has waited, not because its slice was over */
	double to_sample;    /* processor time until its next sample */
	double unsampled;    /* of its waits for devices */
	uint32_t region;     /* where it computes */
	uint64_t random;
	bool joined;
	struct task *joiner;
};

struct waiters {
	struct task *task[WAITERS];
	size_t n;
};

struct mutex { uint32_t id; struct task *owner; struct waiters waiters; };
struct shared_lock { uint32_t id; struct task *owner; unsigned readers; struct waiters waiters;
	bool writers_first; unsigned writers; /* if so, readers stay behind writers that have come */
	struct waiters waiting_writers; };
struct condition { uint32_t id; struct waiters waiters; };
struct semaphore { uint32_t id; int count; struct waiters waiters; };
struct barrier { uint32_t id; unsigned members, come; struct waiters waiters; };
struct timer { uint32_t id; double due; /* INFINITY: it is not set */ };

/* When it is noted that a task had no processor. */
enum noted {
	NOTED,         /* as it has one again */
	NOTED_LATE,    /* as the runtime does: in the next sample, or as it begins to wait; not after a wait */
	NOTED_NEVER,
};

static struct world {
	double now, begin, end;  /* of the burst */
	double smaller[REGIONS];
	double sample_ns, slice_ns, latency_ns;
	unsigned cpus;
	enum noted queues;
	bool deep;               /* a processor that has slept for longer wakes up later */
	bool stays;              /* a task that wakes up waits for the processor that it ran on last, even if another one is idle, */
	                         /* and that one does not take it if it ran less than HOT_NS ago */
	double leaves;           /* the chance that an idle processor leaves a task to the one that it ran on last */
	double drowsy;           /* after every other wait, what a task computes next takes this factor longer; 0: it does not */
	bool any;                /* what is noted is a wait for any of several things */
	double look_at;          /* if tasks stay: when idle processors look for tasks that wait */
	struct burst *burst;     /* NULL: nothing is recorded */
	struct task *task[TASKS], *running[64], *ready[TASKS], *current; /* running: by processor; NULL: it is idle */
	size_t ntasks, nready;
	uint32_t ids;
	uint64_t seed_of_work;
	struct place scheduler;  /* where it goes on */
	uint64_t seed;
	double first, last;      /* visits */
	uint64_t visits;
	double spans_ns;
	uint64_t spans;
	double measure_from;
} w;

/* ---- random, for each task its own, so that the work is the same whatever the timing ---- */

static double uniform(uint64_t *state)
{
	uint64_t x = (*state += UINT64_C(0x9e3779b97f4a7c15));

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

static inline double about(double mean)
{
	return mean * (0.5 + uniform(&w.current->random));
}

/* Of a task that has slept for so long. */
static double latency(double slept)
{
	double ns = w.latency_ns * (0.3 - 0.7 * log(1 - uniform(&w.seed)));

	return w.deep ? ns * fmin(slept / (0.15 * MS), 4) : ns;
}

/* ---- events ------------------------------------------------------------------------------ */

static void note(struct task *t, enum burst_kind kind, uint32_t object, uint32_t other, uint32_t site, double waited)
{
	struct burst_event e = { .kind = kind, .object = object, .other = other, .site = site, .any = w.any };

	if (!w.burst || w.now < w.begin || w.now >= w.end)
		return;
	e.at_ns = (int64_t)(w.now - w.begin);
	if (t->noted != t->processor + 1) {
		struct burst_event moved = { .kind = BURST_MOVED, .at_ns = e.at_ns, .object = t->noted = t->processor + 1 };

		burst_add(burst_thread(w.burst, t->id), &moved);
	}
	e.waited_ns = (int64_t)waited;
	burst_add(burst_thread(w.burst, t->id), &e);
}

static void note_queued(struct task *t)
{
	if (t->queued >= 1 && w.queues != NOTED_NEVER)
		note(t, BURST_QUEUED, 0, 0, 0, t->queued);
	t->queued = 0;
}

/* ---- processors ---------------------------------------------------------------------------- */

static void start(struct task *t, unsigned processor)
{
	t->state = RUNS;
	t->slice = w.slice_ns;
	t->processor = processor;
	if (w.queues != NOTED_LATE || !t->woken)
		t->queued += w.now - t->ready_since;
	if (w.queues != NOTED_LATE)
		note_queued(t);
	w.running[processor] = t;
}

static bool is_left(void)
{
	return w.leaves > 0 && uniform(&w.seed) < w.leaves;
}

/* The processor that it ran on last, if it is idle, or if tasks stay or this one is left there; else any idle one; else that. */
static unsigned processor_for(const struct task *t)
{
	if (w.running[t->processor] && is_left())
		return t->processor;
	for (unsigned i = 0; i < (w.stays ? 0 : w.cpus); i++)
		if (!w.running[(t->processor + i) % w.cpus])
			return (t->processor + i) % w.cpus;
	return t->processor;
}

static void make_ready(struct task *t)
{
	unsigned processor = processor_for(t);

	t->state = READY;
	t->woken = true;
	t->ready_since = w.now;
	if (!w.running[processor])
		start(t, processor);
	else
		w.ready[w.nready++] = t;
}

/* Does a task wait for the processor? */
static bool is_awaited(unsigned processor)
{
	for (size_t i = 0; i < w.nready; i++)
		if (w.ready[i]->processor == processor)
			return true;
	return false;
}

/* The i-th task that is ready runs. */
static void dispatch(size_t i, unsigned processor)
{
	struct task *t = w.ready[i];

	memmove(w.ready + i, w.ready + i + 1, (--w.nready - i) * sizeof(*w.ready));
	start(t, processor);
}

/* The first task that waits for processor `from` runs on `to`. */
static void take_from(unsigned from, unsigned to)
{
	size_t i = 0;

	while (w.ready[i]->processor != from)
		i++;
	dispatch(i, to);
}

/* A task that waits for another processor runs on this one, if there is one that may move. */
static void take_movable(unsigned processor)
{
	for (size_t i = 0; i < w.nready; i++) {
		if (w.stays && w.now - w.ready[i]->ran_until < HOT_NS)
			continue;
		if (is_left())
			continue;
		dispatch(i, processor);
		return;
	}
}

/* Another task runs on its processor: the first that waits for that one, or else for another one. */
static void stop_running(struct task *t)
{
	unsigned processor = t->processor;

	t->ran_until = w.now;
	w.running[processor] = NULL;
	if (is_awaited(processor))
		take_from(processor, processor);
	else
		take_movable(processor);
}

/* Where tasks stay on their processors: now and then, idle ones take a task that waits. */
static void look_around(void)
{
	for (unsigned i = 0; i < w.cpus; i++)
		if (!w.running[i] && w.nready)
			take_from(w.ready[0]->processor, i);
}

static void to_scheduler(void)
{
	change_place(&w.current->at, &w.scheduler);
}

static void block(enum state state)
{
	note_queued(w.current);
	w.current->state = state;
	w.current->blocked_at = w.now;
	stop_running(w.current);
	to_scheduler();
	w.current->slower = w.drowsy > 0 && uniform(&w.seed) < 0.5 ? w.drowsy : 0;
}

static void wake_up(struct task *t)
{
	t->state = SLEEPS;
	t->until = w.now + latency(w.now - t->blocked_at);
}

static void run_for(struct task *t, double ns)
{
	t->left -= ns;
	t->slice -= ns;
	t->to_sample -= ns;
}

static double next_of(const struct task *t)
{
	double ns = t->left < t->to_sample ? t->left : t->to_sample;

	return t->slice < ns && is_awaited(t->processor) ? (t->slice > 0 ? t->slice : 0) : ns;
}

static void resume(struct task *t)
{
	w.current = t;
	change_place(&w.scheduler, &t->at);
	w.current = NULL;
}

/* The next event of the running tasks. */
static void step_running(struct task *t)
{
	if (t->to_sample <= 0) {
		note_queued(t);
		note(t, BURST_SAMPLE, t->region, 0, 0, w.sample_ns);
		t->to_sample = w.sample_ns;
	}
	if (t->left <= 0) {
		t->left = 0;
		resume(t);
	} else if (t->slice <= 0 && is_awaited(t->processor)) {
		t->ready_since = w.now;
		t->woken = false;
		stop_running(t);
		t->state = READY;
		w.ready[w.nready++] = t;
	}
}

static bool step_world(void)
{
	double least = INFINITY;
	struct task *next = NULL;

	for (unsigned i = 0; i < w.cpus; i++) {
		if (w.running[i] && next_of(w.running[i]) < least) {
			least = next_of(w.running[i]);
			next = w.running[i];
		}
	}
	for (size_t i = 0; i < w.ntasks; i++) {
		if (w.task[i]->state == SLEEPS && w.task[i]->until - w.now < least) {
			least = w.task[i]->until - w.now;
			next = w.task[i];
		}
	}
	if (!next)
		return false;
	if (w.stays && w.look_at - w.now < least) {
		least = w.look_at - w.now;
		next = NULL;
	}
	least = least > 0 ? least : 0;
	for (unsigned i = 0; i < w.cpus; i++)
		if (w.running[i])
			run_for(w.running[i], least);
	w.now += least;
	if (!next) {
		w.look_at += LOOK_NS;
		look_around();
	} else if (next->state == SLEEPS)
		make_ready(next);
	else
		step_running(next);
	return true;
}

/* ---- tasks ------------------------------------------------------------------------------------- */

static void enter(void)
{
	w.current->body(w.current->argument);
	note(w.current, BURST_RELEASE, 1000000 + w.current->id, 0, 9, 0);
	note(w.current, BURST_DEATH, 0, 0, 0, 0);
	if (w.current->joiner)
		wake_up(w.current->joiner);
	block(DONE);
}

static struct task *free_task(void)
{
	struct task *t;

	for (size_t i = 0; i < w.ntasks; i++)
		if (w.task[i]->state == DONE && w.task[i]->joined)
			return w.task[i];
	t = w.task[w.ntasks++] = calloc(1, sizeof(*t));
	t->stack = malloc(STACK_BYTES);
	return t;
}

static struct task *new_task(void (*body)(void *), void *argument)
{
	struct task *t = free_task();

	t->body = body;
	t->argument = argument;
	t->id = ++w.ids;
	t->random = w.ids * 7919 + w.seed_of_work * 104729;
	t->to_sample = w.sample_ns * uniform(&w.seed);
	t->joined = false;
	t->joiner = NULL;
	t->processor = w.ids % w.cpus;
	t->left = t->queued = t->unsampled = 0;
	place_on(&t->at, t->stack, STACK_BYTES, enter);
	make_ready(t);
	return t;
}

/* ---- operations of programs ------------------------------------------------------------------------------ */

static inline void compute(uint32_t region, double ns)
{
	w.current->region = region;
	w.current->left = ns * (1 - w.smaller[region]);
	if (w.current->slower > 0)
		w.current->left *= w.current->slower;
	w.current->slower = 0;
	if (w.current->left > 0)
		to_scheduler();
}

static inline struct task *create(void (*body)(void *), void *argument, uint32_t site)
{
	note(w.current, BURST_BIRTH, w.ids + 1, 0, site, 0);
	return new_task(body, argument);
}

static inline void join_task(struct task *t, uint32_t site)
{
	double from = w.now;
	uint32_t id = t->id;

	while (t->state != DONE) {
		t->joiner = w.current;
		block(BLOCKED);
	}
	note(w.current, BURST_ACQUIRE, 1000000 + id, 0, site, w.now - from);
	t->joined = true;
}

static inline void sleep_quietly(double ns)
{
	w.current->until = w.now + ns;
	block(SLEEPS);
}

static inline void sleep_ns(double ns, uint32_t site)
{
	double from = w.now;

	sleep_quietly(ns);
	note(w.current, BURST_OUTSIDE, 0, 0, site, w.now - from);
}

/* Between two looks at what others do. */
static inline void nap(double ns, uint32_t site)
{
	double from = w.now;

	sleep_quietly(ns);
	note(w.current, BURST_SLEEP, 0, 0, site, w.now - from);
}

static inline void sleep_until(double moment, uint32_t site)
{
	double from = w.now;

	sleep_quietly(moment > from ? moment - from : 0);
	note(w.current, BURST_CLOCK, 0, 0, site, w.now - from);
}

/* Waits for a tick of a timer, unless there has been one since *last, when the task last did so. */
static inline void wait_for_tick(double period, double *last, uint32_t site)
{
	double from = w.now;

	if (floor(w.now / period) <= floor(*last / period))
		sleep_quietly((floor(w.now / period) + 1) * period - w.now);
	*last = w.now;
	note(w.current, BURST_CLOCK, 0, 0, site, w.now - from);
}

/* A wait for the outside in the code of a region, which has begun at `from`. */
static inline void sample_wait(uint32_t region, double from, uint32_t site)
{
	double samples;

	w.current->unsampled += w.now - from;
	samples = floor(w.current->unsampled / w.sample_ns);
	w.current->unsampled -= samples * w.sample_ns;
	if (samples > 0)
		note(w.current, BURST_WAITING, region, 0, site, samples * w.sample_ns);
}

/* In the code of a region: were that faster, the device would be. */
static inline void wait_for_device(uint32_t region, double ns, uint32_t site)
{
	double from = w.now;

	sleep_ns(ns * (1 - w.smaller[region]), site);
	sample_wait(region, from, site);
}

/* A system call for which the kernel computes. */
static inline void call_kernel(uint32_t region, double ns, uint32_t site)
{
	struct task *t = w.current;
	double from = w.now, to_sample = t->to_sample;

	note_queued(t);
	t->to_sample = INFINITY;
	compute(region, ns);
	t->to_sample = to_sample;
	note(t, BURST_KERNEL, 0, 0, 0, ns * (1 - w.smaller[region]));
	note(t, BURST_OUTSIDE, 0, 0, site, w.now - from);
	sample_wait(region, from, site);
}

static inline void wait_in(struct waiters *x)
{
	x->task[x->n++] = w.current;
	block(BLOCKED);
}

static inline bool wake_one(struct waiters *x)
{
	struct task *t = x->task[0];

	if (!x->n)
		return false;
	memmove(x->task, x->task + 1, --x->n * sizeof(*x->task));
	wake_up(t);
	return true;
}

static inline void take(struct mutex *m)
{
	while (m->owner)
		wait_in(&m->waiters);
	m->owner = w.current;
}

static inline void lock(struct mutex *m, uint32_t site)
{
	double from = w.now;
	bool free = !m->owner;

	take(m);
	note(w.current, free ? BURST_LOCK : BURST_ACQUIRE, m->id, 0, site, free ? 0 : w.now - from);
}

static inline void unlock(struct mutex *m, uint32_t site)
{
	note(w.current, BURST_UNLOCK, m->id, 0, site, 0);
	m->owner = NULL;
	wake_one(&m->waiters);
}

/* Waiting readers go on all together. */
static inline void take_shared(struct shared_lock *l, bool alone, uint32_t site)
{
	double from = w.now;

	bool first = alone && l->writers_first;

	l->writers += first;
	while (l->owner || (alone ? l->readers : l->writers))
		wait_in(first ? &l->waiting_writers : &l->waiters);
	l->writers -= first;
	if (alone)
		l->owner = w.current;
	else
		l->readers++;
	note(w.current, w.now > from ? BURST_ACQUIRE : BURST_LOCK, l->id, 0, site, w.now - from);
}

static inline void lock_shared(struct shared_lock *l, uint32_t site)
{
	take_shared(l, false, site);
}

static inline void lock_alone(struct shared_lock *l, uint32_t site)
{
	take_shared(l, true, site);
}

/* However it was taken. */
static inline void unlock_shared(struct shared_lock *l, uint32_t site)
{
	note(w.current, BURST_UNLOCK, l->id, 0, site, 0);
	if (l->owner)
		l->owner = NULL;
	else
		l->readers--;
	if (l->readers || wake_one(&l->waiting_writers))
		return;
	while (wake_one(&l->waiters))
		;
}

static inline void wait_for(struct condition *c, struct mutex *m, uint32_t site)
{
	double from = w.now;

	unlock(m, site);
	wait_in(&c->waiters);
	take(m);
	note(w.current, BURST_WAIT, c->id, m->id, site, w.now - from);
}

static inline void signal_one(struct condition *c, uint32_t site)
{
	note(w.current, BURST_UNLOCK, c->id, 0, site, 0);
	wake_one(&c->waiters);
}

static inline void signal_all(struct condition *c, uint32_t site)
{
	note(w.current, BURST_UNLOCK, c->id, 0, site, 0);
	while (wake_one(&c->waiters))
		;
}

static inline void post(struct semaphore *s, uint32_t site)
{
	note(w.current, BURST_RELEASE, s->id, 0, site, 0);
	s->count++;
	wake_one(&s->waiters);
}

static inline void grab(struct semaphore *s, uint32_t site)
{
	double from = w.now;

	while (!s->count)
		wait_in(&s->waiters);
	s->count--;
	note(w.current, BURST_ACQUIRE, s->id, 0, site, w.now - from);
}

static inline void set_timer(struct timer *t, double ns, uint32_t site)
{
	note(w.current, BURST_RELEASE, t->id, 0, site, 0);
	t->due = w.now + ns;
}

static inline void note_any(enum burst_kind kind, uint32_t object, uint32_t site, double waited)
{
	w.any = true;
	note(w.current, kind, object, 0, site, waited);
	w.any = false;
}

/* The first of these that is ready, which the task takes; negative: none is.  Sets the kind of the event, and its object. */
static inline int ready_of_any(struct semaphore *from, int n, struct timer *timer, int ntimers, enum burst_kind *kind, uint32_t *object)
{
	for (int i = 0; i < n; i++) {
		if (!from[i].count)
			continue;
		from[i].count--;
		*kind = BURST_ACQUIRE;
		*object = from[i].id;
		return i;
	}
	for (int i = 0; i < ntimers; i++) {
		if (timer[i].due > w.now)
			continue;
		timer[i].due = INFINITY;
		*kind = BURST_ANSWERED;
		*object = timer[i].id;
		return n + i;
	}
	return -1;
}

/* Waits for a token of any of n semaphores, or for a timer.  Returns the number of the semaphore, or n and that of the timer. */
static inline int wait_for_any(struct waiters *loop, struct semaphore *from, int n, struct timer *timer, int ntimers, uint32_t site)
{
	double began = w.now;

	for (;;) {
		double due = INFINITY;
		enum burst_kind kind;
		uint32_t object;
		int ready = ready_of_any(from, n, timer, ntimers, &kind, &object);

		if (ready >= 0) {
			note_any(kind, object, site, w.now - began);
			return ready;
		}
		for (int i = 0; i < ntimers; i++)
			due = fmin(due, timer[i].due);
		loop->task[loop->n++] = w.current;
		w.current->until = due;
		block(due < INFINITY ? SLEEPS : BLOCKED);
		loop->n = 0;
	}
}

/* A token of a semaphore for which a task waits so. */
static inline void post_to(struct waiters *loop, struct semaphore *s, uint32_t site)
{
	struct task *t = loop->task[0];
	double until;

	note(w.current, BURST_RELEASE, s->id, 0, site, 0);
	s->count++;
	if (!loop->n || (t->state != SLEEPS && t->state != BLOCKED))
		return;
	until = t->state == SLEEPS ? t->until : INFINITY;
	wake_up(t);
	t->until = fmin(t->until, until);
	loop->n = 0;
}

/* All tokens at once, with one event, as a read of several messages.  Returns their number. */
static inline int grab_all(struct semaphore *s, uint32_t site)
{
	int more;

	grab(s, site);
	more = s->count;
	s->count = 0;
	return 1 + more;
}

/*
 * Looks for a token for up to 0.15 ms, on its processor, before it sleeps.  What it finds meanwhile is not noted, as in
 * programs that look at memory.
 */
static inline void grab_yielding(struct semaphore *s, uint32_t site)
{
	double from = w.now;

	for (int i = 0; i < 15 && !s->count; i++)
		sleep_quietly(10 * US);
	if (w.now > from)
		note(w.current, BURST_POLL, 0, 0, site, w.now - from);
	if (s->count)
		s->count--;
	else
		grab(s, site);
}

static inline void meet(struct barrier *b, uint32_t site)
{
	double from = w.now;

	note(w.current, BURST_RELEASE, b->id, 0, site, 0);
	if (++b->come == b->members) {
		b->come = 0;
		while (wake_one(&b->waiters))
			;
	} else {
		wait_in(&b->waiters);
	}
	note(w.current, BURST_ACQUIRE, b->id, 0, site, w.now - from);
}

static inline void visit(void)
{
	note(w.current, BURST_VISIT, 1, 1, 0, 0);
	if (w.now < w.measure_from)
		return;
	if (!w.visits++)
		w.first = w.now;
	w.last = w.now;
}

static inline double span_begin(uint32_t number)
{
	note(w.current, BURST_BEGIN, 2, number, 0, 0);
	return w.now;
}

static inline void span_end(uint32_t number, double began)
{
	note(w.current, BURST_END, 2, number, 0, 0);
	if (w.now < w.measure_from)
		return;
	w.spans++;
	w.spans_ns += w.now - began;
}

static inline void forever(void (*turn)(void))
{
	for (;;)
		turn();
}

/* So many threads alike; the first one only sleeps. */
static inline void members(void (*body)(void *), int n)
{
	for (int i = 0; i < n; i++)
		create(body, NULL, 2);
	sleep_ns(1000 * S, 1);
}

static inline void two_of(void (*body)(void *), void (*other)(void *))
{
	create(body, NULL, 2);
	create(other, NULL, 3);
	sleep_ns(1000 * S, 1);
}

/* ---- worlds ----------------------------------------------------------------------------------------- */

struct settings {
	unsigned cpus;
	double sample_ns;    /* 0: 4 ms */
	uint64_t seed;
	const double *smaller; /* by region; NULL: none */
	double begin, length;  /* of the burst */
	double end;            /* of the world */
	enum noted queues;
	bool stays, deep;      /* see struct world, */
	double leaves, drowsy; /* there, too */
};

/* Runs the program from `body`; the burst is added to `burst` where there is one. */
static void world_run(void (*body)(void *), void *argument, const struct settings *set, struct burst *burst)
{
	memset(&w, 0, sizeof(w));
	w.cpus = set->cpus;
	w.queues = set->queues;
	w.stays = set->stays;
	w.deep = set->deep;
	w.leaves = set->leaves;
	w.drowsy = set->drowsy;
	w.look_at = LOOK_NS;
	w.seed = w.seed_of_work = set->seed;
	w.sample_ns = set->sample_ns > 0 ? set->sample_ns : 4 * MS;
	w.slice_ns = 3 * MS;
	w.latency_ns = 40 * US;
	w.begin = set->begin;
	w.end = set->begin + set->length;
	w.burst = burst;
	w.measure_from = 0.1 * S;
	for (size_t i = 0; set->smaller && i < REGIONS; i++)
		w.smaller[i] = set->smaller[i];
	if (burst) {
		burst->cpus = set->cpus;
		burst->length_ns = (int64_t)set->length;
	}
	new_task(body, argument);
	while (w.now < set->end && step_world())
		;
	for (size_t i = 0; i < w.ntasks; i++) {
		free(w.task[i]->stack);
		free(w.task[i]);
	}
}

#endif
