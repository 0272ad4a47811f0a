/*
 * simulate_loops: event loops, which handle first what is ready first; see loops.c.
 */
#include "replay/simulate_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

static const struct step *first_step(const struct sim *m, uint32_t round)
{
	return &m->script->step[m->script->round[round].first];
}

/* The loop waits: it goes on when the round is ready, if that is before what it waits for now. */
static void wait_for_round(struct sim *m, uint32_t i, uint32_t round)
{
	struct runner *r = &m->runner[i];
	double at = m->ready[round] > m->now ? m->ready[round] : m->now + actor_latency(m, i, first_step(m, round));

	if (r->doing != WAITING && !(r->doing == SLEEPING && at < r->at))
		return;
	change_copy(m, i, m->cause);
	actor_sleep(m, i, at - m->now);
}

/* From now on, or from when the outside has answered. */
static void set_ready(struct sim *m, uint32_t round)
{
	uint32_t number = m->script->round[round].loop, i = m->script->loop[number].actor;
	const struct step *s = first_step(m, round);

	m->ready[round] = m->now;
	if (s->op[m->model] == OP_ANSWER)
		m->ready[round] += sleep_answer_ns(m, s);
	else if (s->op[m->model] == OP_SLEEP)
		m->ready[round] += sleep_ns(m, i, s);
	ordered_add(&m->looping[number].made, m->rounds, round);
	if (m->looping[number].waits)
		wait_for_round(m, i, round);
}

/* The cause of the round is done; or nothing is known of that, and the round before is over. */
void round_make_ready(struct sim *m, uint32_t round)
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
		counting_end(m, i, &m->script->actor[i]);
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
bool loop_next_round(struct sim *m, uint32_t i, struct looping *l)
{
	const struct loop *loop = &m->script->loop[m->script->actor[i].loop - 1];
	uint32_t next = l->present == NOBODY ? loop->first : l->present + 1;
	double at;

	if (!l->waits && next < loop->first + loop->n && m->script->round[next].cause.step == NOBODY)
		round_make_ready(m, next);
	if (begin_ready(m, i, l, &at))
		return true;
	ask(m, l);
	if (begin_ready(m, i, l, &at))
		return true;
	l->waits = true;
	m->runner[i].asleep_since = m->now;
	if (at < INFINITY)
		actor_sleep(m, i, at - m->now);
	return false;
}

/* No actor can go on.  The loop goes on with the round that was the next one in the recording. */
void loop_force_round(struct sim *m, uint32_t i, struct looping *l)
{
	uint32_t round = m->script->loop[m->script->actor[i].loop - 1].first;

	while (m->begun[round])
		round++;
	m->ready[round] = m->now;
	ordered_add(&l->made, m->rounds, round);
}

/* Is the actor at the end of a round, and are others left?  If none is, it goes to its own end. */
bool loop_ends_round(const struct sim *m, uint32_t i, struct looping *l)
{
	if (!l || m->runner[i].pos != l->end)
		return false;
	if (!l->left)
		m->runner[i].pos = m->script->actor[i].end - 1;
	return l->left > 0;
}

void loops_prepare(struct sim *m)
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

void loops_release(struct sim *m)
{
	free(m->looping);
	free(m->ready);
	free(m->rounds);
	free(m->begun);
	free(m->when);
}
