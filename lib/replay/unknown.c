/*
 * unknown: which of the waits with an unknown end were ended by a thread.
 *
 * Nothing tells what ended such a wait: a thread that did so unseen, or the outside.  In
 * the second case the wait ends at the same moment, however fast the program is.  One such
 * wait in a hundred is enough to take all that a thread gains.  So it matters which of them
 * may be of that kind.
 *
 * A wait for the outside has a length of its own.  But an event loop waits at one place for any of several
 * things, say for other threads and for timers.  When a timer is the next of them depends on what
 * threads did before.  So where threads end waits, the ends of the waits for the outside are
 * unknown, too.  t/workload/ringio, compress at 50 %, was 16.6 (14 to 19) without this, and 19 (8 to 29) with it; 24.6 is
 * right.  (It is known now what its timers were set for, so they are no such waits any more.)
 *
 * If threads are known to have ended most of the waits at the same place, threads ended the
 * rest, too.  Without this, t/workload/renderer, shading, was 28 (4 to 52), and is 28 (22 to 35); 30.2 is right.
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

/* Where threads have ended more than this part of the waiting time at a place, and the outside too, waits there are for either. */
#define ANY_LEAST 0.1

/* The waits at a place, in ns. */
struct ends {
	double known_ns, unknown_ns, outside_ns;
};

struct places {
	struct idmap site;
	struct ends *v; /* owned */
	size_t cap;
};

static struct ends *ends_at(struct places *p, uint32_t site)
{
	size_t i = idmap_number(&p->site, site);

	p->v = idmap_room(&p->site, p->v, &p->cap, sizeof(*p->v));
	return &p->v[i];
}

static bool has_unknown_end(const struct step *s)
{
	return s->op[RECORDED] == OP_SLEEP && !step_is_for_outside(s) && s->kind != BURST_CLOCK && s->waited_ns > 0;
}

static bool is_for_threads(const struct step *s)
{
	return burst_is_about_object(s->kind) && s->waited_ns > 0;
}

static bool is_for_outside(const struct step *s)
{
	return s->kind == BURST_OUTSIDE && s->waited_ns > 0 && s->kernel_ns <= 0;
}

static void count_ends(struct places *p, const struct script *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct step *step = &s->step[i];

		if (has_unknown_end(step))
			ends_at(p, step->site)->unknown_ns += (double)step->waited_ns;
		else if (is_for_threads(step))
			ends_at(p, step->site)->known_ns += (double)step->waited_ns;
		else if (is_for_outside(step))
			ends_at(p, step->site)->outside_ns += (double)step->waited_ns;
	}
}

static void judge_unknown(struct replay *r, struct step *s, const struct ends *e)
{
	s->by_thread = s->kind != BURST_TIMEOUT && e->known_ns > e->unknown_ns;
	if (!s->by_thread)
		r->fixed_ns += (double)s->waited_ns;
}

static void judge_outside(struct replay *r, struct step *s, const struct ends *e)
{
	double least = ANY_LEAST * (e->known_ns + e->outside_ns);

	s->any = e->known_ns > least && e->outside_ns > least;
	if (s->any)
		r->any_ns += (double)s->waited_ns;
}

static void judge_waits(struct places *p, struct replay *r, struct script *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct step *step = &s->step[i];

		if (is_for_outside(step))
			judge_outside(r, step, ends_at(p, step->site));
		else if (has_unknown_end(step))
			judge_unknown(r, step, ends_at(p, step->site));
	}
}

void unknown_learn(struct replay *r)
{
	struct places p = { 0 };

	for (size_t b = 0; b < r->nscripts; b++)
		count_ends(&p, &r->script[b]);
	for (size_t b = 0; b < r->nscripts; b++)
		judge_waits(&p, r, &r->script[b]);
	free(p.v);
	idmap_release(&p.site);
}
