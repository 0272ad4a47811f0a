/*
 * observed_ask: what is asked of the bursts of a run, and how the answers are kept.
 *
 * Each region with enough samples is asked for, at each speedup.  With --what-if, only the user's question is asked.
 */
#include "profile/observed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "profile/load.h"
#include "profile/whatif.h"
#include "profile/why.h"
#include "profile/wrapper.h"
#include "replay/join.h"
#include "replay/replay.h"

/* The recorder's own speedups.  They are asked for where experiments have tried none that is as near as NEAR. */
static const double LEVELS[] = { 0.15, 0.3, 0.5, 0.75 };
static const double NEAR = 0.051, SAME = 1e-9;
static const double LARGEST = 0.95; /* speedup that replay is asked for */
enum { OWN_LEVELS = sizeof LEVELS / sizeof LEVELS[0] };

/*
 * Of 49 programs, `tiny` has 0.15 to 0.23, and is predicted wrongly; the others have 0.002 at most.  Two more, with
 * sections of 2 and 12 us, were off by 4 and 15 points, with too narrow intervals.
 */
static const double BRIEF_MATTERS = 0.03;

/* From this part of the time in which threads wait for the ends of frames, experiments are wrong about it. */
static const double FRAMES_MATTER = 0.1;

/* By this part, moments of the clock come sooner in the question whether that matters. */
static const double SOONER = 0.2;

static const double LEAST_SHARE = 0.01; /* least share of the samples for a region to be replayed */

static const char *name_of(const struct observed *o, uint32_t point)
{
	for (size_t i = 0; i < o->npoints; i++)
		if (o->point[i].id == point)
			return o->point[i].name;
	return NULL;
}

static bool is_whole(const struct observed *o)
{
	return o->nbursts == 1 && o->burst[0].whole;
}

/* If no window tells the kind of the point, replay does. */
static void take_kind(struct profile_point *point, enum replay_what what)
{
	if (point->kinds)
		return;
	point->kinds = what == REPLAY_PERIOD ? KIND_THROUGHPUT : what == REPLAY_WHOLE ? KIND_RUN : KIND_LATENCY;
	if (point->kinds == KIND_LATENCY)
		point->measures = MEASURE_SPANS;
}

/*
 * What is asked depends on the log that the bursts are in, and on no other one: results do not depend on the order of the
 * input.
 */
static bool counts_runs(const struct context *c)
{
	const struct profile *p = c->p;

	for (size_t i = c->first_visit; i < p->nvisits; i++)
		if (!strcmp(p->point[p->visits[i].point].name, "run"))
			return true;
	return false;
}

/* Was the region sped up in a window of this log? */
static bool is_tried(const struct context *c, size_t region)
{
	for (size_t i = c->first_window; i < c->p->nwindows; i++)
		if (c->p->window[i].region == c->region[region].place)
			return true;
	return false;
}

/* The name of the point that the effect is about; NULL: it is about none. */
static const char *point_of(const struct context *c, const struct observed *o, const struct replay_effect *e)
{
	if (e->what == REPLAY_WHOLE)
		return is_whole(o) && counts_runs(c) ? "run" : NULL; /* are runs progress? */
	return name_of(o, e->point);
}

/* region: its place in the profile. */
static void keep_effect(struct context *c, const struct observed *o, size_t region, double s, const struct replay_effect *e,
			const struct replay_facts *facts)
{
	struct profile *p = c->p;
	const char *name = point_of(c, o, e);
	size_t at;

	if (!name || isnan(e->gain))
		return;
	at = load_point(p, name);
	take_kind(&p->point[at], e->what);
	p->point[at].plain = true;
	p->replayed = xgrow(p->replayed, p->nreplayed, &p->cap_replayed, sizeof *p->replayed);
	p->replayed[p->nreplayed] = (struct profile_replayed){
		.run = c->run[o->run].place, .point = at, .region = region, .s = s, .what = e->what, .gain = e->gain, .chance = e->chance, .se = e->se, .trust = e->trust,
		.measured_ns = e->measured_ns, .length_ns = facts->length_ns, .whole = is_whole(o),
		.unseen = (facts->unexplained_ns + facts->timeouts_ns) / facts->length_ns,
	};
	memcpy(p->replayed[p->nreplayed++].model, e->model, sizeof e->model);
}

/* Something to ask of a run.  Answers may be computed in any order, for they do not depend on each other; they are kept in this one. */
struct question {
	size_t region; /* its place in the context; PROFILE_NONE: the user's question */
	double s;      /* the speedup; NAN: the user's question */
	double *shorter; /* owned; see struct replay_question */
	bool has_known;
	struct replay_known known;
	unsigned cpus;
	struct replay_answer answer;
};

struct questions {
	const struct replay *replay;
	struct question *q; /* owned */
	size_t n, cap;
};

static struct question *add_question(struct questions *all, const struct observed *o, size_t region, double s)
{
	all->q = xgrow(all->q, all->n, &all->cap, sizeof *all->q);
	all->q[all->n] = (struct question){ .region = region, .s = s, .shorter = xcalloc(o->nstacks + 1, sizeof(double)) };
	return &all->q[all->n++];
}

static void answer_one(void *arg, size_t i)
{
	struct questions *all = arg;
	struct question *q = &all->q[i];

	replay_ask(all->replay, &(struct replay_question){ .shorter = q->shorter, .known = q->has_known ? &q->known : NULL, .cpus = q->cpus }, &q->answer);
}

static void keep_answer(struct context *c, const struct observed *o, const struct question *q, const struct replay_facts *facts)
{
	size_t place = q->region == PROFILE_NONE ? PROFILE_NONE : c->region[q->region].place;

	for (size_t i = 0; i < q->answer.n; i++)
		keep_effect(c, o, place, q->s, &q->answer.effect[i], facts);
}

/* Asks all questions, keeps the answers, and releases both. */
static void answer_all(struct context *c, const struct observed *o, struct questions *all)
{
	struct replay_facts facts;

	replay_facts(all->replay, &facts);
	parallel_for(all->n, answer_one, all);
	for (size_t i = 0; i < all->n; i++) {
		keep_answer(c, o, &all->q[i], &facts);
		replay_answer_release(&all->q[i].answer);
		free(all->q[i].shorter);
	}
	free(all->q);
}

/* With the region faster by s.  `share`: its part of all processor time; NULL: unknown. */
static void add_region(struct questions *all, const struct observed *o, size_t region, double s, const struct replay_known *share)
{
	struct question *q = add_question(all, o, region, s);

	for (size_t i = 0; i < o->nstacks; i++)
		if (observed_is_charged(&o->stack[i], region))
			q->shorter[i + 1] = s;
	if (share) {
		q->has_known = true;
		q->known = *share;
		q->known.shorter = s;
		q->known.part *= s;
		q->known.waited_ns *= s;
	}
}

/* The user's question.  If two regions are in one stack, their speedups are multiplied. */
static void add_users(struct questions *all, const struct context *c, const struct observed *o)
{
	struct what_if *w = c->p->what_if;
	struct question *q = add_question(all, o, PROFILE_NONE, NAN);

	q->cpus = w->cpus;
	for (size_t i = 0; i < o->nstacks; i++) {
		double left = 1;

		for (size_t k = 0; k < o->stack[i].n; k++) {
			size_t place = c->region[o->stack[i].region[k]].place;

			left *= place == PROFILE_NONE ? 1 : 1 - what_if_shorter(w, &c->p->region[place]);
		}
		q->shorter[i + 1] = 1 - left;
	}
}

/* Time by region, by stack, and of all samples, of one kind: on processors, or waiting for the outside. */
struct times {
	double *region; /* owned; by place in the context */
	double *stack;  /* owned; by number - 1 */
	double all;
	size_t samples;
};

/* A stack names each of its regions once. */
static struct times times_by_region(const struct context *c, const struct observed *o, enum burst_kind kind)
{
	struct times t = { .region = xcalloc(c->nregions + 1, sizeof *t.region), .stack = xcalloc(o->nstacks + 1, sizeof *t.stack) };

	for (size_t b = 0; b < o->nbursts; b++)
		for (size_t k = 0; k < o->burst[b].n; k++)
			for (size_t i = 0; i < o->burst[b].thread[k].n; i++) {
				const struct burst_event *e = &o->burst[b].thread[k].event[i];

				if (e->kind != kind)
					continue;
				t.all += (double)e->waited_ns;
				t.samples++;
				if (e->object > 0 && e->object <= o->nstacks)
					t.stack[e->object - 1] += (double)e->waited_ns;
			}
	for (size_t s = 0; s < o->nstacks; s++)
		for (size_t i = 0; i < o->stack[s].n; i++)
			t.region[o->stack[s].region[i]] += t.stack[s];
	return t;
}

static void times_release(struct times *t)
{
	free(t->region);
	free(t->stack);
}

/* Is the region in enough of the samples of either kind, or of those of the whole run? */
static bool is_sampled(const struct times *ran, const struct times *waited, const struct replay_known *known, size_t region)
{
	double cpu = ran->region[region], wait = waited->region[region];

	return known[region].part >= LEAST_SHARE || (cpu > 0 && cpu >= LEAST_SHARE * ran->all) || (wait > 0 && wait >= LEAST_SHARE * (ran->all + waited->all));
}

/* Of the time of a run's threads, the part in which they computed, or would have. */
static double busy_part(const struct profile_spent *s)
{
	double all = (double)(s->cpu + s->blocked);

	return all > 0 ? (double)(s->cpu + s->runqueue) / all : 1;
}

/*
 * The shares of the run for each region of the context; part NAN: unknown.  A log that
 * was cut short has no shares, and a region that was found in a later run has none in this
 * one.  Any other region without a share had no sample.  The caller frees it.
 */
static struct replay_known *shares_of(const struct context *c, const struct observed *o, bool waits_for_clock)
{
	struct replay_known *known = xcalloc(c->nregions + 1, sizeof *known);
	const struct profile_run *run = &c->run[o->run].run;
	double all = (double)run->share_total, period = (double)run->period_ns;
	/* A thread that waits until a moment waits for longer when it comes earlier. */
	bool alone = run->threads_most == 1 && !waits_for_clock;

	for (size_t i = 0; i < c->nregions; i++)
		known[i] = (struct replay_known){
			.part = all > 0 && run->wall_ns && i < c->run[o->run].regions_then ? 0 : NAN,
			.samples = all,
			.waited_ns = waits_for_clock ? NAN : 0,
			.length_ns = (double)run->wall_ns,
			.period_ns = period,
			.alone = alone,
			.busy = busy_part(&run->spent),
		};
	for (size_t i = 0; i < c->nshares && all > 0 && run->wall_ns; i++) {
		if (c->share[i].run != o->run)
			continue;
		known[c->share[i].region].part = (double)c->share[i].samples / all;
		if (!waits_for_clock) /* it holds those for the clock */
			known[c->share[i].region].waited_ns = (double)c->share[i].blocked * period;
	}
	return known;
}

/*
 * The regions that are asked for, in all runs: one run, at least, has enough samples of them.  Were a region
 * asked for in the runs alone that have samples of it, the mean would be too large where runs are short.  The caller frees
 * it.
 */
static bool *asked_regions(const struct context *c)
{
	bool *asked = xcalloc(c->nregions + 1, sizeof *asked);

	for (size_t i = 0; i < c->nobserved; i++) {
		const struct observed *o = &c->observed[i];
		struct times ran = times_by_region(c, o, BURST_SAMPLE), waited = times_by_region(c, o, BURST_WAITING);
		struct replay_known *known = shares_of(c, o, false);

		for (size_t region = 0; region < c->nregions; region++)
			asked[region] = asked[region] || is_sampled(&ran, &waited, known, region);
		free(known);
		times_release(&ran);
		times_release(&waited);
	}
	return asked;
}

static bool is_near(const double *level, size_t n, double s, double distance)
{
	for (size_t i = 0; i < n; i++)
		if (fabs(level[i] - s) < distance)
			return true;
	return false;
}

struct levels {
	double s[PROFILE_LEVELS];
	size_t n;
};

/*
 * The speedups to ask for: those of the experiments, so that both methods tell of the same.  (On a line
 * between other speedups, a knee would be cut off.)
 */
static struct levels levels_of(const struct context *c)
{
	const struct profile *p = c->p;
	struct levels l = { .n = 0 };
	size_t tried;

	for (size_t i = c->first_window; i < p->nwindows && l.n + OWN_LEVELS < PROFILE_LEVELS; i++)
		if (p->window[i].s > 0 && p->window[i].s <= LARGEST && !is_near(l.s, l.n, p->window[i].s, SAME))
			l.s[l.n++] = p->window[i].s;
	tried = l.n;
	for (size_t i = 0; i < OWN_LEVELS; i++)
		if (!is_near(l.s, tried, LEVELS[i], NEAR))
			l.s[l.n++] = LEVELS[i];
	return l;
}

/* Nothing tells whether the run had a sample of the region: its share is not known, and the bursts are a part of the run. */
static bool is_unseen(const struct observed *o, const struct times *ran, const struct times *waited, const struct replay_known *known, size_t region)
{
	return isnan(known[region].part) && !is_whole(o) && !(ran->region[region] > 0) && !(waited->region[region] > 0);
}

/* Asks for each region, and adds the reasons of its gain. */
static void add_regions(struct questions *all, struct context *c, struct observed *o, const struct levels *levels, const bool *asked)
{
	struct times ran = times_by_region(c, o, BURST_SAMPLE), waited = times_by_region(c, o, BURST_WAITING);
	bool named = c->run[o->run].run.named, *wrapper;
	struct replay_known *known;
	struct replay_facts facts;
	struct why *why = why_begin(o, all->replay);

	replay_facts(all->replay, &facts);
	known = shares_of(c, o, facts.clock_ns > 0);
	for (size_t i = 0; i < o->nstacks; i++)
		ran.stack[i] += waited.stack[i];
	wrapper = wrapper_find(c, o, asked, ran.stack);
	for (size_t region = 0; region < c->nregions; region++) {
		if (c->region[region].place == PROFILE_NONE || !asked[region] || is_unseen(o, &ran, &waited, known, region))
			continue;
		if (wrapper[region] && !named && !is_tried(c, region))
			continue;
		for (size_t i = 0; i < levels->n; i++)
			add_region(all, o, region, levels->s[i], isnan(known[region].part) ? NULL : &known[region]);
		why_add(why, c, region);
	}
	why_end(why);
	free(known);
	free(wrapper);
	times_release(&ran);
	times_release(&waited);
}

/* The id of the point that counts processor time; 0: the run has none. */
static uint32_t work_point(const struct observed *o)
{
	for (size_t i = 0; i < o->npoints; i++)
		if (strcmp(o->point[i].name, ":work") == 0)
			return o->point[i].id;
	return 0;
}

/* Notes how much was recorded for replay, for the report.  `joined`: visits that are parts of others now. */
static void count_observed(struct profile_run *run, const struct observed *o, const struct replay_facts *facts, size_t joined)
{
	run->bursts += o->nbursts;
	run->events += facts->events + joined;
	run->burst_ns += facts->length_ns;
}

/* Neither replay nor experiments know what such locks do, so the numbers may be wrong. */
static void warn_of_brief_locks(struct context *c, size_t run, const struct replay_facts *facts)
{
	char *text;

	if (facts->brief < BRIEF_MATTERS)
		return;
	text = xasprintf("threads waited for %.0f %% of their time for locks that are held for much shorter times: how often they meet there, "
			 "and what each meeting costs, changes with all code, and predictions do not know it; hold such locks more rarely",
			 100 * facts->brief);
	profile_warn(c->p, "brief-locks", text, run, 1, false);
	free(text);
}

/* Such waits end at the same moment, whatever the thread does before.  Without an experiment, that does no harm. */
static void warn_of_frames(struct context *c, size_t run, const struct replay_facts *facts)
{
	char *text;

	if (c->p->nwindows == c->first_window || !(facts->frames_ns > FRAMES_MATTER * facts->length_ns))
		return;
	text = xasprintf("threads waited for the rest of their frames, on average %.1f of them at a time: experiments cannot slow the clock, so "
			 "they predict too much for what waits for it",
			 facts->frames_ns / facts->length_ns);
	profile_warn(c->p, "absolute-timer", text, run, 1, false);
	free(text);
}

/*
 * Notes how much each point depends on the clock.  A program that is too slow for its timers waits for them when it gets faster, so
 * all of its code takes half of the time.  The greatest value of all runs counts.
 */
static void ask_of_clock(struct context *c, const struct observed *o, const struct replay *r, const struct replay_facts *facts)
{
	double *half;
	struct replay_answer faster, sooner;

	if (!(facts->clock_ns > 0))
		return;
	half = xcalloc(o->nstacks + 1, sizeof *half);
	for (size_t i = 0; i <= o->nstacks; i++)
		half[i] = 0.5;
	replay_ask(r, &(struct replay_question){ .shorter = half }, &faster);
	replay_ask(r, &(struct replay_question){ .shorter = half, .sooner = SOONER }, &sooner);
	for (size_t i = 0; i < sooner.n; i++) {
		const char *name = point_of(c, o, &sooner.effect[i]);
		struct profile_point *point = name ? &c->p->point[load_point(c->p, name)] : NULL;
		double gained = faster.effect[i].gain;

		if (point)
			point->clocked = fmax(point->clocked, (sooner.effect[i].gain - gained) / (1 - gained) / SOONER);
	}
	replay_answer_release(&faster);
	replay_answer_release(&sooner);
	free(half);
}

/* nbursts: of all runs. */
static void replay_run(struct context *c, struct observed *o, size_t nbursts, const struct levels *levels, const bool *asked)
{
	size_t run = c->run[o->run].place, joined = 0;
	struct questions all = { 0 };
	struct replay_facts facts;
	struct replay *r;

	for (size_t i = 0; i < o->nbursts; i++) {
		join_waits(&o->burst[i]);
		joined += visits_join(&o->burst[i]);
		if (work_point(o))
			burst_count_work(&o->burst[i], work_point(o));
	}
	r = replay_learn(o->burst, o->nbursts, o->nstacks, nbursts);
	replay_facts(r, &facts);
	count_observed(&c->p->run[run], o, &facts, joined);
	warn_of_brief_locks(c, run, &facts);
	warn_of_frames(c, run, &facts);
	ask_of_clock(c, o, r, &facts);
	all.replay = r;
	if (c->p->what_if)
		add_users(&all, c, o);
	else
		add_regions(&all, c, o, levels, asked);
	answer_all(c, o, &all);
	replay_free(r);
}

void observed_close(struct context *c)
{
	const struct levels levels = c->nobserved ? levels_of(c) : (struct levels){ .n = 0 };
	bool *asked = asked_regions(c);
	size_t nbursts = 0;

	for (size_t i = 0; i < c->nobserved; i++)
		nbursts += c->observed[i].nbursts;
	for (size_t i = 0; i < c->nobserved; i++) {
		if (c->run[c->observed[i].run].place != PROFILE_NONE)
			replay_run(c, &c->observed[i], nbursts, &levels, asked);
		observed_release(&c->observed[i]);
	}
	c->nobserved = 0;
	free(asked);
}
