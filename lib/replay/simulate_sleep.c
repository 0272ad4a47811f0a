/*
 * simulate_sleep: waits that no thread of the recording ends: for the outside, for the clock, for a frame,
 * and those with an unknown end.
 */
#include "replay/simulate_parts.h"

static double outside_factor(const struct sim *m, const struct step *s)
{
	const struct replay_question *q = m->how->asked;

	for (size_t i = 0; q && i < q->noutside; i++)
		if (q->outside[i].site == s->site)
			return q->outside[i].factor > 0 ? q->outside[i].factor : 0;
	return 1;
}

/* The part of a wait for the outside that the question leaves: waits in faster code get shorter, too. */
double sleep_outside_rest(const struct sim *m, const struct step *s)
{
	double rest = outside_factor(m, s);

	return m->how->fraction ? rest * (1 - (double)m->how->fraction[s->wait_cell]) : rest;
}

/* As recorded; or for a stall, by the count that it has now. */
static double recorded_ns(const struct sim *m, const struct step *s)
{
	const struct stall *stall = s->stall && !m->how->kept ? &m->replay->stall[s->stall - 1] : NULL;

	if (!stall)
		return (double)s->waited_ns;
	if (m->stalled[s->stall - 1] < stall->need)
		return 0;
	return s->waited_ns > 0 ? (double)s->waited_ns : (double)stall->length_ns;
}

void sleep_count(struct sim *m, const struct step *s)
{
	uint32_t k = (s->stall & ~STALL_LOWERS) - 1;

	m->stalled[k] += s->stall & STALL_LOWERS ? -m->replay->stall[k].lower : m->replay->stall[k].raise;
}

/* The length of a wait for the outside, without its processor time (see stretch_begin). */
static double outside_ns(struct sim *m, uint32_t i, const struct step *s)
{
	double ns = recorded_ns(m, s);

	if (m->how->change)
		change_shift(m->runner[i].change, m->how->change[s->wait_cell], (float)(ns * outside_factor(m, s)));
	return fmax(0, ns - (double)s->kernel_ns) * sleep_outside_rest(m, s);
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
double sleep_ns(struct sim *m, uint32_t i, const struct step *s)
{
	double ns = sleep_of(m, i, s);

	if (ns > 0 && !m->how->kept)
		ns = fmax(0, ns - (double)s->late_ns);
	if (ns > 0 && m->run->woke_ns)
		m->run->woke_ns[number_of(m, s)] = m->now + ns;
	return ns;
}

bool do_sleep(struct sim *m, uint32_t i, const struct step *s)
{
	double ns;

	if (m->runner[i].phase)
		return true;
	m->runner[i].phase = WOKEN;
	ns = sleep_ns(m, i, s);
	if (ns <= 0)
		return true;
	actor_sleep(m, i, ns);
	return false;
}

/* The time from its cause to the answer.  If the wait is in code that gets faster, the wait gets shorter, too. */
double sleep_answer_ns(const struct sim *m, const struct step *s)
{
	return (double)s->wakeup.ns - (double)s->waited_ns * (1 - sleep_outside_rest(m, s)) + (m->how->kept ? (double)s->late_ns : 0);
}

bool do_answer(struct sim *m, uint32_t i, const struct step *s)
{
	double rest;

	if (m->runner[i].phase)
		return true;
	if (actor_follows(m, i, s, 1))
		return false;
	rest = m->when[s->cause[0]] + sleep_answer_ns(m, s) - m->now;
	if (rest <= 0)
		return true;
	m->runner[i].phase = WOKEN;
	actor_sleep(m, i, rest);
	return false;
}
