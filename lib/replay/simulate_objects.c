/*
 * simulate_objects: locks, conditions, barriers and tokens; and work, which goes to the thread that takes it
 * from such an object.
 */
#include "replay/simulate_parts.h"

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
		actor_wait_at(m, lock, i);
		return false;
	}
	set_writer(m, i, p, false);
	if (shares && !p->owner) {
		p->have++;
		if (p->first != NOBODY && step_of(m, p->first)->shares)
			place_wake_first(m, p);
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
	place_wake_first(m, p);
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
		if (!place_wake_first(m, p))
			return;
}

void do_leave(struct sim *m, uint32_t i, const struct step *s)
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
	while (place_wake_first(m, p))
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
bool condition_check(struct sim *m, uint32_t i, const struct step *s)
{
	uint32_t lock = m->replay->object[s->asks].lock;

	if (m->place[lock].owner != i + 1 && !take_lock(m, i, lock, false))
		return false;
	if (passes_condition(m, i, s))
		return true;
	release_lock(m, i, lock);
	actor_wait_at(m, s->asks, i);
	return false;
}

bool do_edge(struct sim *m, uint32_t i, const struct step *s, size_t ncauses)
{
	return m->runner[i].phase || !actor_follows(m, i, s, ncauses);
}

/* Does it sleep, as no cause is known, or is assumed? */
static bool has_no_cause(const struct sim *m, const struct step *s)
{
	return s->cause[0] == NOBODY || (s->unsignalled && (m->how->open == WAITS_SHORTER || m->how->open == WAITS_FIXED));
}

/* Phases: 0 waits for its cause, 1 takes the lock. */
bool do_wait(struct sim *m, uint32_t i, const struct step *s)
{
	if (!m->runner[i].phase) {
		if (has_no_cause(m, s) ? !do_sleep(m, i, s) : !do_edge(m, i, s, 1))
			return false;
		m->runner[i].phase = WOKEN;
	}
	return take_lock(m, i, s->monitor_other, false);
}

bool do_barrier(struct sim *m, uint32_t i, const struct step *s)
{
	struct place *p = &m->place[s->object];

	if (p->generation > m->runner[i].generation)
		return true;
	actor_wait_at(m, s->object, i);
	return false;
}

bool do_grab(struct sim *m, uint32_t i, const struct step *s)
{
	struct place *p = &m->place[s->object];

	if (p->have <= 0) {
		actor_wait_at(m, s->object, i);
		return false;
	}
	p->have--;
	return true;
}

bool do_take(struct sim *m, uint32_t i, const struct step *s)
{
	return take_lock(m, i, s->object, s->shares);
}

void do_arrive(struct sim *m, uint32_t i, const struct step *s)
{
	m->runner[i].generation = m->place[s->object].generation;
	completes_group(m, s->object);
}

void do_give(struct sim *m, uint32_t i, const struct step *s)
{
	m->place[s->object].have++;
	give_work(m, i, s->object);
	place_wake_first(m, &m->place[s->object]);
}

void do_signal(struct sim *m, uint32_t i, const struct step *s)
{
	give_to_condition(m, i, s->object);
}

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
void work_take(struct sim *m, uint32_t i, uint32_t object)
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

void actor_unlink(struct sim *m, uint32_t i)
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

static void set_places(struct sim *m)
{
	const struct replay *r = m->replay;

	for (size_t i = 0; i < r->nobjects; i++) {
		struct place *p = &m->place[i];
		bool lock = r->object[i].kind == OBJECT_LOCK, counted = r->object[i].rule == RULE_SIGNALS || r->object[i].rule == RULE_SECTIONS;

		p->first = p->last = p->given.first = p->given.last = p->left = NOBODY;
		p->owner = lock ? (uint32_t)m->script->start[i] : 0;
		p->depth = p->owner ? 1 : 0;
		p->have = lock || counted ? 0 : m->script->start[i];
	}
}

static void set_work(struct sim *m)
{
	const struct script *s = m->script;

	for (uint32_t k = 0; k < s->nwork; k++) {
		if (m->place[s->work[k].object].left == NOBODY)
			m->place[s->work[k].object].left = k;
		if (s->work[k].giver.step == NOBODY)
			add_work(m, k);
	}
}

/* The locks that the question removes. */
static void remove_locks(struct sim *m, const struct replay_question *q)
{
	for (size_t k = 0; k < q->nwithout; k++) {
		uint32_t object = object_find(m->replay, q->without[k]);

		if (object != NOBODY && m->replay->object[object].kind == OBJECT_LOCK)
			m->place[object].gone = true;
	}
}

void places_prepare(struct sim *m)
{
	set_places(m);
	set_work(m);
	if (m->how->asked)
		remove_locks(m, m->how->asked);
}
