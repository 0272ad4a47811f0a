/*
 * simulate_waiting: an actor waits in a list, of an object or of another actor's steps, until it is woken.
 */
#include "replay/simulate_parts.h"

void actor_sleep(struct sim *m, uint32_t i, double ns)
{
	m->runner[i].doing = SLEEPING;
	moment_put(m, i, m->now + (ns > 0 ? ns : 0));
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
double actor_latency(struct sim *m, uint32_t i, const struct step *s)
{
	struct wakeup seen = seen_wakeup(m, i, s);
	double nap = nap_of(m->replay, s), ns = (double)seen.ns, slept = m->now - m->runner[i].asleep_since, then = (double)seen.slept_ns;

	if (nap > 0)
		return nap * ceil(slept / nap) - slept;
	if (m->how->kept)
		return ns + (m->model == MONITOR ? 0 : (double)s->late_ns);
	return m->how->open == LATENCIES_RECORDED || slept >= then ? ns : ns * slept / then;
}

void actor_wake(struct sim *m, uint32_t i)
{
	change_copy(m, i, m->cause);
	actor_sleep(m, i, actor_latency(m, i, step_of(m, i)));
}

void actor_wait_at(struct sim *m, uint32_t object, uint32_t i)
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

bool place_wake_first(struct sim *m, struct place *p)
{
	uint32_t i = p->first;

	if (i == NOBODY)
		return false;
	p->first = m->runner[i].next;
	m->runner[i].waits_at = NOBODY;
	actor_wake(m, i);
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
bool actor_follows(struct sim *m, uint32_t i, const struct step *s, size_t n)
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
void followers_wake(struct sim *m, uint32_t by)
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
		if (actor_follows(m, i, s, s->op[m->model] == OP_WAIT ? 1 : 2))
			continue;
		m->runner[i].waits_for = NOBODY;
		m->runner[i].phase = WOKEN;
		actor_wake(m, i);
	}
}
