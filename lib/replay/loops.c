/*
 * loops: finds event loops.
 *
 * An event loop waits for any of several things: messages, timers, files.  What is ready
 * first is handled first.  So with faster code the order changes: an answer comes before
 * a request that it came after in the recording.  If the loop kept the recorded order, it
 * would wait for the request, though it has the answer to handle: half of `handle` in
 * t/workload/reactor is really worth 17.7, and was 12.7.
 *
 * So the steps of such a thread are cut into rounds.  A round begins with the end of a
 * wait, and has a cause: the step that made ready what the round handles.  In a simulation,
 * the loop goes on with a round that is ready; of several, with the one that came first in the
 * recording, so that the order changes no more than it must.  One wait can find several
 * things ready.  So a round also begins where the thread takes what the next of them is
 * about: it acquires an object for which it waits in other rounds; or it sends what it could not send before, because
 * there was no room.  (Half of `bill` in t/workload/topics, really 37.2 (3.8), was 6 (-3 to 14) without that.)
 *
 * What a loop has handled often leads to what it handles later: the answer of a client to the next
 * request.  In a simulation some get ahead of others, and come to the end of the recording first.  Then the loop
 * would have less to do than in the program.  So a run ends with the first of the last rounds, of which as many
 * are left out as were pending at a time, at the most.  (Half of `compress` in t/workload/ringio, really 21.3 (0.9), was 7.3.)
 *
 * What a thread asks a ring of io_uring for, the kernel learns at the next call that waits.
 *
 * If the cause is not known, the round is ready after the one before it, and after a sleep of
 * the recorded length.
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { ROUNDS_LEAST = 8 }; /* of a thread, to be an event loop */

/* The place at which most of the actor's waits for any of several things end; 0: there is none. */
static uint32_t loop_site(const struct script *s, const struct actor *a)
{
	struct idmap sites = { 0 };
	size_t *count = NULL, cap = 0, most = 0;
	uint32_t site = 0;

	for (uint32_t i = a->first; i < a->end; i++) {
		size_t k;

		if (!s->step[i].for_any)
			continue;
		k = idmap_number(&sites, s->step[i].site);
		count = idmap_room(&sites, count, &cap, sizeof(*count));
		if (++count[k] > most) {
			most = count[k];
			site = s->step[i].site;
		}
	}
	free(count);
	idmap_release(&sites);
	return most >= ROUNDS_LEAST ? site : 0;
}

static uint32_t cause_of(const struct step *s)
{
	return s->op[RECORDED] == OP_EDGE || s->op[RECORDED] == OP_ANSWER ? s->cause[0] : NOBODY;
}

/* The objects that end waits of the loop. */
static void find_awaited(const struct script *s, const struct actor *a, uint32_t site, bool *awaited)
{
	for (uint32_t i = a->first; i < a->end; i++)
		if (s->step[i].for_any && s->step[i].site == site && s->step[i].kind == BURST_ACQUIRE)
			awaited[s->step[i].object] = true;
}

static void add_round(struct script *s, uint32_t step)
{
	s->round = xgrow(s->round, s->nrounds, &s->rounds_cap, sizeof(*s->round));
	s->round[s->nrounds++] = (struct round){ .first = step, .cause = { cause_of(&s->step[step]), NOBODY } };
}

/* Does the thread acquire what it waits for at the site of its loop?  Or what it has tried to get before, in vain? */
static bool is_taken_by_loop(const struct step *s, const bool *awaited)
{
	return s->kind == BURST_ACQUIRE && (awaited[s->object] || (s->for_any && !s->taken && s->waited_ns <= 0));
}

static void find_rounds(struct script *s, const struct actor *a, uint32_t site, const bool *awaited)
{
	uint32_t cause = NOBODY;
	bool any = false;

	for (uint32_t i = a->first; i < a->end; i++) {
		const struct step *step = &s->step[i];
		bool waits = step->for_any && step->site == site;
		bool takes = any && is_taken_by_loop(step, awaited) && cause_of(step) != NOBODY && cause_of(step) != cause;

		if (!waits && !takes)
			continue;
		any = true;
		cause = cause_of(step);
		add_round(s, i);
	}
}

/* Does the actor take work that other threads take, too? */
static bool shares_work(const struct replay *r, const struct script *s, const struct actor *a)
{
	for (uint32_t i = a->first; i < a->end; i++) {
		uint32_t object = step_takes(&s->step[i]);

		if (object != NOBODY && r->object[object].several)
			return true;
	}
	return false;
}

static bool waits_for(const struct script *s, const struct actor *a, uint32_t condition)
{
	for (uint32_t i = a->first; i < a->end; i++)
		if (s->step[i].kind == BURST_WAIT && s->step[i].object == condition)
			return true;
	return false;
}

/*
 * Work that the loop takes in its rounds stays in them.  If the loop never waited for a condition, it does not wait for it in a
 * simulation, either: how much room a queue has is not known then, and in another order more may be in the queue.
 */
static void keep_work(struct replay *r, struct script *s, const struct actor *a)
{
	bool *known = xcalloc(r->nobjects + 1, sizeof(*known)), *waits = xcalloc(r->nobjects + 1, sizeof(*waits));

	for (uint32_t i = a->first; i < a->end; i++) {
		uint32_t object = step_takes(&s->step[i]);

		if (object == NOBODY)
			continue;
		r->object[object].moves = false;
		if (!known[object])
			waits[object] = waits_for(s, a, object);
		known[object] = true;
		if (!waits[object])
			s->step[i].asks = NOBODY;
	}
	free(known);
	free(waits);
}

static int ascending(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;

	return (a > b) - (a < b);
}

static uint32_t most_pending(const struct script *s, const struct round *round, size_t n)
{
	double *caused = xcalloc(n + 1, sizeof(*caused));
	size_t known = 0, come = 0, begun = 0;
	uint32_t most = 0;

	for (size_t k = 0; k < n; k++)
		if (round[k].cause.step != NOBODY)
			caused[known++] = s->at_ns[round[k].cause.step];
	if (known)
		qsort(caused, known, sizeof(*caused), ascending);
	for (size_t k = 0; k < n; k++) {
		if (round[k].cause.step == NOBODY)
			continue;
		while (come < known && caused[come] <= s->at_ns[round[k].first])
			come++;
		if (come > begun + most)
			most = (uint32_t)(come - begun);
		begun++;
	}
	free(caused);
	return most < n / 4 ? most : (uint32_t)(n / 4);
}

static void find_loop(struct replay *r, struct script *s, struct actor *a)
{
	uint32_t site = shares_work(r, s, a) ? 0 : loop_site(s, a), first = (uint32_t)s->nrounds;
	bool *awaited;

	if (!site)
		return;
	keep_work(r, s, a);
	awaited = xcalloc(r->nobjects + 1, sizeof(*awaited));
	find_awaited(s, a, site, awaited);
	find_rounds(s, a, site, awaited);
	free(awaited);
	s->loop = xgrow(s->loop, s->nloops, &s->loops_cap, sizeof(*s->loop));
	s->loop[s->nloops++] = (struct loop){
		.actor = s->actor_of[a->first], .first = first, .n = (uint32_t)s->nrounds - first,
		.pending = most_pending(s, s->round + first, s->nrounds - first),
	};
	a->loop = (uint32_t)s->nloops;
	for (uint32_t k = first; k < s->nrounds; k++) {
		uint32_t cause = s->round[k].cause.step;

		s->round[k].loop = a->loop - 1;
		s->round[k].asked = cause != NOBODY && s->actor_of[cause] == s->actor_of[a->first] && s->step[cause].site == site;
	}
}

void loops_learn(struct replay *r)
{
	for (size_t b = 0; b < r->nscripts; b++) {
		struct script *s = &r->script[b];

		for (size_t i = 0; i < s->nactors; i++)
			find_loop(r, s, &s->actor[i]);
		if (s->nloops)
			s->makes_ready = script_list_by_step(s, s->round, s->nrounds, sizeof(*s->round));
	}
}
