/*
 * conditions: learns the conditions of waits at condition variables.
 *
 * A program waits for a predicate of its own, which is not recorded.  Often it is a
 * count: a queue is not empty, or not full, or all tasks are done.  The count is the
 * number given so far less the number consumed.  If a threshold separates sections that
 * went on from those that had to wait, the count is the predicate.
 */
#include <gsl/gsl_sort_int.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "replay/sections.h"
#include "replay/threshold.h"

enum {
	CONSUMES_MOST = 1000,
	SPREAD_MOST = 64, /* range of a count without waits, besides a part of the sections that went on */
};

#define WRONG_PASSES 0.05 /* errors of a good rule: went on though it said no */
#define WRONG_WAITS  0.25 /* waited though it said yes */
#define SPREAD_PART  0.02
#define GATHER_SAME  0.8  /* least share of groups with the usual size */

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

static void add_sections(const struct sections *x, struct turns *t)
{
	for (size_t i = 0; i < x->nwaits; i++) {
		const struct act *w = &x->wait[i];
		const struct step *step = x->replay->script[w->script].step;

		if (x->section[w->section].awaits != w->condition)
			continue;
		if (w->step && step[w->step - 1].kind == BURST_UNLOCK && step[w->step - 1].object == step[w->step].other)
			add_turn(t, x->replay, w->condition, w->script, w->step - 1, WAITS, false);
	}
	for (size_t i = 0; i < x->n; i++) {
		const struct section *s = &x->section[i];

		if (s->awaits == NOBODY || s->went_on == NOBODY)
			continue;
		add_turn(t, x->replay, s->awaits, s->script, s->went_on, GOES_ON, false);
		if (s->entry != NOBODY)
			add_turn(t, x->replay, s->awaits, s->script, s->entry, ENTERS, false);
	}
}

static void add_gives(const struct sections *x, struct turns *t)
{
	for (size_t i = 0; i < x->nsignals; i++) {
		const struct act *s = &x->signal[i];
		bool own = s->section != NOBODY && x->section[s->section].awaits == s->condition;

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

struct fit {
	size_t passes, waits, wrong_passes, wrong_waits;
	int32_t spread; /* range of the count, in the burst with the largest one */
};

/* The threshold that separates sections that went on from those that waited. */
static int32_t threshold(int32_t *pass, size_t passes, int32_t *wait, size_t waits, struct fit *fit)
{
	struct threshold found = threshold_find(pass, passes, wait, waits);

	fit->passes += passes;
	fit->waits += waits;
	fit->spread = pass[passes - 1] - pass[0] > fit->spread ? pass[passes - 1] - pass[0] : fit->spread;
	fit->wrong_passes += found.below;
	fit->wrong_waits += found.above;
	return found.at;
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
static size_t groups_of(const struct turn *t, size_t n, int32_t *size)
{
	size_t groups = 0;
	int32_t entered = 0;

	for (size_t i = 0; i < n; i++) {
		if (i && t[i].script != t[i - 1].script)
			entered = 0;
		entered += t[i].what == ENTERS;
		if (t[i].what != GIVES_SIGNAL || !t[i].own || !entered)
			continue;
		size[groups++] = entered;
		entered = 0;
	}
	return groups;
}

static bool try_gather(struct replay *r, struct object *o, const struct turn *t, size_t n)
{
	int32_t *size = xcalloc(n + 1, sizeof(*size)), *sorted = xcalloc(n + 1, sizeof(*sorted)), members;
	size_t groups = groups_of(t, n, size), same = 0;
	bool good;

	for (size_t i = 0; i < groups; i++)
		sorted[i] = size[i];
	gsl_sort_int(sorted, 1, groups);
	members = groups ? sorted[groups / 2] : 0;
	for (size_t i = 0; i < groups; i++)
		same += size[i] == members;
	good = groups >= 3 && members >= 2 && (double)same >= GATHER_SAME * (double)groups - (double)r->nscripts &&
		count_what(t, n, WAITS) * 10 >= (count_what(t, n, ENTERS) - groups) * 8;
	for (size_t from = 0, end; good && from < n; from = end) {
		int32_t *start = &r->script[t[from].script].start[t[from].condition];

		end = end_of_burst(t, n, from);
		/* The first group of a burst may have begun before it. */
		*start = groups_of(t + from, end - from, size) && size[0] < members ? members - size[0] : 0;
	}
	if (good) {
		o->rule = RULE_GATHER;
		o->members = (uint32_t)members;
	}
	free(size);
	free(sorted);
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

/* Does the section, as all of its class do, test a condition with a rule? */
static bool asks(const struct sections *x, const struct section *s)
{
	return is_ruled(x->replay, s->awaits) && (s->class == NOBODY || x->replay->section_class[s->class].awaits == s->awaits);
}

static void leave_out(struct step *s)
{
	s->op[MONITOR] = OP_PASS;
}

static void set_questions(const struct sections *x)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct section *s = &x->section[i];
		struct step *step = x->replay->script[s->script].step;

		if (s->anchor != NOBODY && asks(x, s))
			step[s->anchor].asks = s->awaits;
		if (s->exit != NOBODY && s->class != NOBODY)
			step[s->exit].monitor_other = s->class + 1;
	}
}

/* A wait is tested after its anchor, and removed from its recorded place. */
static void set_waits(const struct sections *x)
{
	for (size_t i = 0; i < x->nwaits; i++) {
		const struct act *w = &x->wait[i];
		const struct section *s = &x->section[w->section];
		struct step *step = x->replay->script[w->script].step;
		bool first = !i || x->wait[i - 1].section != w->section;

		if (s->awaits != w->condition || !asks(x, s))
			continue;
		if (s->anchor == NOBODY && first) {
			step[w->step].op[MONITOR] = OP_RESUME;
			step[w->step].asks = w->condition;
			continue;
		}
		leave_out(&step[w->step]);
		if (step[w->step - 1].op[MONITOR] == OP_LEAVE && step[w->step - 1].object == s->lock)
			leave_out(&step[w->step - 1]);
		if (s->anchor == NOBODY)
			continue;
		step[s->anchor].woken = step[w->step].woken;
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

void conditions_learn(struct replay *r)
{
	struct sections x;

	sections_find(&x, r);
	find_rules(&x);
	set_questions(&x);
	set_waits(&x);
	set_signals(&x);
	sections_release(&x);
}
