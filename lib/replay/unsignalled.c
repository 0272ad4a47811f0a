/*
 * unsignalled: conditions that may come true without a signal.
 *
 * Some programs signal only if a thread waits, and change what it waits for without a lock: a reader in a
 * read-copy-update scheme leaves its section, and signals only if the updater waits for that.  In the recording, the wait
 * ends after that signal.  An updater that comes earlier may have to wait for another reader, or for none, and no event tells that.
 *
 * Three things together tell that it may be so: no count of signals or sections explains the waits; nearly every signal
 * ends a wait; and the threads that signal do so in some of their rounds only.  How the waits end is then an open question: see
 * WAITS_SHORTER and WAITS_FIXED.
 *
 * In t/workload/epochs, half of "prepare" is really worth 26.5 % (2.0).  Replay alone said -2.5 (-6 to 1), experiments 17 (7 to 26), both
 * together -0.4 (-23 to 22).  Both say 14 (2 to 26) now.  Of 90 other programs, one has such waits, for 2,000 signals in every
 * second round of a thread; its answers are the same.
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

#define ROUNDS_MOST 0.85 /* part of the rounds with a signal; more may be all of them, but for the ends of the recording */
#define FOUND_LEAST 0.8  /* part of the signals that end a wait; with fewer, threads signal whether one waits or not */

/* Of a condition. */
struct signalled {
	double signals, found; /* the second: those that ended a wait */
	double in_rounds, rounds; /* of the threads that signal it: signals at the same places, and rounds */
};

struct conditions {
	struct signalled *of; /* by object; owned */
	struct idmap seen;    /* threads that signal one, and at which places */
};

static bool is_about_condition(const struct replay *r, const struct step *s, enum burst_kind kind)
{
	return s->kind == kind && s->object != NOBODY && r->object[s->object].kind == OBJECT_CONDITION && r->object[s->object].rule == RULE_EDGE;
}

/* Something that a thread does once in a round, if at all.  Operations of locks are repeated where it has to wait. */
static bool is_once_a_round(const struct replay *r, const struct step *s)
{
	return (s->kind == BURST_VISIT && !s->counts_work) || s->kind == BURST_SLEEP || s->kind == BURST_CLOCK || s->kind == BURST_OUTSIDE || is_about_condition(r, s, BURST_UNLOCK);
}

static bool is_new(struct idmap *seen, uint64_t key)
{
	size_t n = seen->n;

	return idmap_number(seen, key) == n;
}

static void count_signal(struct conditions *c, const struct deeds *d, uint32_t thread, const struct step *s)
{
	struct signalled *of = &c->of[s->object];

	of->signals++;
	if (is_new(&c->seen, keys_mix(keys_mix(s->object, thread), s->site)))
		of->in_rounds += deeds_done(d, thread, s);
	if (is_new(&c->seen, keys_mix(keys_mix(s->object, thread), UINT64_MAX)))
		of->rounds += deeds_rounds(d, thread);
}

static void count_deeds(const struct replay *r, const struct script *s, struct deeds *d)
{
	for (size_t i = 0; i < s->n; i++)
		if (is_once_a_round(r, &s->step[i]))
			deeds_count(d, s->actor[s->actor_of[i]].id, &s->step[i]);
}

static void count_signals(const struct replay *r, const struct script *s, const struct deeds *d, struct conditions *c)
{
	bool *found = xcalloc(s->n + 1, sizeof(*found));

	for (size_t i = 0; i < s->n; i++) {
		const struct step *step = &s->step[i];

		if (is_about_condition(r, step, BURST_UNLOCK))
			count_signal(c, d, s->actor[s->actor_of[i]].id, step);
		if (!is_about_condition(r, step, BURST_WAIT) || step->cause[0] == NOBODY || found[step->cause[0]])
			continue;
		found[step->cause[0]] = true;
		c->of[step->object].found++;
	}
	free(found);
}

static bool may_come_true_alone(const struct signalled *of)
{
	return of->in_rounds < ROUNDS_MOST * of->rounds && of->found > FOUND_LEAST * of->signals;
}

static void open_ends(struct replay *r, struct script *s, const struct conditions *c)
{
	for (size_t i = 0; i < s->n; i++) {
		struct step *step = &s->step[i];

		if (!is_about_condition(r, step, BURST_WAIT) || step->cause[0] == NOBODY || !may_come_true_alone(&c->of[step->object]))
			continue;
		step->unsignalled = true;
		r->any_ns += (double)step->waited_ns;
	}
}

void unsignalled_learn(struct replay *r)
{
	struct deeds d = { 0 };
	struct conditions c = { .of = xcalloc(r->nobjects + 1, sizeof(*c.of)) };

	for (size_t b = 0; b < r->nscripts; b++)
		count_deeds(r, &r->script[b], &d);
	for (size_t b = 0; b < r->nscripts; b++)
		count_signals(r, &r->script[b], &d, &c);
	for (size_t b = 0; b < r->nscripts; b++)
		open_ends(r, &r->script[b], &c);
	deeds_release(&d);
	free(c.of);
	idmap_release(&c.seen);
}
