/*
 * sections: finds the sections of locks, and puts them into classes by the places where
 * they begin and end.  If some sections of a class wait for a condition, all of them are
 * assumed to test its predicate.
 */
#include "replay/sections.h"

#include <stdlib.h>

#include "base/alloc.h"

enum {
	OPEN_MOST = 8,    /* locks that a thread has at a time */
	KINDS_MOST = 4,   /* conditions that a class of sections waits for or signals */
	SILENT_LEAST = 8, /* signals needed to guess the waiters of a condition without waits */
	SILENT_MOST = 10000000, /* classes by objects: more would take too long */
};

#define BALANCE 0.8 /* ratio of two numbers that count as equal */

struct tally {
	uint32_t condition[KINDS_MOST];
	size_t count[KINDS_MOST];
	size_t n;
	bool more; /* there are more than fit */
};

/* ---- sections of a thread ----------------------------------------------------------------- */

struct open {
	uint32_t lock, section, depth;
};

struct hand {
	struct open open[OPEN_MOST];
	size_t n;
	uint32_t last; /* section that ended last, or NOBODY */
};

static struct open *find_open(struct hand *h, uint32_t lock)
{
	for (size_t i = h->n; i-- > 0;)
		if (h->open[i].lock == lock)
			return &h->open[i];
	return NULL;
}

static struct open *open_section(struct sections *x, struct hand *h, uint32_t script, uint32_t lock, uint32_t entry)
{
	if (h->n == OPEN_MOST)
		return NULL;
	x->section = xgrow(x->section, x->n, &x->cap, sizeof(*x->section));
	x->section[x->n] = (struct section){ .script = script, .lock = lock, .entry = entry, .exit = NOBODY, .class = NOBODY, .anchor = NOBODY };
	h->open[h->n] = (struct open){ .lock = lock, .section = (uint32_t)x->n++, .depth = 1 };
	return &h->open[h->n++];
}

static void close_section(struct sections *x, struct hand *h, struct open *o, uint32_t exit)
{
	if (--o->depth)
		return;
	x->section[o->section].exit = exit;
	h->last = o->section;
	*o = h->open[--h->n];
}

static void add_wait(struct sections *x, struct hand *h, uint32_t script, uint32_t at)
{
	const struct step *s = &x->replay->script[script].step[at];
	struct open *o = find_open(h, s->other);

	if (!o)
		o = open_section(x, h, script, s->other, NOBODY);
	if (!o)
		return;
	x->wait = xgrow(x->wait, x->nwaits, &x->wait_cap, sizeof(*x->wait));
	if (x->section[o->section].anchor == NOBODY && x->section[o->section].entry != NOBODY)
		x->section[o->section].anchor = at >= x->section[o->section].entry + 2 ? at - 2 : x->section[o->section].entry;
	x->wait[x->nwaits++] = (struct act){ .section = o->section, .step = at, .condition = s->object, .script = script };
}

static void add_signal(struct sections *x, struct hand *h, uint32_t script, uint32_t at)
{
	uint32_t condition = x->replay->script[script].step[at].object, lock = x->replay->object[condition].lock;
	struct open *o = lock != NOBODY ? find_open(h, lock) : NULL;
	uint32_t section = o ? o->section : h->last;

	if (section != NOBODY && x->section[section].lock != lock)
		section = NOBODY;
	x->signal = xgrow(x->signal, x->nsignals, &x->signal_cap, sizeof(*x->signal));
	x->signal[x->nsignals++] = (struct act){ .section = section, .step = at, .condition = condition, .script = script };
}

static bool is_for_wait(const struct script *s, uint32_t unlock, uint32_t end)
{
	return unlock + 1 < end && s->step[unlock + 1].kind == BURST_WAIT && s->step[unlock + 1].other == s->step[unlock].object;
}

static void see_step(struct sections *x, struct hand *h, uint32_t script, uint32_t at, uint32_t end)
{
	const struct script *s = &x->replay->script[script];
	const struct step *step = &s->step[at];
	struct open *o;

	if (step->kind == BURST_WAIT) {
		if (x->has[step->other])
			add_wait(x, h, script, at);
		return;
	}
	if (step->kind != BURST_UNLOCK && step->kind != BURST_LOCK && step->kind != BURST_ACQUIRE)
		return;
	if (step->kind == BURST_UNLOCK && x->replay->object[step->object].kind == OBJECT_CONDITION)
		add_signal(x, h, script, at);
	if (!x->has[step->object])
		return;
	o = find_open(h, step->object);
	if (step->kind != BURST_UNLOCK) {
		if (o)
			o->depth++;
		else
			open_section(x, h, script, step->object, at);
	} else if (o && !is_for_wait(s, at, end)) {
		close_section(x, h, o, at);
	}
}

static void find_sections(struct sections *x)
{
	for (uint32_t b = 0; b < x->replay->nscripts; b++) {
		const struct script *s = &x->replay->script[b];

		for (size_t t = 0; t < s->nactors; t++) {
			struct hand h = { .last = NOBODY };

			for (uint32_t i = s->actor[t].first; i < s->actor[t].end; i++)
				see_step(x, &h, b, i, s->actor[t].end);
		}
	}
}

/* A condition without waits belongs to the lock that a thread took last before it signalled. */
static void find_locks_of_signals(struct sections *x, const struct script *s, const struct actor *a)
{
	struct replay *r = x->replay;
	uint32_t last = NOBODY;

	for (uint32_t i = a->first; i < a->end; i++) {
		const struct step *step = &s->step[i];

		if ((step->kind == BURST_LOCK || step->kind == BURST_ACQUIRE) && r->object[step->object].kind == OBJECT_LOCK)
			last = step->object;
		if (step->kind != BURST_UNLOCK || r->object[step->object].kind != OBJECT_CONDITION || last == NOBODY)
			continue;
		if (r->object[step->object].lock != NOBODY)
			continue;
		r->object[step->object].lock = last;
		x->has[last] = true;
	}
}

static void find_locks(struct sections *x)
{
	struct replay *r = x->replay;

	for (size_t i = 0; i < r->nobjects; i++)
		r->object[i].lock = NOBODY;
	for (size_t b = 0; b < r->nscripts; b++) {
		for (size_t i = 0; i < r->script[b].n; i++) {
			const struct step *s = &r->script[b].step[i];

			if (s->kind != BURST_WAIT || r->object[s->other].kind != OBJECT_LOCK)
				continue;
			x->has[s->other] = true;
			x->replay->object[s->object].lock = s->other;
		}
	}
	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t t = 0; t < r->script[b].nactors; t++)
			find_locks_of_signals(x, &r->script[b], &r->script[b].actor[t]);
}

/* ---- classes -------------------------------------------------------------------------------------- */

static void count_condition(struct tally *t, uint32_t condition)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->condition[i] == condition) {
			t->count[i]++;
			return;
		}
	}
	if (t->n == KINDS_MOST) {
		t->more = true;
		return;
	}
	t->condition[t->n] = condition;
	t->count[t->n++] = 1;
}

static void find_classes(struct sections *x)
{
	struct replay *r = x->replay;
	struct idmap keys = { 0 };

	for (size_t i = 0; i < x->n; i++) {
		struct section *s = &x->section[i];
		const struct step *step = r->script[s->script].step;

		if (s->entry == NOBODY || s->exit == NOBODY)
			continue;
		s->class = (uint32_t)idmap_number(&keys, keys_mix(keys_mix(s->lock, step[s->entry].site), step[s->exit].site));
		if (s->class == r->nclasses) {
			r->section_class = xgrow(r->section_class, r->nclasses, &r->class_cap, sizeof(*r->section_class));
			r->section_class[r->nclasses++] = (struct section_class){
				.lock = s->lock, .from = step[s->entry].site, .to = step[s->exit].site, .awaits = NOBODY,
			};
		}
		r->section_class[s->class].n++;
	}
	idmap_release(&keys);
}

/* The place of a step, whether it had to wait there or not. */
static uint64_t place_of_step(const struct step *s)
{
	uint64_t kind = s->kind == BURST_ACQUIRE ? BURST_LOCK : s->kind;

	return keys_mix(keys_mix(kind, s->object), s->site);
}

/* The place where sections of a class wait, by majority vote. */
static void find_anchors(struct sections *x)
{
	struct replay *r = x->replay;
	size_t *votes = xcalloc(r->nclasses + 1, sizeof(*votes));

	for (size_t i = 0; i < x->n; i++) {
		const struct section *s = &x->section[i];
		struct section_class *c = s->class != NOBODY ? &r->section_class[s->class] : NULL;
		uint64_t at;

		if (!c || s->anchor == NOBODY)
			continue;
		at = place_of_step(&r->script[s->script].step[s->anchor]);
		if (!votes[s->class])
			c->anchor = at;
		votes[s->class] += c->anchor == at ? 1 : (size_t)-1;
	}
	for (size_t i = 0; i < x->n; i++) {
		struct section *s = &x->section[i];
		const struct step *step = r->script[s->script].step;

		if (s->anchor != NOBODY || s->entry == NOBODY)
			continue;
		s->anchor = s->entry;
		for (uint32_t k = s->entry; s->class != NOBODY && k < s->exit && r->section_class[s->class].anchor; k++) {
			if (place_of_step(&step[k]) != r->section_class[s->class].anchor)
				continue;
			s->anchor = k;
			break;
		}
	}
	free(votes);
}

static bool does_give(const struct section_class *c, uint32_t condition)
{
	for (uint32_t k = 0; k < c->ngives; k++)
		if (c->gives[k] == condition)
			return true;
	return false;
}

static bool is_balanced(size_t given, size_t taken)
{
	return (double)taken >= BALANCE * (double)given && BALANCE * (double)taken <= (double)given;
}

/* Without waits for the condition: a class with as many sections as signals is assumed to test it. */
static void guess_waiters(struct replay *r, uint32_t condition, size_t given)
{
	size_t all = 0, single = SIZE_MAX;

	for (size_t i = 0; i < r->nclasses; i++) {
		const struct section_class *c = &r->section_class[i];

		if (c->lock != r->object[condition].lock || c->awaits != NOBODY || does_give(c, condition))
			continue;
		all += c->n;
		if (is_balanced(given, c->n))
			single = i;
	}
	for (size_t i = 0; i < r->nclasses; i++) {
		struct section_class *c = &r->section_class[i];

		if (c->lock != r->object[condition].lock || c->awaits != NOBODY || does_give(c, condition))
			continue;
		if (is_balanced(given, all) || i == single)
			c->awaits = condition;
	}
}

static void find_silent(struct sections *x)
{
	struct replay *r = x->replay;
	size_t *given = xcalloc(r->nobjects + 1, sizeof(*given));

	for (size_t i = 0; i < x->nsignals; i++)
		given[x->signal[i].condition]++;
	for (size_t i = 0; i < x->nwaits; i++)
		given[x->wait[i].condition] = 0;
	for (size_t i = 0; i < r->nobjects && r->nclasses * r->nobjects < SILENT_MOST; i++)
		if (given[i] >= SILENT_LEAST && r->object[i].lock != NOBODY)
			guess_waiters(r, (uint32_t)i, given[i]);
	free(given);
}

static void describe_classes(struct sections *x)
{
	struct replay *r = x->replay;
	struct tally *waits = xcalloc(r->nclasses + 1, sizeof(*waits)), *signals = xcalloc(r->nclasses + 1, sizeof(*signals));

	for (size_t i = 0; i < x->nwaits; i++)
		if (x->section[x->wait[i].section].class != NOBODY)
			count_condition(&waits[x->section[x->wait[i].section].class], x->wait[i].condition);
	for (size_t i = 0; i < x->nsignals; i++)
		if (x->signal[i].section != NOBODY && x->section[x->signal[i].section].class != NOBODY)
			count_condition(&signals[x->section[x->signal[i].section].class], x->signal[i].condition);
	for (size_t i = 0; i < r->nclasses; i++) {
		struct section_class *c = &r->section_class[i];
		size_t best = 0;

		for (size_t k = 1; k < waits[i].n; k++)
			best = waits[i].count[k] > waits[i].count[best] ? k : best;
		if (waits[i].n && !waits[i].more)
			c->awaits = waits[i].condition[best];
		for (size_t k = 0; k < signals[i].n && !signals[i].more; k++)
			c->gives[c->ngives++] = signals[i].condition[k];
	}
	free(waits);
	free(signals);
	find_anchors(x);
	find_silent(x);
}

/* ---- the other side of a condition ------------------------------------------------------------- */

/* Another condition of the lock, which is in no event. */
static uint32_t add_condition(struct replay *r, uint32_t lock)
{
	uint32_t new = (uint32_t)r->nobjects++;

	r->object = xrealloc(r->object, r->nobjects + 1, sizeof(*r->object));
	r->object[new] = (struct object){ .id = UINT32_MAX, .kind = OBJECT_CONDITION, .lock = lock }; /* objects are in the order of ids */
	for (size_t b = 0; b < r->nscripts; b++) {
		r->script[b].start = xrealloc(r->script[b].start, r->nobjects + 1, sizeof(*r->script[b].start));
		r->script[b].start[new] = 0;
	}
	return new;
}

static bool gives_only(const struct section_class *c, uint32_t condition)
{
	return c->awaits == NOBODY && c->ngives == 1 && c->gives[0] == condition;
}

static bool is_awaited(const struct replay *r, uint32_t condition)
{
	for (size_t i = 0; i < r->nclasses; i++)
		if (r->section_class[i].awaits == condition)
			return true;
	return false;
}

/*
 * Does one side wait for the condition, and the other one, which goes on as often, for nothing?  *signalled becomes
 * the one condition that the takers signal, though nobody waits for it; NOBODY: none.
 */
static bool is_one_sided(const struct replay *r, uint32_t condition, uint32_t *signalled)
{
	size_t taken = 0, given = 0;

	*signalled = NOBODY;
	for (size_t i = 0; i < r->nclasses; i++) {
		const struct section_class *c = &r->section_class[i];

		if (c->awaits == condition) {
			if (c->ngives > 1 || (c->ngives == 1 && *signalled != NOBODY && *signalled != c->gives[0]))
				return false;
			*signalled = c->ngives ? c->gives[0] : *signalled;
			taken += c->n;
		}
		if (gives_only(c, condition))
			given += c->n;
	}
	return taken >= SILENT_LEAST && is_balanced(given, taken) && (*signalled == NOBODY || !is_awaited(r, *signalled));
}

/*
 * Some threads signal only if another one waits.  If their queue was hardly ever empty in the burst, hardly anybody has
 * waited for that to change, or signalled it.  Without a second condition, a faster consumer would take what is not
 * there.  So the givers of one condition wait for another one that its takers give.  A queue without a limit gets one
 * by this, the most that was seen in it; in the long run it could not grow either.
 */
static void find_other_sides(struct replay *r)
{
	size_t nobjects = r->nobjects;

	for (uint32_t k = 0; k < nobjects && r->nclasses * nobjects < SILENT_MOST; k++) {
		uint32_t other;

		if (r->object[k].kind != OBJECT_CONDITION || !is_one_sided(r, k, &other))
			continue;
		if (other == NOBODY)
			other = add_condition(r, r->object[k].lock);
		for (size_t i = 0; i < r->nclasses; i++) {
			struct section_class *c = &r->section_class[i];

			if (c->awaits == k && !c->ngives)
				c->gives[c->ngives++] = other;
			else if (gives_only(c, k))
				c->awaits = other;
		}
	}
}

/* ---- what each section waits for ------------------------------------------------------------------ */

/* By its class, or by its own waits. */
static void find_awaited(struct sections *x)
{
	for (size_t i = 0; i < x->n; i++) {
		struct section *s = &x->section[i];

		s->awaits = s->class == NOBODY ? NOBODY : x->replay->section_class[s->class].awaits;
		s->went_on = s->anchor;
	}
	for (size_t i = 0; i < x->nwaits; i++) {
		struct section *s = &x->section[x->wait[i].section];

		if (s->awaits == NOBODY)
			s->awaits = x->wait[i].condition;
		if (s->awaits == x->wait[i].condition)
			s->went_on = x->wait[i].step;
	}
}

void sections_find(struct sections *x, struct replay *r)
{
	*x = (struct sections){ .replay = r };
	x->has = xcalloc(r->nobjects + 1, sizeof(*x->has));
	find_locks(x);
	find_sections(x);
	find_classes(x);
	describe_classes(x);
	find_other_sides(r);
	find_awaited(x);
}

void sections_release(struct sections *x)
{
	free(x->section);
	free(x->wait);
	free(x->signal);
	free(x->has);
}
