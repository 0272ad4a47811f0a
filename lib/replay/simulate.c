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
 */
#include "replay/simulate_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { FORCED_MOST = 200 }; /* deadlocks, besides one in a hundred steps, after which the model has failed */

static bool perform(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	struct looping *l = loop_of(m, i);
	const struct step *s;

	if (loop_ends_round(m, i, l))
		return loop_next_round(m, i, l);
	s = step_of(m, i);

	if (r->phase < ASKS) {
		if (!do_step(m, i, s))
			return false;
		if (m->model == RECORDED || s->asks == NOBODY)
			return true;
		r->phase = ASKS;
	}
	return condition_check(m, i, s);
}

static void finish_step(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	const struct step *s = step_of(m, i);
	uint32_t by;

	if (m->model == MONITOR && (s->asks != NOBODY || s->op[MONITOR] == OP_GRAB))
		work_take(m, i, s->asks != NOBODY ? s->asks : s->object);
	by = m->script->actor_of[r->pos];
	if (m->when)
		m->when[r->pos] = m->now;
	if (m->looping)
		for (uint32_t k = m->script->makes_ready[r->pos]; k != NOBODY; k = m->script->round[k].cause.same)
			round_make_ready(m, k);
	m->done[r->pos++] = true;
	if (m->followers[by] != NOBODY)
		followers_wake(m, by);
	stretch_begin(m, i);
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
				moment_drop(m, i);
			processor_leave(m, i);
			return;
		}
		finish_step(m, i);
	} while (r->left < INSTANT_NS && !m->stopped);
	processor_go_on(m, i);
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
	l = loop_of(m, first);
	if (l && l->waits) {
		loop_force_round(m, first, l);
	} else {
		actor_unlink(m, first);
		finish_step(m, first);
	}
	processor_ask(m, first);
	return true;
}

static void start_actors(struct sim *m)
{
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
			if (m->script->actor[i].born || processor_is_recorded(m, i) != placed)
				continue;
			stretch_begin(m, i);
			processor_ask(m, i);
		}
	}
}

static void advance(struct sim *m, double to)
{
	if (to <= m->now)
		return;
	m->run->idled_ns += (double)(m->queued < m->idle ? m->queued : m->idle) * (to - m->now);
	m->now = to;
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
			moment_drop(m, i);
			r->left = 0;
			if (m->now - r->asleep_since > (double)ASLEEP_NS)
				r->awake_ns = 0;
			processor_ask(m, i);
			continue;
		}
		processor_account(m, i);
		if (r->left >= INSTANT_NS)
			processor_next_slice(m, i);
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
	out->open = how->open;
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
	m.stalled = xcalloc(r->nstalls + 1, sizeof(*m.stalled));
	m.works = xcalloc(s->nwork + 1, sizeof(*m.works));
	m.given = xcalloc(s->nwork + 1, sizeof(*m.given));
	m.taken = xcalloc(s->nwork + 1, sizeof(*m.taken));
	loops_prepare(&m);
	places_prepare(&m);
	start_actors(&m);
	run_events(&m);
	loops_release(&m);
	free(m.runner);
	free(m.place);
	free(m.done);
	free(m.stalled);
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
