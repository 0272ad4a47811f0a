/*
 * simulate_processors: who runs, and who waits for a processor.
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
#include "replay/simulate_parts.h"

#define SLICE_NS 3e6 /* for which a thread runs while others wait for its processor */
#define GOLDEN   UINT32_C(2654435769) /* 2^32 over the golden ratio */

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
	moment_put(m, i, end);
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
bool processor_is_recorded(const struct sim *m, uint32_t i)
{
	return m->stays && m->script->step[m->script->actor[i].first].processor != NOWHERE;
}

/* The actor waits for the processor that it was last on, unless an idle one takes it. */
static void enqueue(struct sim *m, uint32_t i)
{
	struct processor *p = processor_of(m, i);
	bool first = p->first == NOBODY;
	uint32_t last = m->runner[i].processor;
	uint32_t other = m->idle && !processor_is_recorded(m, i) && is_taken(m, i) ? idle_processor(m, (last + 1) % m->cpus) : last;

	if (other != last) {
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
	change_copy(m, next, i);
	run_on(m, next, at);
}

void processor_leave(struct sim *m, uint32_t i)
{
	take_off(m, i);
	dispatch(m, i, m->runner[i].processor);
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

	if (processor_is_recorded(m, i))
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

void processor_ask(struct sim *m, uint32_t i)
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
	processor_account(m, other);
	moment_drop(m, other);
	take_off(m, other);
	run_on(m, i, r->processor);
	enqueue(m, other);
}

/* The slice is over: another actor runs. */
void processor_next_slice(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	uint32_t at = r->processor;

	if (m->processor[at].first == NOBODY) {
		r->slice_end = m->now + SLICE_NS;
		set_moment(m, i);
		return;
	}
	moment_drop(m, i);
	take_off(m, i);
	enqueue(m, i);
	dispatch(m, i, at);
}

/* If threads stay: in the recording, the actor had come to another processor as it computed. */
static void move_on(struct sim *m, uint32_t i, uint32_t to)
{
	moment_drop(m, i);
	processor_leave(m, i);
	m->runner[i].processor = to;
	processor_ask(m, i);
}

void processor_go_on(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	uint32_t place = processor_is_recorded(m, i) ? recorded_processor(m, i, r->pos - 1) : r->processor;

	r->since = m->now;
	if (place != r->processor)
		move_on(m, i, place);
	else
		set_moment(m, i);
}
