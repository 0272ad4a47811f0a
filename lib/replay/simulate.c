/*
 * simulate: runs a script as a discrete-event simulation, in the order of virtual time.
 *
 * Each actor has at most one moment in the heap: when the stretch that it computes ends,
 * or its slice, or when it wakes up.  Others wait in a list: for a processor, for a step
 * of another actor, or at an object.
 *
 * Each actor also carries the change of its time with resampled shares.  This is a
 * derivative: a waiting actor takes it over from the actor that ends its wait.  So one
 * run approximates the results of a run for each resampled set.
 *
 * The file is long because it is one machine: its state is private to this file, and
 * the compiler sees its whole inner loop.
 */
#include "replay/replay_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
	SLICE_NS = 3000000, /* for which a thread runs while others wait for its processor */
	FORCED_MOST = 200, /* deadlocks, besides one in a hundred steps, after which the model has failed */
};

#define INSTANT_NS 0.5
#define CHANCE     0.001 /* stretches of another realization differ by half of that at most; see realizations.c */
#define GOLDEN     UINT32_C(2654435769) /* 2^32 over the golden ratio */

/* The state of an actor. */
enum doing { UNBORN, WAITING, SLEEPING, READY, RUNNING, OVER };

/*
 * The phase of its step: it begins; has been woken; has done the step itself, and tests the
 * condition; has been counted.
 */
enum phase { BEGINS, WOKEN, ASKS, WENT };

struct runner {
	uint32_t pos;       /* its next step */
	uint32_t heap;      /* its place in the heap */
	uint32_t processor; /* that it runs on, is in the queue of, or ran on last */
	uint32_t next;      /* in the list that it waits in */
	uint32_t waits_for; /* the step that it waits for, while it is in such a list; or NOBODY */
	uint32_t waits_at;  /* the object, while it is in the list of one; or NOBODY */
	uint32_t generation; /* round of the barrier at which it has arrived */
	uint32_t woken;     /* number of times, for this step */
	uint32_t drawn;     /* number of times that chance decided about its processor */
	bool writes;        /* it is one of the `writers` of a lock */
	uint8_t doing, phase;
	double at;          /* when its moment in the heap is */
	double asleep_since; /* when it last began to wait */
	float awake_ns;     /* processor time since it last slept for ASLEEP_NS */
	double since, left; /* running since, with so much of its stretch left then */
	double slice_end, used;
	double ticked;      /* when it last went on at a tick */
	double frame_end;   /* the last moment that its frames are counted from; 0: none yet */
	float change[REPLICATES];
};

struct processor {
	uint32_t running;     /* the actor, or NOBODY */
	uint32_t first, last; /* actors that wait for it, in order of arrival */
};

/* A list of numbers, in ascending order; see ordered_add. */
struct ordered {
	uint32_t first, last; /* NOBODY: it is empty */
};

struct link {
	uint32_t before, after;
};

/* The state of an object. */
struct place {
	uint32_t owner, depth; /* 1 + actor */
	int32_t have;          /* tokens, or arrivals, or given less consumed, or threads that share a lock */
	uint32_t generation;
	struct ordered given;  /* work that may be taken */
	uint32_t left;         /* its work before that is taken; NOBODY: it has none */
	uint32_t first, last;  /* list of waiting actors, in order of arrival */
	uint32_t writers;      /* that wait for a lock, or have been woken and do not have it yet */
	bool gone;             /* a lock that is not there */
};

/* The state of an event loop. */
struct looping {
	uint32_t end;     /* the step before which the present round ends */
	uint32_t present; /* the present round; NOBODY: none has begun */
	uint32_t left;    /* rounds that have not begun */
	bool waits;       /* for a round to be ready */
	struct ordered asked; /* rounds that it asks for as it waits for the next time */
	struct ordered made; /* rounds that have been made ready, perhaps for a later time, and have not begun */
};

struct sim {
	const struct replay *replay;
	const struct script *script;
	const struct setting *how;
	struct run *run;
	struct runner *runner;
	struct place *place;
	uint32_t *heap;
	uint32_t *followers; /* by the actor that did the step in the recording: the first actor waiting for a step of it */
	bool *done;          /* by step */
	double *when;        /* by step, when it was done; NULL: no step needs that */
	struct looping *looping; /* by loop; NULL: there is none, or the order is as recorded */
	bool *begun;         /* by round */
	double *ready;       /* by round: since when it is ready, or from when on; INFINITY: not known yet */
	struct link *rounds; /* by round */
	bool *given, *taken; /* by work */
	struct link *works;  /* by work */
	size_t nheap;
	struct processor *processor;
	uint32_t cpus, idle; /* processors, and those of them that nobody runs on */
	size_t queued;       /* actors that wait for a processor */
	unsigned model;     /* RECORDED or MONITOR */
	bool preempts;      /* see struct replay */
	bool stays;         /* as in REPLAY_STAYING */
	double takes;       /* see struct replay */
	double now;
	double computed_ns, taken_ns; /* as in struct visit */
	uint32_t cause;     /* the actor that acts now */
	bool stopped;
};

/* ---- the heap ----------------------------------------------------------------------- */

static void heap_set(struct sim *m, size_t at, uint32_t i)
{
	m->heap[at] = i;
	m->runner[i].heap = (uint32_t)at;
}

static void heap_up(struct sim *m, size_t at)
{
	uint32_t i = m->heap[at];

	while (at) {
		size_t above = (at - 1) / 2;

		if (m->runner[m->heap[above]].at <= m->runner[i].at)
			break;
		heap_set(m, at, m->heap[above]);
		at = above;
	}
	heap_set(m, at, i);
}

static void heap_down(struct sim *m, size_t at)
{
	uint32_t i = m->heap[at];

	for (;;) {
		size_t below = 2 * at + 1;

		if (below >= m->nheap)
			break;
		if (below + 1 < m->nheap && m->runner[m->heap[below + 1]].at < m->runner[m->heap[below]].at)
			below++;
		if (m->runner[m->heap[below]].at >= m->runner[i].at)
			break;
		heap_set(m, at, m->heap[below]);
		at = below;
	}
	heap_set(m, at, i);
}

/* Puts the moment of the actor there, or moves it. */
static void heap_put(struct sim *m, uint32_t i, double at)
{
	struct runner *r = &m->runner[i];

	if (r->heap == NOBODY) {
		r->at = at;
		m->heap[m->nheap] = i;
		heap_up(m, m->nheap++);
		return;
	}
	if (at < r->at) {
		r->at = at;
		heap_up(m, r->heap);
	} else {
		r->at = at;
		heap_down(m, r->heap);
	}
}

static void heap_drop(struct sim *m, uint32_t i)
{
	size_t at = m->runner[i].heap;
	uint32_t moved;

	if (at == NOBODY)
		return;
	m->runner[i].heap = NOBODY;
	moved = m->heap[--m->nheap];
	if (moved == i)
		return;
	heap_set(m, at, moved);
	heap_up(m, at);
	heap_down(m, m->runner[moved].heap);
}

/* ---- processors ------------------------------------------------------------------------
 *
 * Each has a queue of its own, as in Linux.  A thread that wakes up goes to the processor
 * that it ran on last, or to an idle one.  A processor without work takes a thread from the
 * queue of another one.
 *
 * Linux often leaves such a processor idle.  Where processors are busy for more than about
 * 60 % of the time, it looks for no idle one as a thread wakes up: of 706 wake-ups in
 * t/workload/reactor on a busy processor, beside an idle one, 81 moved (Linux 6.18).  As a
 * processor becomes idle, it takes a thread from the queue of another one in 0.1 to 44 %
 * of the cases, depending on the program.  So a thread is taken with a chance only, which
 * is learned from the recording: `takes` in replay_parts.h.
 *
 * In REPLAY_STAYING the recording tells who runs where: each thread is on the processor
 * that it was on at the same step, whether others are idle or not.
 */

static const struct step *step_of(const struct sim *m, uint32_t i)
{
	return &m->script->step[m->runner[i].pos];
}

static void copy_change(struct sim *m, uint32_t to, uint32_t from)
{
	if (m->how->change && to != from && from != NOBODY)
		memcpy(m->runner[to].change, m->runner[from].change, sizeof(m->runner[to].change));
}

static struct processor *processor_of(const struct sim *m, uint32_t i)
{
	return &m->processor[m->runner[i].processor];
}

static void set_moment(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	double end = r->since + r->left;

	if (processor_of(m, i)->first != NOBODY && r->slice_end < end)
		end = r->slice_end > m->now ? r->slice_end : m->now;
	heap_put(m, i, end);
}

static void advance(struct sim *m, double to)
{
	if (to <= m->now)
		return;
	m->run->idled_ns += (double)(m->queued < m->idle ? m->queued : m->idle) * (to - m->now);
	m->now = to;
}

static void run_on(struct sim *m, uint32_t i, uint32_t processor)
{
	struct runner *r = &m->runner[i];

	r->doing = RUNNING;
	r->since = m->now;
	r->slice_end = m->now + SLICE_NS;
	r->processor = processor;
	m->processor[processor].running = i;
	m->idle--;
	set_moment(m, i);
}

/* The nearest idle processor.  There is one. */
static uint32_t idle_processor(const struct sim *m, uint32_t from)
{
	for (uint32_t k = from;;) {
		if (m->processor[k].running == NOBODY)
			return k;
		k = k + 1 < m->cpus ? k + 1 : 0;
	}
}

/*
 * Does an idle processor take the actor, which waits for another one?  The draws are multiples of the golden ratio,
 * which are spread evenly.  Random numbers would bring more chance into the gain.
 */
static bool is_taken(struct sim *m, uint32_t i)
{
	if (m->takes >= 1)
		return true;
	return ((uint32_t)keys_mix(i, m->how->realization) + GOLDEN * m->runner[i].drawn++) * 0x1p-32 < m->takes;
}

/* Is the actor on a processor that is not for it to choose? */
static bool is_placed(const struct sim *m, uint32_t i)
{
	return m->stays && m->script->step[m->script->actor[i].first].processor != NOWHERE;
}

/* The actor waits for the processor that it was last on, unless an idle one takes it. */
static void enqueue(struct sim *m, uint32_t i)
{
	struct processor *p = processor_of(m, i);
	bool first = p->first == NOBODY;
	uint32_t other = m->idle && !is_placed(m, i) && is_taken(m, i) ? idle_processor(m, (m->runner[i].processor + 1) % m->cpus) : m->runner[i].processor;

	if (other != m->runner[i].processor) {
		run_on(m, i, other);
		return;
	}
	m->runner[i].doing = READY;
	m->runner[i].next = NOBODY;
	if (first)
		p->first = i;
	else
		m->runner[p->last].next = i;
	p->last = i;
	m->queued++;
	if (first && p->running != NOBODY)
		set_moment(m, p->running);
}

static uint32_t dequeue(struct sim *m, struct processor *p)
{
	uint32_t i = p->first;

	p->first = m->runner[i].next;
	m->queued--;
	return i;
}

static void take_off(struct sim *m, uint32_t i)
{
	processor_of(m, i)->running = NOBODY;
	m->idle++;
}

/* The actor has left the processor `at`, which takes the next one: of its own queue, or of another one's. */
static void dispatch(struct sim *m, uint32_t i, uint32_t at)
{
	uint32_t from = at, next;

	for (uint32_t k = 1; m->processor[from].first == NOBODY; k++) {
		if (!m->queued || m->stays || k == m->cpus)
			return;
		from = from + 1 < m->cpus ? from + 1 : 0;
	}
	if (from != at && !is_taken(m, m->processor[from].first))
		return;
	next = dequeue(m, &m->processor[from]);
	copy_change(m, next, i);
	run_on(m, next, at);
}

static void account(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	double ran = m->now - r->since;

	r->left = r->left > ran ? r->left - ran : 0;
	r->used += ran;
	r->since = m->now;
}

/* The processor of the actor's step in the recording.  Of work that it took from another thread, that would be the other one's. */
static uint32_t recorded_processor(const struct sim *m, uint32_t i, uint32_t step)
{
	return m->script->actor_of[step] == i ? m->script->step[step].processor : m->runner[i].processor;
}

/*
 * Where the actor goes as it wakes up.  If threads stay: to the processor of the recording.  Else to the one that it ran on last,
 * unless that is busy and an idle one takes it.
 */
static uint32_t choose_processor(struct sim *m, uint32_t i)
{
	uint32_t last = m->runner[i].processor;

	if (is_placed(m, i))
		return recorded_processor(m, i, m->runner[i].pos);
	if (!m->idle || m->processor[last].running == NOBODY)
		return last;
	return is_taken(m, i) ? idle_processor(m, last) : last;
}

/* Has the running actor run so much longer than the one that wakes up that it gives way? */
static bool gives_way(struct sim *m, uint32_t running, struct runner *woken)
{
	double used = m->runner[running].used + (m->now - m->runner[running].since);

	if (!m->preempts || running == m->cause)
		return false;
	woken->used = fmax(woken->used, used - SLICE_NS);
	return used > woken->used;
}

static void wants_processor(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	uint32_t other;

	r->processor = choose_processor(m, i);
	other = m->processor[r->processor].running;
	if (other == NOBODY) {
		run_on(m, i, r->processor);
		return;
	}
	if (!gives_way(m, other, r)) {
		enqueue(m, i);
		return;
	}
	account(m, other);
	heap_drop(m, other);
	take_off(m, other);
	run_on(m, i, r->processor);
	enqueue(m, other);
}

/* ---- numbers in order ------------------------------------------------------------------ */

/* Most are added at the end, or near it. */
static void ordered_add(struct ordered *o, struct link *link, uint32_t number)
{
	uint32_t before = o->last, after;

	while (before != NOBODY && before > number)
		before = link[before].before;
	after = before == NOBODY ? o->first : link[before].after;
	link[number] = (struct link){ before, after };
	*(before == NOBODY ? &o->first : &link[before].after) = number;
	*(after == NOBODY ? &o->last : &link[after].before) = number;
}

static void ordered_remove(struct ordered *o, struct link *link, uint32_t number)
{
	struct link l = link[number];

	*(l.before == NOBODY ? &o->first : &link[l.before].after) = l.after;
	*(l.after == NOBODY ? &o->last : &link[l.after].before) = l.before;
}

/* ---- waiting and waking ------------------------------------------------------------------ */

static void sleep_for(struct sim *m, uint32_t i, double ns)
{
	m->runner[i].doing = SLEEPING;
	heap_put(m, i, m->now + (ns > 0 ? ns : 0));
}

/* After each wake-up in vain, the next one takes as long as another recorded one. */
static struct wakeup seen_wakeup(struct sim *m, uint32_t i, const struct step *s)
{
	uint32_t again = m->runner[i].woken++;

	if (m->model == MONITOR && again)
		return latency_pick(m->replay, s->latencies, keys_mix(m->runner[i].pos, again));
	return m->model == MONITOR ? s->woken : s->wakeup;
}

/*
 * A processor that has slept for less wakes up sooner, above all in a virtual machine: at a barrier
 * after 30 us if the thread had slept for less than 100, and after 100 us if for more than 200.  So a
 * latency shrinks in proportion to the sleep.
 */
static double latency_of(struct sim *m, uint32_t i, const struct step *s)
{
	struct wakeup seen = seen_wakeup(m, i, s);
	double nap = nap_of(m->replay, s), ns = (double)seen.ns, slept = m->now - m->runner[i].asleep_since, then = (double)seen.slept_ns;

	if (nap > 0)
		return nap * ceil(slept / nap) - slept;
	if (m->how->kept)
		return ns + (m->model == MONITOR ? 0 : (double)s->late_ns);
	return m->how->open == LATENCIES_RECORDED || slept >= then ? ns : ns * slept / then;
}

static void wake(struct sim *m, uint32_t i)
{
	copy_change(m, i, m->cause);
	sleep_for(m, i, latency_of(m, i, step_of(m, i)));
}

static void join(struct sim *m, uint32_t object, uint32_t i)
{
	struct place *p = &m->place[object];

	m->runner[i].next = NOBODY;
	m->runner[i].waits_at = object;
	if (p->first == NOBODY)
		p->first = i;
	else
		m->runner[p->last].next = i;
	p->last = i;
}

static bool wake_first(struct sim *m, struct place *p)
{
	uint32_t i = p->first;

	if (i == NOBODY)
		return false;
	p->first = m->runner[i].next;
	m->runner[i].waits_at = NOBODY;
	wake(m, i);
	return true;
}

static bool is_done(const struct sim *m, uint32_t step)
{
	return step == NOBODY || m->done[step];
}

/* The k-th cause of the step is a lock that is not there. */
static bool is_gone(const struct sim *m, const struct step *s, size_t k)
{
	uint32_t object = k ? s->other : s->object;

	return object != NOBODY && m->place[object].gone;
}

/* True: the actor must wait for one of the first n causes, and is in its list. */
static bool follows(struct sim *m, uint32_t i, const struct step *s, size_t n)
{
	struct runner *r = &m->runner[i];

	for (size_t k = 0; k < n; k++) {
		uint32_t by;

		if (is_done(m, s->cause[k]) || is_gone(m, s, k))
			continue;
		by = m->script->actor_of[s->cause[k]];
		r->waits_for = s->cause[k];
		r->next = m->followers[by];
		m->followers[by] = i;
		return true;
	}
	return false;
}

/* A step that `by` did in the recording is done: lets actors go on that wait for it. */
static void notify(struct sim *m, uint32_t by)
{
	uint32_t *link = &m->followers[by];

	while (*link != NOBODY) {
		uint32_t i = *link;
		const struct step *s = step_of(m, i);

		if (!is_done(m, m->runner[i].waits_for)) {
			link = &m->runner[i].next;
			continue;
		}
		*link = m->runner[i].next;
		if (follows(m, i, s, s->op[m->model] == OP_WAIT ? 1 : 2))
			continue;
		m->runner[i].waits_for = NOBODY;
		m->runner[i].phase = 1;
		wake(m, i);
	}
}

/* ---- operations of steps.  Each: true when the step is done, false when it waits ------------------ */

static bool do_edge(struct sim *m, uint32_t i, const struct step *s, size_t ncauses)
{
	return m->runner[i].phase || !follows(m, i, s, ncauses);
}

/* Simple enough for compilers to vectorise. */
static void shift(float *restrict change, const float *restrict by, float ns)
{
	for (size_t k = 0; k < REPLICATES; k++)
		change[k] -= ns * by[k];
}

static double outside_factor(const struct sim *m, const struct step *s)
{
	const struct replay_question *q = m->how->asked;

	for (size_t i = 0; q && i < q->noutside; i++)
		if (q->outside[i].site == s->site)
			return q->outside[i].factor > 0 ? q->outside[i].factor : 0;
	return 1;
}

/* The part of a wait for the outside that the question leaves: waits in faster code get shorter, too. */
static double outside_rest(const struct sim *m, const struct step *s)
{
	double rest = outside_factor(m, s);

	return m->how->fraction ? rest * (1 - (double)m->how->fraction[s->wait_cell]) : rest;
}

/* The length of a wait for the outside, without its processor time (see begin_stretch). */
static double outside_ns(struct sim *m, uint32_t i, const struct step *s)
{
	if (m->how->change)
		shift(m->runner[i].change, m->how->change[s->wait_cell], s->waited_ns * (float)outside_factor(m, s));
	return ((double)s->waited_ns - (double)s->kernel_ns) * outside_rest(m, s);
}

static size_t number_of(const struct sim *m, const struct step *s)
{
	return (size_t)(s - m->script->step);
}

/*
 * The wait's length if it ends at the same moment as without a question, on a clock that is faster by 1 / clock; if that moment is
 * unknown, its recorded length.
 */
static double fixed_ns(const struct sim *m, const struct step *s, double clock)
{
	const double *woke = m->script->base[m->how->model].woke_ns;

	if (!woke || !(woke[number_of(m, s)] > 0))
		return (double)s->waited_ns * clock;
	return fmax(0, woke[number_of(m, s)] * clock - m->now + (double)s->late_ns);
}

/* What is left of each time until a moment of the clock. */
static double clock_of(const struct sim *m)
{
	return m->how->asked ? 1 - m->how->asked->sooner : 1;
}

/* The time until the next tick; none if there has been one since the last wait. */
static double tick_ns(struct sim *m, uint32_t i, const struct ticks *t)
{
	double period = t->period_ns * clock_of(m), phase = t->phase_ns * clock_of(m);
	double *last = &m->runner[i].ticked, passed = floor((m->now - phase) / period);
	double next = passed > floor((*last - phase) / period) ? m->now : phase + (passed + 1) * period;

	*last = next;
	return next - m->now;
}

/* The time until the end of a frame, see frames.c.  If that is over, the next frame is counted from now. */
static double frame_rest(const struct sim *m, struct runner *r, const struct step *s)
{
	double end = r->frame_end > 0 ? r->frame_end + (double)s->frame_ns * clock_of(m) : m->now + (double)s->waited_ns * clock_of(m);

	r->frame_end = fmax(end, m->now);
	return r->frame_end - m->now;
}

/* The length of a wait of which nobody knows why it ended then.  ns: without an assumption about that. */
static double unseen_ns(const struct sim *m, const struct step *s, double ns)
{
	switch (m->how->open) {
	case WAITS_SHORTER:
		return ns * (1 - m->how->shorter);
	case WAITS_FIXED:
		return s->by_thread || s->unsignalled ? ns : fixed_ns(m, s, 1);
	default:
		return ns;
	}
}

/* The time for which a thread sleeps, whatever kind of wait it is. */
static double sleep_of(struct sim *m, uint32_t i, const struct step *s)
{
	switch ((enum burst_kind)s->kind) {
	case BURST_OUTSIDE:
		return s->any ? unseen_ns(m, s, outside_ns(m, i, s)) : outside_ns(m, i, s);
	case BURST_CLOCK:
		if (s->frame_ns > 0)
			return frame_rest(m, &m->runner[i], s);
		if (s->ticks && m->how->open != WAITS_FIXED)
			return tick_ns(m, i, &m->script->ticks[s->ticks - 1]);
		/* How long a moment had been over is not known.  A thread that comes before it waits, but not for as long as until now. */
		return m->how->asked && !step_came_late(s) ? fixed_ns(m, s, clock_of(m)) : (double)s->waited_ns;
	default:
		return unseen_ns(m, s, (double)s->waited_ns);
	}
}

/* The same, as it is in the simulation, where a thread that wakes up may have to wait for a processor. */
static double simulated_sleep(struct sim *m, uint32_t i, const struct step *s)
{
	double ns = sleep_of(m, i, s);

	if (ns > 0 && !m->how->kept)
		ns = fmax(0, ns - (double)s->late_ns);
	if (ns > 0 && m->run->woke_ns)
		m->run->woke_ns[number_of(m, s)] = m->now + ns;
	return ns;
}

static bool do_sleep(struct sim *m, uint32_t i, const struct step *s)
{
	double ns;

	if (m->runner[i].phase)
		return true;
	m->runner[i].phase = 1;
	ns = simulated_sleep(m, i, s);
	if (ns <= 0)
		return true;
	sleep_for(m, i, ns);
	return false;
}

/* The time from its cause to the answer.  If the wait is in code that gets faster, the wait gets shorter, too. */
static double answer_ns(const struct sim *m, const struct step *s)
{
	return (double)s->wakeup.ns - (double)s->waited_ns * (1 - outside_rest(m, s)) + (m->how->kept ? (double)s->late_ns : 0);
}

static bool do_answer(struct sim *m, uint32_t i, const struct step *s)
{
	double rest;

	if (m->runner[i].phase)
		return true;
	if (follows(m, i, s, 1))
		return false;
	rest = m->when[s->cause[0]] + answer_ns(m, s) - m->now;
	if (rest <= 0)
		return true;
	m->runner[i].phase = 1;
	sleep_for(m, i, rest);
	return false;
}

/* May the actor not have the lock now?  shares: together with others that share it, of whom `have` have it. */
static bool is_barred(const struct sim *m, uint32_t i, uint32_t lock, bool shares)
{
	const struct place *p = &m->place[lock];

	if (p->owner)
		return p->owner != i + 1;
	return shares ? m->replay->object[lock].writers_first && p->writers : p->have > 0;
}

/* Counts the actor as one of the writers, or no longer. */
static void set_writer(struct sim *m, uint32_t i, struct place *p, bool writes)
{
	p->writers += writes;
	p->writers -= m->runner[i].writes;
	m->runner[i].writes = writes;
}

/* Shared locks are taken one after the other: each actor that shares it lets the next one take it. */
static bool take_lock(struct sim *m, uint32_t i, uint32_t lock, bool shares)
{
	struct place *p = &m->place[lock];

	if (p->gone)
		return true;
	if (is_barred(m, i, lock, shares)) {
		set_writer(m, i, p, !shares);
		join(m, lock, i);
		return false;
	}
	set_writer(m, i, p, false);
	if (shares && !p->owner) {
		p->have++;
		if (p->first != NOBODY && step_of(m, p->first)->shares)
			wake_first(m, p);
		return true;
	}
	p->depth = p->owner ? p->depth + 1 : 1;
	p->owner = i + 1;
	return true;
}

/* Puts the first writer that waits in front of the list. */
static void put_writer_first(struct sim *m, struct place *p)
{
	uint32_t before = NOBODY, i = p->first;

	while (i != NOBODY && !m->runner[i].writes) {
		before = i;
		i = m->runner[i].next;
	}
	if (i == NOBODY || before == NOBODY)
		return;
	m->runner[before].next = m->runner[i].next;
	if (p->last == i)
		p->last = before;
	m->runner[i].next = p->first;
	p->first = i;
}

static void release_lock(struct sim *m, uint32_t i, uint32_t lock)
{
	struct place *p = &m->place[lock];

	if (p->owner == i + 1) {
		if (--p->depth)
			return;
		p->owner = 0;
	} else if (p->owner || p->have <= 0 || --p->have) {
		return;
	}
	if (m->replay->object[lock].writers_first)
		put_writer_first(m, p);
	wake_first(m, p);
}

static bool condition_holds(const struct sim *m, uint32_t condition)
{
	return m->place[condition].have >= m->script->start[condition];
}

static void add_work(struct sim *m, uint32_t work)
{
	if (!m->given[work] && !m->taken[work])
		ordered_add(&m->place[m->script->work[work].object].given, m->works, work);
	m->given[work] = true;
}

/* The actor's step gives to the object. */
static void give_work(struct sim *m, uint32_t i, uint32_t object)
{
	if (!m->script->gives_work)
		return;
	for (uint32_t k = m->script->gives_work[m->runner[i].pos]; k != NOBODY; k = m->script->work[k].giver.same)
		if (m->script->work[k].object == object)
			add_work(m, k);
}

static void give_to_condition(struct sim *m, uint32_t i, uint32_t condition)
{
	struct place *p = &m->place[condition];

	give_work(m, i, condition);
	p->have += m->replay->object[condition].gives;
	for (int32_t k = 0; k < m->replay->object[condition].gives && condition_holds(m, condition); k++)
		if (!wake_first(m, p))
			return;
}

static void do_leave(struct sim *m, uint32_t i, const struct step *s)
{
	release_lock(m, i, s->object);
	if (!s->monitor_other)
		return;
	for (uint32_t k = 0; k < m->replay->section_class[s->monitor_other - 1].ngives; k++)
		give_to_condition(m, i, m->replay->section_class[s->monitor_other - 1].gives[k]);
}

/* All of the group have come, with this one. */
static bool completes_group(struct sim *m, uint32_t object)
{
	struct place *p = &m->place[object];

	if (++p->have < (int32_t)m->replay->object[object].members)
		return false;
	p->have = 0;
	p->generation++;
	while (wake_first(m, p))
		;
	return true;
}

/* Does the condition hold for the testing actor, which has the lock? */
static bool passes_condition(struct sim *m, uint32_t i, const struct step *s)
{
	const struct object *o = &m->replay->object[s->asks];
	struct runner *r = &m->runner[i];
	bool came = r->phase == WENT;

	if (o->rule != RULE_GATHER) {
		if (!condition_holds(m, s->asks))
			return false;
		m->place[s->asks].have -= o->consumes;
		return true;
	}
	r->phase = WENT;
	return came || (s->op[MONITOR] == OP_RESUME ? m->place[s->asks].generation > 0 : completes_group(m, s->asks));
}

/* After the step itself: goes on when the condition holds.  Until then it waits, without the lock. */
static bool check_condition(struct sim *m, uint32_t i, const struct step *s)
{
	uint32_t lock = m->replay->object[s->asks].lock;

	if (m->place[lock].owner != i + 1 && !take_lock(m, i, lock, false))
		return false;
	if (passes_condition(m, i, s))
		return true;
	release_lock(m, i, lock);
	join(m, s->asks, i);
	return false;
}

/* Does it sleep, as no cause is known, or is assumed? */
static bool has_no_cause(const struct sim *m, const struct step *s)
{
	return s->cause[0] == NOBODY || (s->unsignalled && (m->how->open == WAITS_SHORTER || m->how->open == WAITS_FIXED));
}

/* Phases: 0 waits for its cause, 1 takes the lock. */
static bool do_wait(struct sim *m, uint32_t i, const struct step *s)
{
	if (!m->runner[i].phase) {
		if (has_no_cause(m, s) ? !do_sleep(m, i, s) : !do_edge(m, i, s, 1))
			return false;
		m->runner[i].phase = 1;
	}
	return take_lock(m, i, s->monitor_other, false);
}

static bool do_barrier(struct sim *m, uint32_t i, const struct step *s)
{
	struct place *p = &m->place[s->object];

	if (p->generation > m->runner[i].generation)
		return true;
	join(m, s->object, i);
	return false;
}

static bool do_grab(struct sim *m, uint32_t i, const struct step *s)
{
	struct place *p = &m->place[s->object];

	if (p->have <= 0) {
		join(m, s->object, i);
		return false;
	}
	p->have--;
	return true;
}

static void do_visit(struct sim *m, uint32_t i, const struct step *s)
{
	struct visit *v = &m->run->visit[m->run->first[s->object] + m->run->visits[s->object]++];

	v->at_ns = m->now;
	v->weight = (double)s->other;
	v->computed_ns = m->computed_ns;
	v->taken_ns = m->taken_ns;
	memcpy(v->change, m->runner[i].change, sizeof(v->change));
}

static void do_span(struct sim *m, uint32_t i, const struct step *s, bool begins)
{
	struct span *p = &m->run->span[s->other];

	if (begins) {
		p->begin_ns = m->now;
		memcpy(p->change, m->runner[i].change, sizeof(p->change));
		return;
	}
	p->end_ns = m->now;
	for (size_t k = 0; k < REPLICATES; k++)
		p->change[k] = m->runner[i].change[k] - p->change[k];
}

/* Processor time of the stretch, without a question. */
static double computing_ns(struct sim *m, struct runner *r, const struct step *s)
{
	double ns = (double)s->cpu_ns;

	if (r->awake_ns >= AWAKE_NS) {
		m->run->spared_ns += ns - (double)s->awake_ns;
		ns = m->run->awake ? (double)s->awake_ns : ns;
	}
	r->awake_ns += s->cpu_ns;
	return ns;
}

/* The factor of the length of the actor's stretch in this realization. */
static double by_chance(const struct sim *m, uint32_t i)
{
	return m->how->realization ? 1 + CHANCE * ((uint32_t)keys_mix(m->runner[i].pos, m->how->realization) * 0x1p-32 - 0.5) : 1;
}

/* The processor time of a wait for the outside is a part of the stretch before it. */
static void begin_stretch(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	const struct step *s = step_of(m, i);
	double cpu = computing_ns(m, r, s) * by_chance(m, i);

	r->phase = 0;
	r->woken = 0;
	r->left = cpu;
	m->computed_ns += cpu;
	if (m->how->fraction) {
		m->taken_ns += cpu * (double)m->how->fraction[s->cell];
		r->left *= 1 - (double)m->how->fraction[s->cell];
	}
	if (s->kernel_ns > 0)
		r->left += (double)s->kernel_ns * outside_rest(m, s);
	r->left = m->how->kept ? r->left + (double)s->queued_ns : r->left * m->replay->slowed;
	if (m->how->change)
		shift(r->change, m->how->change[s->cell], s->cpu_ns);
}

static void do_birth(struct sim *m, uint32_t i, const struct step *s)
{
	if (s->other == NOBODY || m->runner[s->other].doing != UNBORN)
		return;
	copy_change(m, s->other, i);
	begin_stretch(m, s->other);
	wants_processor(m, s->other);
}

/* An actor does the last steps of `a`. */
static void end_counting(struct sim *m, uint32_t i, const struct actor *a)
{
	if (m->now > m->run->stop_ns || a->matters) {
		m->run->stop_ns = m->now;
		memcpy(m->run->stop_change, m->runner[i].change, sizeof(m->run->stop_change));
	}
	m->stopped = m->stopped || a->matters;
}

static void do_stop(struct sim *m, uint32_t i)
{
	m->runner[i].doing = OVER;
	end_counting(m, i, &m->script->actor[m->script->actor_of[m->runner[i].pos]]);
}

static bool do_step(struct sim *m, uint32_t i, const struct step *s)
{
	switch ((enum op)s->op[m->model]) {
	case OP_PASS:
	case OP_RESUME:
		return true;
	case OP_VISIT:
		do_visit(m, i, s);
		return true;
	case OP_BEGIN:
	case OP_END:
		do_span(m, i, s, s->op[m->model] == OP_BEGIN);
		return true;
	case OP_BIRTH:
		do_birth(m, i, s);
		return true;
	case OP_STOP:
		do_stop(m, i);
		return false;
	case OP_SLEEP:
		return do_sleep(m, i, s);
	case OP_EDGE:
		return do_edge(m, i, s, 2);
	case OP_ANSWER:
		return do_answer(m, i, s);
	case OP_ARRIVE:
		m->runner[i].generation = m->place[s->object].generation;
		completes_group(m, s->object);
		return true;
	case OP_BARRIER:
		return do_barrier(m, i, s);
	case OP_GIVE:
		m->place[s->object].have++;
		give_work(m, i, s->object);
		wake_first(m, &m->place[s->object]);
		return true;
	case OP_GRAB:
		return do_grab(m, i, s);
	case OP_TAKE:
		return take_lock(m, i, s->object, s->shares);
	case OP_LEAVE:
		do_leave(m, i, s);
		return true;
	case OP_WAIT:
		return do_wait(m, i, s);
	case OP_SIGNAL:
		give_to_condition(m, i, s->object);
		return true;
	}
	return true;
}

/* ---- event loops: see loops.c ----------------------------------------------------------------------- */

static struct looping *looping_of(const struct sim *m, uint32_t i)
{
	return m->looping && m->script->actor[i].loop ? &m->looping[m->script->actor[i].loop - 1] : NULL;
}

static const struct step *first_step(const struct sim *m, uint32_t round)
{
	return &m->script->step[m->script->round[round].first];
}

/* The loop waits: it goes on when the round is ready, if that is before what it waits for now. */
static void wait_for_round(struct sim *m, uint32_t i, uint32_t round)
{
	struct runner *r = &m->runner[i];
	double at = m->ready[round] > m->now ? m->ready[round] : m->now + latency_of(m, i, first_step(m, round));

	if (r->doing != WAITING && !(r->doing == SLEEPING && at < r->at))
		return;
	copy_change(m, i, m->cause);
	sleep_for(m, i, at - m->now);
}

/* From now on, or from when the outside has answered. */
static void set_ready(struct sim *m, uint32_t round)
{
	uint32_t number = m->script->round[round].loop, i = m->script->loop[number].actor;
	const struct step *s = first_step(m, round);

	m->ready[round] = m->now;
	if (s->op[m->model] == OP_ANSWER)
		m->ready[round] += answer_ns(m, s);
	else if (s->op[m->model] == OP_SLEEP)
		m->ready[round] += simulated_sleep(m, i, s);
	ordered_add(&m->looping[number].made, m->rounds, round);
	if (m->looping[number].waits)
		wait_for_round(m, i, round);
}

/* The cause of the round is done; or nothing is known of that, and the round before is over. */
static void make_ready(struct sim *m, uint32_t round)
{
	struct looping *l = &m->looping[m->script->round[round].loop];

	if (m->ready[round] < INFINITY)
		return;
	if (m->script->round[round].asked)
		ordered_add(&l->asked, m->rounds, round);
	else
		set_ready(m, round);
}

/* The loop waits: it tells what it asks for. */
static void ask(struct sim *m, struct looping *l)
{
	while (l->asked.first != NOBODY) {
		uint32_t round = l->asked.first;

		ordered_remove(&l->asked, m->rounds, round);
		set_ready(m, round);
	}
}

static void begin_round(struct sim *m, uint32_t i, struct looping *l, uint32_t round)
{
	const struct loop *loop = &m->script->loop[m->script->round[round].loop];

	ordered_remove(&l->made, m->rounds, round);
	m->begun[round] = true;
	l->left--;
	l->waits = false;
	l->present = round;
	l->end = round + 1 < loop->first + loop->n ? m->script->round[round + 1].first : m->script->actor[i].end - 1;
	m->runner[i].pos = m->script->round[round].first;
	if (first_step(m, round)->op[m->model] == OP_GRAB)
		m->place[first_step(m, round)->object].have--;
	if (round >= loop->first + loop->n - loop->pending)
		end_counting(m, i, &m->script->actor[i]);
}

/* False: no round is ready.  Then *next_at is when the next one will be; INFINITY: that is not known. */
static bool begin_ready(struct sim *m, uint32_t i, struct looping *l, double *next_at)
{
	*next_at = INFINITY;
	for (uint32_t k = l->made.first; k != NOBODY; k = m->rounds[k].after) {
		if (m->ready[k] <= m->now + INSTANT_NS) {
			begin_round(m, i, l, k);
			return true;
		}
		*next_at = fmin(*next_at, m->ready[k]);
	}
	return false;
}

/* The loop has done a round: it goes on with one that is ready, or waits for one.  True: it goes on. */
static bool next_round(struct sim *m, uint32_t i, struct looping *l)
{
	const struct loop *loop = &m->script->loop[m->script->actor[i].loop - 1];
	uint32_t next = l->present == NOBODY ? loop->first : l->present + 1;
	double at;

	if (!l->waits && next < loop->first + loop->n && m->script->round[next].cause.step == NOBODY)
		make_ready(m, next);
	if (begin_ready(m, i, l, &at))
		return true;
	ask(m, l);
	if (begin_ready(m, i, l, &at))
		return true;
	l->waits = true;
	m->runner[i].asleep_since = m->now;
	if (at < INFINITY)
		sleep_for(m, i, at - m->now);
	return false;
}

/* No actor can go on.  The loop goes on with the round that was the next one in the recording. */
static void force_round(struct sim *m, uint32_t i, struct looping *l)
{
	uint32_t round = m->script->loop[m->script->actor[i].loop - 1].first;

	while (m->begun[round])
		round++;
	m->ready[round] = m->now;
	ordered_add(&l->made, m->rounds, round);
}

/* Is the actor at the end of a round, and are others left?  If none is, it goes to its own end. */
static bool ends_round(const struct sim *m, uint32_t i, struct looping *l)
{
	if (!l || m->runner[i].pos != l->end)
		return false;
	if (!l->left)
		m->runner[i].pos = m->script->actor[i].end - 1;
	return l->left > 0;
}

static bool perform(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	struct looping *l = looping_of(m, i);
	const struct step *s;

	if (ends_round(m, i, l))
		return next_round(m, i, l);
	s = step_of(m, i);

	if (r->phase < ASKS) {
		if (!do_step(m, i, s))
			return false;
		if (m->model == RECORDED || s->asks == NOBODY)
			return true;
		r->phase = ASKS;
	}
	return check_condition(m, i, s);
}

/* ---- the run ---------------------------------------------------------------------------------------- */

/* After a deadlock: what was taken next in the recording; NOBODY: all is taken. */
static uint32_t left_work(const struct sim *m, uint32_t object)
{
	const struct script *s = m->script;
	uint32_t *left = &m->place[object].left;

	while (*left < s->nwork && s->work[*left].object == object && m->taken[*left])
		(*left)++;
	return *left < s->nwork && s->work[*left].object == object ? *left : NOBODY;
}

/* The work that the actor takes, where that moves: of what is given and not taken, the first in the recording. */
static void take_work(struct sim *m, uint32_t i, uint32_t object)
{
	struct place *p = &m->place[object];
	uint32_t k;

	if (!m->replay->object[object].moves || !m->script->nwork)
		return;
	k = p->given.first;
	if (k != NOBODY)
		ordered_remove(&p->given, m->works, k);
	else
		k = left_work(m, object);
	if (k == NOBODY)
		return;
	m->taken[k] = true;
	m->runner[i].pos = m->script->work[k].first;
}

static void finish_step(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	const struct step *s = step_of(m, i);
	uint32_t by;

	if (m->model == MONITOR && (s->asks != NOBODY || s->op[MONITOR] == OP_GRAB))
		take_work(m, i, s->asks != NOBODY ? s->asks : s->object);
	by = m->script->actor_of[r->pos];
	if (m->when)
		m->when[r->pos] = m->now;
	if (m->looping)
		for (uint32_t k = m->script->makes_ready[r->pos]; k != NOBODY; k = m->script->round[k].cause.same)
			make_ready(m, k);
	m->done[r->pos++] = true;
	if (m->followers[by] != NOBODY)
		notify(m, by);
	begin_stretch(m, i);
}

/* If threads stay: in the recording, the actor had come to another processor as it computed. */
static void move_on(struct sim *m, uint32_t i)
{
	heap_drop(m, i);
	take_off(m, i);
	dispatch(m, i, m->runner[i].processor);
	m->runner[i].processor = recorded_processor(m, i, m->runner[i].pos - 1);
	wants_processor(m, i);
}

/* Goes on until the actor waits, or computes. */
static void perform_steps(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];

	m->cause = i;
	do {
		if (!perform(m, i)) {
			if (r->doing == RUNNING)
				r->doing = WAITING;
			r->asleep_since = m->now;
			if (r->doing != SLEEPING)
				heap_drop(m, i);
			take_off(m, i);
			dispatch(m, i, r->processor);
			return;
		}
		finish_step(m, i);
	} while (r->left < INSTANT_NS && !m->stopped);
	r->since = m->now;
	if (is_placed(m, i) && recorded_processor(m, i, r->pos - 1) != r->processor)
		move_on(m, i);
	else
		set_moment(m, i);
}

/* The slice is over: another actor runs. */
static void next_slice(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	uint32_t at = r->processor;

	if (m->processor[at].first == NOBODY) {
		r->slice_end = m->now + SLICE_NS;
		set_moment(m, i);
		return;
	}
	heap_drop(m, i);
	take_off(m, i);
	enqueue(m, i);
	dispatch(m, i, at);
}

static void unlink_waiting(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	struct place *p = r->waits_at != NOBODY ? &m->place[r->waits_at] : NULL;
	uint32_t *link = p ? &p->first : &m->followers[m->script->actor_of[r->waits_for]];
	uint32_t before = NOBODY;

	while (*link != i) {
		before = *link;
		link = &m->runner[*link].next;
	}
	*link = r->next;
	if (p && p->last == i)
		p->last = before;
	if (p)
		set_writer(m, i, p, false);
	r->waits_at = r->waits_for = NOBODY;
}

/*
 * No actor can go on.  Lets the one go on that did so first in the recording.  False: there
 * is none, or the model has failed.
 */
static bool force_first_waiter(struct sim *m)
{
	uint32_t first = NOBODY;
	struct looping *l;
	bool matters = false;

	for (uint32_t i = 0; i < m->script->nactors; i++) {
		if (m->runner[i].doing != WAITING)
			continue;
		matters = matters || m->script->actor[i].matters;
		if (first == NOBODY || m->script->at_ns[m->runner[i].pos] < m->script->at_ns[m->runner[first].pos])
			first = i;
	}
	m->run->failed = matters && m->run->forced >= FORCED_MOST + m->script->n / 100;
	if (!matters || m->run->failed)
		return false;
	m->run->forced++;
	l = looping_of(m, first);
	if (l && l->waits) {
		force_round(m, first, l);
	} else {
		unlink_waiting(m, first);
		finish_step(m, first);
	}
	wants_processor(m, first);
	return true;
}

static void start_actors(struct sim *m)
{
	const struct replay *r = m->replay;
	const struct replay_question *q = m->how->asked;

	for (size_t i = 0; i < r->nobjects; i++) {
		struct place *p = &m->place[i];
		bool lock = r->object[i].kind == OBJECT_LOCK, counted = r->object[i].rule == RULE_SIGNALS || r->object[i].rule == RULE_SECTIONS;

		p->first = p->last = p->given.first = p->given.last = p->left = NOBODY;
		p->owner = lock ? (uint32_t)m->script->start[i] : 0;
		p->depth = p->owner ? 1 : 0;
		p->have = lock || counted ? 0 : m->script->start[i];
	}
	for (uint32_t k = 0; k < m->script->nwork; k++) {
		if (m->place[m->script->work[k].object].left == NOBODY)
			m->place[m->script->work[k].object].left = k;
		if (m->script->work[k].giver.step == NOBODY)
			add_work(m, k);
	}
	for (size_t k = 0; q && k < q->nwithout; k++)
		if (object_find(r, q->without[k]) != NOBODY && r->object[object_find(r, q->without[k])].kind == OBJECT_LOCK)
			m->place[object_find(r, q->without[k])].gone = true;
	for (uint32_t i = 0; i < m->script->nactors; i++) {
		struct runner *one = &m->runner[i];

		m->followers[i] = NOBODY;
		one->pos = m->script->actor[i].first;
		one->heap = one->next = one->waits_for = one->waits_at = NOBODY;
		one->processor = step_of(m, i)->processor < m->cpus ? step_of(m, i)->processor : i % m->cpus;
	}
	for (uint32_t k = 0; k < m->cpus; k++)
		m->processor[k] = (struct processor){ .running = NOBODY, .first = NOBODY };
	m->idle = m->cpus;
	m->cause = NOBODY;
	/* Those whose processors are known come first.  The others take what is left. */
	for (int placed = 1; placed >= 0; placed--) {
		for (uint32_t i = 0; i < m->script->nactors; i++) {
			if (m->script->actor[i].born || is_placed(m, i) != placed)
				continue;
			begin_stretch(m, i);
			wants_processor(m, i);
		}
	}
}

static void prepare_loops(struct sim *m)
{
	const struct script *s = m->script;

	if (m->replay->answers)
		m->when = xcalloc(s->n + 1, sizeof(*m->when));
	if (m->model == RECORDED || !s->nloops)
		return;
	m->looping = xcalloc(s->nloops + 1, sizeof(*m->looping));
	m->begun = xcalloc(s->nrounds + 1, sizeof(*m->begun));
	for (size_t k = 0; k < s->nloops; k++) {
		const struct loop *loop = &s->loop[k];

		m->looping[k] = (struct looping){
			.end = s->round[loop->first].first, .present = NOBODY, .left = loop->n, .made = { NOBODY, NOBODY }, .asked = { NOBODY, NOBODY },
		};
	}
	m->ready = xcalloc(s->nrounds + 1, sizeof(*m->ready));
	for (size_t k = 0; k < s->nrounds; k++)
		m->ready[k] = INFINITY;
	m->rounds = xcalloc(s->nrounds + 1, sizeof(*m->rounds));
}

static void release_loops(struct sim *m)
{
	free(m->looping);
	free(m->ready);
	free(m->rounds);
	free(m->begun);
	free(m->when);
}

static void run_events(struct sim *m)
{
	while (!m->stopped) {
		struct runner *r;
		uint32_t i;

		m->cause = NOBODY;
		if (!m->nheap) {
			if (!force_first_waiter(m))
				return;
			continue;
		}
		i = m->heap[0];
		r = &m->runner[i];
		advance(m, r->at);
		if (r->doing == SLEEPING) {
			heap_drop(m, i);
			r->left = 0;
			if (m->now - r->asleep_since > (double)ASLEEP_NS)
				r->awake_ns = 0;
			wants_processor(m, i);
			continue;
		}
		account(m, i);
		if (r->left >= INSTANT_NS)
			next_slice(m, i);
		else
			perform_steps(m, i);
	}
}

void run_prepare(const struct replay *r, const struct script *s, struct run *run)
{
	*run = (struct run){ .nspans = s->spans };
	run->visit = xcalloc(s->visits + 1, sizeof(*run->visit));
	run->first = s->first_visit;
	run->visits = xcalloc(r->npoints + 1, sizeof(*run->visits));
	run->span = xcalloc(s->spans + 1, sizeof(*run->span));
	for (size_t i = 0; i < s->spans; i++)
		run->span[i].begin_ns = run->span[i].end_ns = NAN;
}

void simulate_once(const struct replay *r, const struct script *s, const struct setting *how, struct run *out)
{
	struct sim m = { .replay = r, .script = s, .how = how, .run = out, .model = how->model <= REPLAY_SIMULATED ? RECORDED : MONITOR };

	if (!replay_has_model(r, how->model)) {
		*out = (struct run){ .failed = true, .first = s->first_visit, .visits = xcalloc(r->npoints + 1, sizeof(*out->visits)) };
		return;
	}
	run_prepare(r, s, out);
	out->awake = how->open == COMPUTES_AWAKE;
	m.preempts = r->preempts[how->model];
	m.takes = how->kept ? 1 : r->takes[how->model];
	m.stays = how->model == REPLAY_STAYING && !how->kept && !how->cpus;
	if (how->notes_ends)
		out->woke_ns = xcalloc(s->n + 1, sizeof(*out->woke_ns));
	m.cpus = how->kept ? (uint32_t)s->nactors : how->cpus ? how->cpus : s->cpus;
	if (m.stays && m.cpus < r->processors.n)
		m.cpus = (uint32_t)r->processors.n;
	m.runner = xcalloc(s->nactors + 1, sizeof(*m.runner));
	m.place = xcalloc(r->nobjects + 1, sizeof(*m.place));
	m.done = xcalloc(s->n + 1, sizeof(*m.done));
	m.followers = xcalloc(s->nactors + 1, sizeof(*m.followers));
	m.heap = xcalloc(s->nactors + 1, sizeof(*m.heap));
	m.processor = xcalloc(m.cpus + 1, sizeof(*m.processor));
	m.works = xcalloc(s->nwork + 1, sizeof(*m.works));
	m.given = xcalloc(s->nwork + 1, sizeof(*m.given));
	m.taken = xcalloc(s->nwork + 1, sizeof(*m.taken));
	prepare_loops(&m);
	start_actors(&m);
	run_events(&m);
	release_loops(&m);
	free(m.runner);
	free(m.place);
	free(m.done);
	free(m.works);
	free(m.given);
	free(m.taken);
	free(m.followers);
	free(m.heap);
	free(m.processor);
}

void run_release(struct run *run)
{
	free(run->visit);
	free(run->visits);
	free(run->span);
	free(run->woke_ns);
	*run = (struct run){ 0 };
}
