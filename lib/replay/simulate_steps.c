/*
 * simulate_steps: a thread computes for a stretch, and then does its step: what each operation does.
 */
#include "replay/simulate_parts.h"

#define CHANCE 0.001 /* stretches of another realization differ by half of that at most; see realizations.c */

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
		ns = m->how->open == COMPUTES_AWAKE ? (double)s->awake_ns : ns;
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
void stretch_begin(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	const struct step *s = step_of(m, i);
	double cpu = computing_ns(m, r, s) * by_chance(m, i);

	r->phase = BEGINS;
	r->woken = 0;
	r->left = cpu;
	m->computed_ns += cpu;
	if (m->how->fraction) {
		m->taken_ns += cpu * (double)m->how->fraction[s->cell];
		r->left *= 1 - (double)m->how->fraction[s->cell];
	}
	if (s->kernel_ns > 0)
		r->left += (double)s->kernel_ns * sleep_outside_rest(m, s);
	r->left = m->how->kept ? r->left + (double)s->queued_ns : r->left * m->replay->slowed;
	if (m->how->change)
		change_shift(r->change, m->how->change[s->cell], s->cpu_ns);
}

static void do_birth(struct sim *m, uint32_t i, const struct step *s)
{
	if (s->other == NOBODY || m->runner[s->other].doing != UNBORN)
		return;
	change_copy(m, s->other, i);
	stretch_begin(m, s->other);
	processor_ask(m, s->other);
}

/* An actor does the last steps of `a`. */
void counting_end(struct sim *m, uint32_t i, const struct actor *a)
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
	counting_end(m, i, &m->script->actor[m->script->actor_of[m->runner[i].pos]]);
}

bool do_step(struct sim *m, uint32_t i, const struct step *s)
{
	if (s->stall && s->kind == BURST_UNLOCK)
		sleep_count(m, s);
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
		do_arrive(m, i, s);
		return true;
	case OP_BARRIER:
		return do_barrier(m, i, s);
	case OP_GIVE:
		do_give(m, i, s);
		return true;
	case OP_GRAB:
		return do_grab(m, i, s);
	case OP_TAKE:
		return do_take(m, i, s);
	case OP_LEAVE:
		do_leave(m, i, s);
		return true;
	case OP_WAIT:
		return do_wait(m, i, s);
	case OP_SIGNAL:
		do_signal(m, i, s);
		return true;
	}
	return true;
}
