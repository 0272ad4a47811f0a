/*
 * Work that moves between threads.
 *
 * Threads of a pool take the next task when they are free.  With a question another
 * one may be free first, and tasks may be given in another order.  So the work after such a
 * place does not belong to a thread: the first thread that comes does what has been
 * given, and of several pieces of work the one that was done first in the recording.
 *
 * This is assumed if several threads come to the same place, and the time that they need
 * between two visits is similar.  A single thread must do the same each time.  Tokens
 * that a thread acquires and also releases are no work.
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
#define SAME  0.9 /* least part of the times at which a thread does the same */

struct taking {
	uint32_t object, script, step, actor;
	double at_ns, need_ns; /* need_ns: processor time until the next time; NAN: the burst ended */
	uint64_t deeds; /* hash of how it lets others go on until then */
};

struct takings {
	struct taking *taking;
	size_t n, cap;
};

uint32_t step_takes(const struct step *s)
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

/* It lets others go on, and not only with a lock: how often a thread unlocks depends on whether it has to wait. */
static bool is_deed(const struct replay *r, const struct step *s)
{
	return s->kind == BURST_RELEASE || (s->kind == BURST_UNLOCK && r->object[s->object].kind == OBJECT_CONDITION);
}

static void see_step(const struct replay *r, struct taking *t, const struct step *s)
{
	t->need_ns += (double)s->cpu_ns;
	if (is_deed(r, s))
		t->deeds = keys_mix(t->deeds, s->object);
}

static void find_takings(const struct replay *r, uint32_t script, const struct actor *a, struct takings *t)
{
	const struct script *s = &r->script[script];
	size_t begin = t->n;

	for (uint32_t i = a->first; i < a->end; i++) {
		uint32_t object = step_takes(&s->step[i]);

		if (t->n > begin)
			see_step(r, &t->taking[t->n - 1], &s->step[i]);
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

/*
 * The only thread that takes: does it do the same each time?  Else what it does follows from its own steps: a client that reads two
 * answers, and then sends two requests, does so in whatever order the answers come.
 */
static bool are_same(const struct taking *t, size_t n)
{
	struct idmap seen = { 0 };
	size_t *count = NULL, cap = 0, most = 0, known = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k;

		if (isnan(t[i].need_ns))
			continue;
		k = idmap_number(&seen, t[i].deeds);
		count = idmap_room(&seen, count, &cap, sizeof(*count));
		most = ++count[k] > most ? count[k] : most;
		known++;
	}
	free(count);
	idmap_release(&seen);
	return (double)most >= SAME * (double)known;
}

/* The times at one object, in all bursts, by thread. */
static bool is_for_all(struct replay *r, const struct taking *t, size_t n)
{
	struct idmap threads = { 0 };
	struct needs *need = NULL;
	size_t cap = 0;
	uint64_t site = 0;
	bool alike = true;

	for (size_t i = 0; i < n; i++) {
		const struct step *s = &r->script[t[i].script].step[t[i].step];
		uint32_t k = (uint32_t)idmap_number(&threads, r->script[t[i].script].actor[t[i].actor].id);

		need = idmap_room(&threads, need, &cap, sizeof(*need));
		if (s->op[MONITOR] != OP_RESUME) {
			alike = alike && (!site || site == s->site + UINT64_C(1));
			site = s->site + UINT64_C(1);
		}
		if (isnan(t[i].need_ns))
			continue;
		need[k].n++;
		need[k].sum += t[i].need_ns;
		need[k].square += t[i].need_ns * t[i].need_ns;
	}
	r->object[t->object].several = threads.n > 1;
	alike = alike && (threads.n < 2 ? are_same(t, n) : are_alike(need, threads.n));
	free(need);
	idmap_release(&threads);
	return alike;
}

/*
 * Does an acquiring thread release the tokens, too?  Then it gives back what it had, and does not take work there.  A thread that
 * signals the condition for which it waits is another case: its work has made more work.
 */
static bool gives_back(const struct replay *r, const struct taking *t, size_t n)
{
	uint32_t object = t->object;

	if (r->object[object].kind != OBJECT_TOKENS)
		return false;
	for (size_t k = 0; k < n; k++) {
		const struct script *s = &r->script[t[k].script];
		const struct actor *a = &s->actor[t[k].actor];

		for (uint32_t i = t[k].step; i < a->end && i < t[k].step + 64; i++)
			if (s->step[i].object == object && (s->step[i].kind == BURST_RELEASE || s->step[i].kind == BURST_UNLOCK))
				return true;
	}
	return false;
}

/* ---- who gives it ---------------------------------------------------------------------------- */

struct giving {
	double at_ns;
	uint32_t step;
};

static bool gives(const struct replay *r, const struct step *s, uint32_t object)
{
	const struct section_class *c;

	if (s->op[MONITOR] == OP_GIVE || s->op[MONITOR] == OP_SIGNAL)
		return s->object == object;
	if (s->op[MONITOR] != OP_LEAVE || !s->monitor_other)
		return false;
	c = &r->section_class[s->monitor_other - 1];
	for (uint32_t k = 0; k < c->ngives; k++)
		if (c->gives[k] == object)
			return true;
	return false;
}

static int in_time(const void *va, const void *vb)
{
	const struct giving *a = va, *b = vb;

	if (a->at_ns < b->at_ns || a->at_ns > b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (a->step > b->step) - (a->step < b->step);
}

/* In the order of time.  The caller frees them. */
static struct giving *givings_of(const struct replay *r, const struct script *s, uint32_t object, size_t *n)
{
	struct giving *g = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (!gives(r, &s->step[i], object))
			continue;
		g = xgrow(g, *n, &cap, sizeof(*g));
		g[(*n)++] = (struct giving){ .at_ns = s->at_ns[i], .step = i };
	}
	if (*n)
		qsort(g, *n, sizeof(*g), in_time);
	return g;
}

/* The number of takings for which enough is there when the burst begins. */
static int64_t there_at_begin(const struct object *o, int32_t start)
{
	return o->kind == OBJECT_TOKENS ? start : 1 - (int64_t)start;
}

/* The takings of one object in one burst: what was given first is taken first. */
static void find_givers(struct replay *r, struct script *s, const struct taking *t, size_t n)
{
	const struct object *o = &r->object[t->object];
	size_t ngivings, each = o->kind == OBJECT_TOKENS ? 1 : (size_t)o->gives;
	struct giving *g = givings_of(r, s, t->object, &ngivings);
	int64_t there = there_at_begin(o, s->start[t->object]);

	for (size_t k = 0; k < n; k++) {
		int64_t nth = ((int64_t)k - there) / (int64_t)each;

		s->work = xgrow(s->work, s->nwork, &s->work_cap, sizeof(*s->work));
		s->work[s->nwork++] = (struct work){
			.giver = { (int64_t)k >= there && nth < (int64_t)ngivings ? g[nth].step : NOBODY, NOBODY }, .object = t->object, .first = t[k].step,
		};
	}
	free(g);
}

static void let_move(struct replay *r, const struct taking *t, size_t n)
{
	r->object[t->object].moves = true;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && t[end].script == t[i].script;)
			end++;
		find_givers(r, &r->script[t[i].script], t + i, end - i);
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
		if (is_for_all(r, t.taking + i, end - i) && !gives_back(r, t.taking + i, end - i))
			let_move(r, t.taking + i, end - i);
	}
	for (size_t b = 0; b < r->nscripts; b++) {
		struct script *s = &r->script[b];

		if (s->nwork)
			s->gives_work = script_list_by_step(s, s->work, s->nwork, sizeof(*s->work));
	}
	free(t.taking);
}
