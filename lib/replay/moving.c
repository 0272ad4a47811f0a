/*
 * Work that moves between threads.
 *
 * Threads of a pool take the next task when they are free.  With a question another
 * one may be free first.  So the work after such a place does not belong to a thread:
 * the first one that comes does the work that was done first in the recording.
 *
 * This is assumed if several threads come to the same place, none of them releases what
 * they acquire there, and the time that they need between two visits is similar.
 */
#include "replay/replay_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/*
 * Threads count as alike if at most this part of the variance of their times is between threads.  Not
 * a test for chance, because the order of threads follows patterns.
 */
#define APART 0.25

struct taking {
	uint32_t object, script, step, actor;
	double at_ns, need_ns; /* need_ns: processor time until the next time; NAN: the burst ended */
};

struct takings {
	struct taking *taking;
	size_t n, cap;
};

static uint32_t taken_at(const struct step *s)
{
	if (s->asks != NOBODY)
		return s->asks;
	return s->op[MONITOR] == OP_GRAB ? s->object : NOBODY;
}

static bool may_move(const struct object *o)
{
	return o->kind == OBJECT_TOKENS || ((o->rule == RULE_SIGNALS || o->rule == RULE_SECTIONS) && o->consumes == 1);
}

/* When the thread went on: at the end of the last omitted wait after it. */
static double went_on_ns(const struct script *s, uint32_t at, uint32_t end)
{
	uint32_t last = at, condition = s->step[at].asks;

	for (uint32_t i = at + 1; condition != NOBODY && i < end; i++) {
		if (s->step[i].kind == BURST_WAIT && s->step[i].object == condition)
			last = i;
		else if (s->step[i].op[MONITOR] != OP_PASS)
			break;
	}
	return s->at_ns[last];
}

static void find_takings(const struct replay *r, uint32_t script, const struct actor *a, struct takings *t)
{
	const struct script *s = &r->script[script];
	size_t begin = t->n;

	for (uint32_t i = a->first; i < a->end; i++) {
		uint32_t object = taken_at(&s->step[i]);

		if (t->n > begin)
			t->taking[t->n - 1].need_ns += (double)s->step[i].cpu_ns;
		if (object == NOBODY || !may_move(&r->object[object]))
			continue;
		t->taking = xgrow(t->taking, t->n, &t->cap, sizeof(*t->taking));
		t->taking[t->n++] = (struct taking){
			.object = object, .script = script, .step = i, .actor = s->actor_of[i], .at_ns = went_on_ns(s, i, a->end),
		};
	}
	if (t->n > begin)
		t->taking[t->n - 1].need_ns = NAN;
}

static int in_order(const void *va, const void *vb)
{
	const struct taking *a = va, *b = vb;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->script != b->script)
		return a->script < b->script ? -1 : 1;
	if (a->at_ns < b->at_ns || a->at_ns > b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (a->step > b->step) - (a->step < b->step);
}

/* ---- are they alike ------------------------------------------------------------------------ */

struct needs {
	size_t n;
	double sum, square;
};

static bool are_alike(const struct needs *need, size_t n)
{
	double sum = 0, square = 0, within = 0, count = 0, groups = 0, all;

	for (size_t i = 0; i < n; i++) {
		if (!need[i].n)
			continue;
		groups++;
		count += (double)need[i].n;
		sum += need[i].sum;
		square += need[i].square;
		within += need[i].square - need[i].sum * need[i].sum / (double)need[i].n;
	}
	if (groups < 2 || count <= groups)
		return false;
	all = square - sum * sum / count;
	return all - within <= APART * all;
}

/* The times at one object, in all bursts, by thread. */
static bool is_shared_work(const struct replay *r, const struct taking *t, size_t n)
{
	struct idmap threads = { 0 };
	struct needs *need = NULL;
	size_t cap = 0;
	uint64_t site = 0;
	bool alike = true;

	for (size_t i = 0; i < n && alike; i++) {
		const struct step *s = &r->script[t[i].script].step[t[i].step];
		uint32_t k = (uint32_t)idmap_number(&threads, r->script[t[i].script].actor[t[i].actor].id);

		need = idmap_room(&threads, need, &cap, sizeof(*need));
		if (s->op[MONITOR] != OP_RESUME) {
			alike = !site || site == s->site + UINT64_C(1);
			site = s->site + UINT64_C(1);
		}
		if (isnan(t[i].need_ns))
			continue;
		need[k].n++;
		need[k].sum += t[i].need_ns;
		need[k].square += t[i].need_ns * t[i].need_ns;
	}
	alike = alike && are_alike(need, threads.n);
	free(need);
	idmap_release(&threads);
	return alike;
}

/* If an acquiring thread also releases the object, it does not take work there. */
static bool gives_too(const struct replay *r, const struct taking *t, size_t n)
{
	uint32_t object = t->object;

	for (size_t k = 0; k < n; k++) {
		const struct script *s = &r->script[t[k].script];
		const struct actor *a = &s->actor[t[k].actor];

		for (uint32_t i = t[k].step; i < a->end && i < t[k].step + 64; i++)
			if (s->step[i].object == object && (s->step[i].kind == BURST_RELEASE || s->step[i].kind == BURST_UNLOCK))
				return true;
	}
	return false;
}

static void keep_order(struct replay *r, const struct taking *t, size_t n)
{
	r->object[t->object].moves = true;
	for (size_t i = 0; i < n; i++) {
		struct script *s = &r->script[t[i].script];

		if (!s->first_turn)
			s->first_turn = xcalloc(r->nobjects + 1, sizeof(*s->first_turn));
		s->turn = xgrow(s->turn, s->nturns, &s->turn_cap, sizeof(*s->turn));
		if (!i || t[i - 1].script != t[i].script)
			s->first_turn[t->object] = (uint32_t)s->nturns;
		s->turn[s->nturns++] = t[i].step;
	}
}

void moving_learn(struct replay *r)
{
	struct takings t = { 0 };

	for (uint32_t b = 0; b < r->nscripts; b++)
		for (size_t i = 0; i < r->script[b].nactors; i++)
			find_takings(r, b, &r->script[b].actor[i], &t);
	if (t.n)
		qsort(t.taking, t.n, sizeof(*t.taking), in_order);
	for (size_t i = 0, end; i < t.n; i = end) {
		for (end = i; end < t.n && t.taking[end].object == t.taking[i].object;)
			end++;
		if (is_shared_work(r, t.taking + i, end - i) && !gives_too(r, t.taking + i, end - i))
			keep_order(r, t.taking + i, end - i);
	}
	free(t.taking);
}
