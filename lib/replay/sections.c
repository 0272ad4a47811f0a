/*
 * sections: learns the conditions of waits at condition variables.
 *
 * A program waits for a predicate of its own, which is not recorded.  Often it is a
 * count: a queue is not empty, or not full, or all tasks are done.  Sections of a lock
 * are put into classes by the places where they begin and end.  If some sections of a
 * class wait, all of them are assumed to test the predicate.  The count is the number
 * given so far less the number consumed.  If a threshold separates sections that went
 * on from those that had to wait, the count is the predicate.
 */
#include "replay/replay_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

enum {
	OPEN_MOST = 8,    /* locks that a thread has at a time */
	KINDS_MOST = 4,   /* conditions that a class of sections waits for or signals */
	CONSUMES_MOST = 1000,
	SILENT_LEAST = 8, /* signals needed to guess the waiters of a condition without waits */
	SILENT_MOST = 10000000, /* classes by objects: more would take too long */
	SPREAD_MOST = 64, /* range of a count without waits, besides a part of the sections that went on */
};

#define WRONG_PASSES 0.05 /* errors of a good rule: went on though it said no */
#define WRONG_WAITS  0.25 /* waited though it said yes */
#define BALANCE      0.8  /* ratio of two numbers that count as equal */
#define SPREAD_PART  0.02
#define GATHER_SAME  0.8  /* least share of groups with the usual size */

struct section {
	uint32_t script, lock, entry, exit, class; /* entry, exit: steps; NOBODY: not in the burst, or not known */
	uint32_t anchor; /* step after which it tests the predicate; NOBODY: unknown */
};

/* A wait or a signal, by its step, and the section that it belongs to. */
struct act {
	uint32_t section, step, condition, script;
};

struct tally {
	uint32_t condition[KINDS_MOST];
	size_t count[KINDS_MOST];
	size_t n;
	bool more; /* there are more than fit */
};

struct sections {
	struct replay *replay;
	struct section *section;
	size_t n, cap;
	struct act *wait, *signal;
	size_t nwaits, wait_cap, nsignals, signal_cap;
	bool *has;         /* by lock: it goes with a condition */
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
		if (s->class < r->nclasses)
			continue;
		r->section_class = xgrow(r->section_class, r->nclasses, &r->class_cap, sizeof(*r->section_class));
		r->section_class[r->nclasses++] = (struct section_class){
			.lock = s->lock, .from = step[s->entry].site, .to = step[s->exit].site, .awaits = NOBODY,
		};
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
static void guess_waiters(struct replay *r, const size_t *sections, uint32_t condition, size_t given)
{
	size_t all = 0, single = SIZE_MAX;

	for (size_t i = 0; i < r->nclasses; i++) {
		const struct section_class *c = &r->section_class[i];

		if (c->lock != r->object[condition].lock || c->awaits != NOBODY || does_give(c, condition))
			continue;
		all += sections[i];
		if (is_balanced(given, sections[i]))
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
	size_t *sections = xcalloc(r->nclasses + 1, sizeof(*sections)), *given = xcalloc(r->nobjects + 1, sizeof(*given));

	for (size_t i = 0; i < x->n; i++)
		if (x->section[i].class != NOBODY)
			sections[x->section[i].class]++;
	for (size_t i = 0; i < x->nsignals; i++)
		given[x->signal[i].condition]++;
	for (size_t i = 0; i < x->nwaits; i++)
		given[x->wait[i].condition] = 0;
	for (size_t i = 0; i < r->nobjects && r->nclasses * r->nobjects < SILENT_MOST; i++)
		if (given[i] >= SILENT_LEAST && r->object[i].lock != NOBODY)
			guess_waiters(r, sections, (uint32_t)i, given[i]);
	free(sections);
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

/* ---- rules ---------------------------------------------------------------------------------------- */

enum what { GIVES_SIGNAL, GIVES_SECTION, ENTERS, WAITS, GOES_ON };

struct turn {
	double at_ns;
	uint32_t condition, script;
	enum what what;
	bool own; /* a signal by a section that itself may wait for the condition */
};

struct turns {
	struct turn *turn;
	size_t n, cap;
};

static void add_turn(struct turns *t, const struct replay *r, uint32_t condition, uint32_t script, uint32_t step, enum what what, bool own)
{
	t->turn = xgrow(t->turn, t->n, &t->cap, sizeof(*t->turn));
	t->turn[t->n++] = (struct turn){
		.at_ns = r->script[script].at_ns[step], .condition = condition, .script = script, .what = what, .own = own,
	};
}

static int by_condition(const void *va, const void *vb)
{
	const struct turn *a = va, *b = vb;

	if (a->condition != b->condition)
		return a->condition < b->condition ? -1 : 1;
	if (a->script != b->script)
		return a->script < b->script ? -1 : 1;
	if (a->at_ns < b->at_ns || a->at_ns > b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (a->what > b->what) - (a->what < b->what);
}

/* The condition that the section tests; NOBODY: none. */
static uint32_t awaits(const struct sections *x, uint32_t section)
{
	uint32_t class = x->section[section].class;

	return class == NOBODY ? NOBODY : x->replay->section_class[class].awaits;
}

static void add_sections(const struct sections *x, struct turns *t)
{
	/* By section: when it went on, and for what. */
	uint32_t *went_on = xcalloc(x->n + 1, sizeof(*went_on)), *what = xcalloc(x->n + 1, sizeof(*what));

	for (size_t i = 0; i < x->n; i++) {
		went_on[i] = x->section[i].anchor;
		what[i] = awaits(x, (uint32_t)i);
	}
	for (size_t i = 0; i < x->nwaits; i++) {
		const struct act *w = &x->wait[i];
		const struct step *step = x->replay->script[w->script].step;

		if (what[w->section] == NOBODY)
			what[w->section] = w->condition;
		if (what[w->section] != w->condition)
			continue;
		went_on[w->section] = w->step;
		if (w->step && step[w->step - 1].kind == BURST_UNLOCK && step[w->step - 1].object == step[w->step].other)
			add_turn(t, x->replay, w->condition, w->script, w->step - 1, WAITS, false);
	}
	for (size_t i = 0; i < x->n; i++) {
		const struct section *s = &x->section[i];

		if (what[i] == NOBODY || went_on[i] == NOBODY)
			continue;
		add_turn(t, x->replay, what[i], s->script, went_on[i], GOES_ON, false);
		if (s->entry != NOBODY)
			add_turn(t, x->replay, what[i], s->script, s->entry, ENTERS, false);
	}
	free(went_on);
	free(what);
}

static void add_gives(const struct sections *x, struct turns *t)
{
	for (size_t i = 0; i < x->nsignals; i++) {
		const struct act *s = &x->signal[i];
		bool own = s->section != NOBODY && awaits(x, s->section) == s->condition;

		if (x->replay->object[s->condition].lock != NOBODY)
			add_turn(t, x->replay, s->condition, s->script, s->step, GIVES_SIGNAL, own);
	}
	for (size_t i = 0; i < x->n; i++) {
		const struct section *s = &x->section[i];
		const struct section_class *c = s->class != NOBODY ? &x->replay->section_class[s->class] : NULL;

		for (size_t k = 0; c && k < c->ngives; k++)
			add_turn(t, x->replay, c->gives[k], s->script, s->exit, GIVES_SECTION, false);
	}
}

static int by_value(const void *va, const void *vb)
{
	int32_t a = *(const int32_t *)va, b = *(const int32_t *)vb;

	return (a > b) - (a < b);
}

struct fit {
	size_t passes, waits, wrong_passes, wrong_waits;
	int32_t spread; /* range of the count, in the burst with the largest one */
};

/* The threshold that separates sections that went on from those that waited. */
static int32_t threshold(int32_t *pass, size_t passes, int32_t *wait, size_t waits, struct fit *fit)
{
	size_t below = 0, best = SIZE_MAX, best_pass = 0, best_wait = 0;
	int32_t at = INT32_MIN / 2;

	qsort(pass, passes, sizeof(*pass), by_value);
	if (waits)
		qsort(wait, waits, sizeof(*wait), by_value);
	for (size_t i = 0; i < passes; i++) {
		if (i && pass[i] == pass[i - 1])
			continue;
		while (below < waits && wait[below] < pass[i])
			below++;
		if (i + (waits - below) > best)
			continue;
		best = i + (waits - below);
		best_pass = i;
		best_wait = waits - below;
		at = pass[i];
	}
	fit->passes += passes;
	fit->waits += waits;
	fit->spread = pass[passes - 1] - pass[0] > fit->spread ? pass[passes - 1] - pass[0] : fit->spread;
	fit->wrong_passes += best_pass;
	fit->wrong_waits += best_wait;
	return at;
}

struct count_rule {
	enum what what;
	int32_t gives, consumes;
};

/* The need of a condition in one burst, by the rule. */
static int32_t fit_burst(const struct turn *t, size_t n, const struct count_rule *rule, struct fit *fit)
{
	int32_t *pass = xcalloc(n + 1, sizeof(*pass)), *wait = xcalloc(n + 1, sizeof(*wait)), have = 0, need = INT32_MIN / 2;
	size_t passes = 0, waits = 0;

	for (size_t i = 0; i < n; i++) {
		if (t[i].what == rule->what)
			have += rule->gives;
		if (t[i].what == WAITS)
			wait[waits++] = have;
		if (t[i].what == GOES_ON) {
			pass[passes++] = have;
			have -= rule->consumes;
		}
	}
	if (passes)
		need = threshold(pass, passes, wait, waits, fit);
	free(pass);
	free(wait);
	return need;
}

static size_t end_of_burst(const struct turn *t, size_t n, size_t first)
{
	size_t end = first;

	while (end < n && t[end].script == t[first].script)
		end++;
	return end;
}

static struct fit fit_rule(struct replay *r, const struct turn *t, size_t n, const struct count_rule *rule, bool keep)
{
	struct fit fit = { 0 };

	for (size_t first = 0, end; first < n; first = end) {
		int32_t need;

		end = end_of_burst(t, n, first);
		need = fit_burst(t + first, end - first, rule, &fit);
		if (keep)
			r->script[t[first].script].start[t[first].condition] = need;
	}
	return fit;
}

static bool is_good(const struct fit *f)
{
	if (!f->waits && (double)f->spread > SPREAD_MOST + SPREAD_PART * (double)f->passes)
		return false;
	return f->passes && (double)f->wrong_passes <= WRONG_PASSES * (double)f->passes + 2 &&
		(double)f->wrong_waits <= WRONG_WAITS * (double)f->waits + 2 && f->wrong_passes + f->wrong_waits < f->passes / 2;
}

static size_t count_what(const struct turn *t, size_t n, enum what what)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += t[i].what == what;
	return sum;
}

/*
 * The rules that are tried: one is given and one consumed, or as many as keep the balance.  Sections are
 * tried before signals: some programs signal only if a thread waits, which depends on the order of
 * threads.
 */
static size_t rules_of(const struct turn *t, size_t n, struct count_rule rule[4])
{
	size_t rules = 0;

	for (size_t i = 0; i < 2; i++) {
		enum what what = i ? GIVES_SIGNAL : GIVES_SECTION;
		double given = (double)count_what(t, n, what), passes = (double)count_what(t, n, GOES_ON);
		struct count_rule one = { .what = what, .gives = 1, .consumes = 1 };

		if (given <= 0 || passes <= 0)
			continue;
		rule[rules++] = one;
		one.consumes = (int32_t)fmin(CONSUMES_MOST, fmax(1, round(given / passes)));
		one.gives = (int32_t)fmin(CONSUMES_MOST, fmax(1, round(passes / given)));
		if (one.consumes > 1 || one.gives > 1)
			rule[rules++] = one;
	}
	return rules;
}

static bool try_counts(struct replay *r, struct object *o, const struct turn *t, size_t n)
{
	struct count_rule rule[4], chosen = { 0 };
	size_t rules = rules_of(t, n, rule), best = SIZE_MAX;

	for (size_t i = 0; i < rules; i++) {
		struct fit fit = fit_rule(r, t, n, &rule[i], false);

		if (!is_good(&fit) || fit.wrong_passes + fit.wrong_waits >= best)
			continue;
		best = fit.wrong_passes + fit.wrong_waits;
		chosen = rule[i];
	}
	if (best == SIZE_MAX)
		return false;
	fit_rule(r, t, n, &chosen, true);
	o->rule = chosen.what == GIVES_SIGNAL ? RULE_SIGNALS : RULE_SECTIONS;
	o->gives = chosen.gives;
	o->consumes = chosen.consumes;
	return true;
}

/* Sizes of the groups that enter before one of them signals. */
static size_t groups_of(const struct turn *t, size_t n, int32_t *size, bool *first)
{
	size_t groups = 0;
	int32_t entered = 0;
	bool begin = true;

	for (size_t i = 0; i < n; i++) {
		if (i && t[i].script != t[i - 1].script) {
			entered = 0;
			begin = true;
		}
		entered += t[i].what == ENTERS;
		if (t[i].what != GIVES_SIGNAL || !t[i].own || !entered)
			continue;
		first[groups] = begin;
		size[groups++] = entered;
		entered = 0;
		begin = false;
	}
	return groups;
}

static bool try_gather(struct replay *r, struct object *o, const struct turn *t, size_t n)
{
	int32_t *size = xcalloc(n + 1, sizeof(*size)), *sorted = xcalloc(n + 1, sizeof(*sorted)), members;
	bool *first = xcalloc(n + 1, sizeof(*first)), good;
	size_t groups = groups_of(t, n, size, first), same = 0, g = 0;

	for (size_t i = 0; i < groups; i++)
		sorted[i] = size[i];
	if (groups)
		qsort(sorted, groups, sizeof(*sorted), by_value);
	members = groups ? sorted[groups / 2] : 0;
	for (size_t i = 0; i < groups; i++)
		same += size[i] == members;
	good = groups >= 3 && members >= 2 && (double)same >= GATHER_SAME * (double)groups - (double)r->nscripts &&
		count_what(t, n, WAITS) * 10 >= (count_what(t, n, ENTERS) - groups) * 8;
	for (size_t from = 0, end; good && from < n; from = end) {
		int32_t *start = &r->script[t[from].script].start[t[from].condition];

		end = end_of_burst(t, n, from);
		while (g < groups && !first[g])
			g++;
		*start = g < groups && size[g] < members ? members - size[g] : 0;
		g++;
	}
	if (good) {
		o->rule = RULE_GATHER;
		o->members = (uint32_t)members;
	}
	free(size);
	free(sorted);
	free(first);
	return good;
}

/*
 * Conditions with waits at several places: each place may have another predicate, and one
 * count cannot express all.
 */
static bool *find_mixed(const struct sections *x)
{
	bool *mixed = xcalloc(x->replay->nobjects + 1, sizeof(*mixed));
	uint32_t *site = xcalloc(x->replay->nobjects + 1, sizeof(*site));
	bool *seen = xcalloc(x->replay->nobjects + 1, sizeof(*seen));

	for (size_t i = 0; i < x->nwaits; i++) {
		const struct act *w = &x->wait[i];
		uint32_t at = x->replay->script[w->script].step[w->step].site;

		mixed[w->condition] = mixed[w->condition] || (seen[w->condition] && site[w->condition] != at);
		seen[w->condition] = true;
		site[w->condition] = at;
	}
	free(site);
	free(seen);
	return mixed;
}

static void find_rules(struct sections *x)
{
	struct replay *r = x->replay;
	struct turns t = { 0 };
	bool *mixed = find_mixed(x);

	add_sections(x, &t);
	add_gives(x, &t);
	if (t.n)
		qsort(t.turn, t.n, sizeof(*t.turn), by_condition);
	for (size_t i = 0, end; i < t.n; i = end) {
		struct object *o = &r->object[t.turn[i].condition];

		for (end = i; end < t.n && t.turn[end].condition == t.turn[i].condition;)
			end++;
		if (mixed[t.turn[i].condition])
			continue;
		if (try_gather(r, o, t.turn + i, end - i))
			r->facts.gathered++;
		else if (try_counts(r, o, t.turn + i, end - i))
			r->facts.counted++;
	}
	free(mixed);
	free(t.turn);
}

/* ---- what follows for the monitor model ------------------------------------------------------------- */

static bool is_ruled(const struct replay *r, uint32_t condition)
{
	return condition != NOBODY && r->object[condition].rule != RULE_EDGE;
}

static void set_questions(const struct sections *x)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct section *s = &x->section[i];
		struct step *step = x->replay->script[s->script].step;

		if (s->anchor != NOBODY && is_ruled(x->replay, awaits(x, (uint32_t)i)))
			step[s->anchor].asks = awaits(x, (uint32_t)i);
		if (s->exit != NOBODY && s->class != NOBODY)
			step[s->exit].monitor_other = s->class + 1;
	}
}

static void leave_out(struct step *s)
{
	s->op[MONITOR] = OP_PASS;
}

/* A wait is tested after its anchor, and removed from its recorded place. */
static void set_waits(const struct sections *x)
{
	for (size_t i = 0; i < x->nwaits; i++) {
		const struct act *w = &x->wait[i];
		const struct section *s = &x->section[w->section];
		struct step *step = x->replay->script[w->script].step;
		bool cut = s->anchor == NOBODY && !(i && x->wait[i - 1].section == w->section);

		if (!is_ruled(x->replay, w->condition) || (s->class != NOBODY && awaits(x, w->section) != w->condition))
			continue;
		leave_out(&step[w->step]);
		if (cut) {
			step[w->step].op[MONITOR] = OP_RESUME;
			step[w->step].asks = w->condition;
			continue;
		}
		if (step[w->step - 1].op[MONITOR] == OP_LEAVE && step[w->step - 1].object == s->lock)
			leave_out(&step[w->step - 1]);
		if (s->anchor == NOBODY)
			continue;
		step[s->anchor].asks = w->condition;
		step[s->anchor].woken_ns = step[w->step].woken_ns;
		step[s->anchor].latencies = step[w->step].latencies;
	}
}

static void set_signals(const struct sections *x)
{
	for (size_t i = 0; i < x->nsignals; i++)
		if (x->replay->object[x->signal[i].condition].rule == RULE_SIGNALS)
			x->replay->script[x->signal[i].script].step[x->signal[i].step].op[MONITOR] = OP_SIGNAL;
	for (size_t i = 0; i < x->replay->nclasses; i++) {
		struct section_class *c = &x->replay->section_class[i];
		uint32_t kept = 0;

		for (uint32_t k = 0; k < c->ngives; k++)
			if (x->replay->object[c->gives[k]].rule == RULE_SECTIONS)
				c->gives[kept++] = c->gives[k];
		c->ngives = kept;
	}
}

void sections_learn(struct replay *r)
{
	struct sections x = { .replay = r };

	x.has = xcalloc(r->nobjects + 1, sizeof(*x.has));
	find_locks(&x);
	find_sections(&x);
	find_classes(&x);
	describe_classes(&x);
	find_rules(&x);
	set_questions(&x);
	set_waits(&x);
	set_signals(&x);
	free(x.section);
	free(x.wait);
	free(x.signal);
	free(x.has);
}
