/*
 * objects: finds the kind of each object from its use by threads, in all bursts.
 */
#include "replay/replay_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

enum {
	TOKENS_LEAST = 4,         /* releases and acquires, for an object to be one of tokens */
	TOKENS_SLACK = 8,         /* difference of both numbers, besides a tenth: tokens at the begin and at the end */
	MEETING_NS = 20000,       /* time in which the wait at a barrier follows the arrival */
	SHARED_LEAST = 3,         /* if a lock was taken so often while another thread had it, it can be shared */
};

#define SHARED_PART 0.02 /* of acquisitions, for the same; what is less may be events in the wrong order */

struct use {
	size_t locks, unlocks, releases, acquires, waits, with; /* with: as the lock of a wait */
	size_t meetings; /* acquires that follow directly on a release by the same thread */
	size_t members;
	uint32_t last;   /* thread that released it */
};

/* ---- all objects --------------------------------------------------------------- */

static void collect(const struct burst *b, struct idmap *seen, uint32_t **id, size_t *cap)
{
	for (size_t t = 0; t < b->n; t++) {
		for (size_t i = 0; i < b->thread[t].n; i++) {
			const struct burst_event *e = &b->thread[t].event[i];
			uint32_t of[2] = { e->object, e->other };

			for (size_t k = 0; burst_has_object(e->kind) && k < (e->kind == BURST_WAIT ? 2 : 1); k++) {
				size_t before = seen->n;

				if (idmap_number(seen, of[k]) < before)
					continue;
				*id = xgrow(*id, before, cap, sizeof(**id));
				(*id)[before] = of[k];
			}
		}
	}
}

uint32_t object_find(const struct replay *r, uint32_t id)
{
	const struct object *o = r->nobjects ? bsearch(&id, r->object, r->nobjects, sizeof(*o), ids_ascending) : NULL;

	return o ? (uint32_t)(o - r->object) : NOBODY;
}

static void list_objects(struct replay *r, const struct burst *burst, size_t n)
{
	struct idmap seen = { 0 };
	uint32_t *id = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < n; i++)
		collect(&burst[i], &seen, &id, &cap);
	r->nobjects = seen.n;
	r->object = xcalloc(seen.n + 1, sizeof(*r->object));
	if (seen.n)
		qsort(id, seen.n, sizeof(*id), ids_ascending);
	for (size_t i = 0; i < seen.n; i++)
		r->object[i].id = id[i];
	free(id);
	idmap_release(&seen);
}

/* ---- their use ---------------------------------------------------------------- */

static void count_use(struct replay *r, const struct burst_thread *t, struct use *use)
{
	const struct burst_event *before = NULL;

	for (size_t i = 0; i < t->n; i++) {
		const struct burst_event *e = &t->event[i];
		struct use *u = burst_is_about_object(e->kind) ? &use[object_find(r, e->object)] : NULL;

		if (!burst_is_deed(e->kind))
			continue;
		if (e->kind == BURST_LOCK)
			u->locks++;
		if (e->kind == BURST_UNLOCK)
			u->unlocks++;
		if (e->kind == BURST_WAIT) {
			u->waits++;
			use[object_find(r, e->other)].with++;
		}
		if (e->kind == BURST_RELEASE) {
			r->object[object_find(r, e->object)].nap_ns = e->other;
			u->releases++;
			u->members += u->last != t->id;
			u->last = t->id;
		}
		if (e->kind == BURST_ACQUIRE) {
			u->acquires++;
			u->meetings += before && before->kind == BURST_RELEASE && before->object == e->object &&
				(double)e->at_ns - (double)e->waited_ns - (double)before->at_ns <= MEETING_NS;
		}
		before = e;
	}
}

static enum object_kind kind_of(const struct use *u)
{
	double most = (double)(u->releases > u->acquires ? u->releases : u->acquires);

	if (u->waits)
		return OBJECT_CONDITION;
	if (u->locks || u->with || (u->unlocks && u->acquires && !u->releases))
		return OBJECT_LOCK;
	if (u->unlocks && !u->acquires)
		return OBJECT_CONDITION;
	if (u->members > 1 && u->releases > 1 && u->meetings >= 0.9 * most - 2 && u->meetings > 0)
		return OBJECT_BARRIER;
	if (u->releases >= TOKENS_LEAST && u->acquires >= TOKENS_LEAST &&
	    fabs((double)u->releases - (double)u->acquires) <= most / 10 + TOKENS_SLACK)
		return OBJECT_TOKENS;
	return OBJECT_LATCH;
}

void objects_learn(struct replay *r, const struct burst *burst, size_t n)
{
	struct use *use;

	list_objects(r, burst, n);
	use = xcalloc(r->nobjects + 1, sizeof(*use));
	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < burst[i].n; t++)
			count_use(r, &burst[i].thread[t], use);
	for (size_t i = 0; i < r->nobjects; i++)
		r->object[i].kind = kind_of(&use[i]);
	free(use);
}

/* ---- facts from the order of all threads ----------------------------------------- */

/* The state of an object while a burst is read. */
struct state {
	uint32_t owner, depth; /* 1 + the owner of the lock; 0: free */
	uint32_t site;         /* where the owner took it */
	bool taken;            /* at least once */
	bool waited;           /* for tokens: a thread has, so none of those at the begin was left */
	int64_t balance, least; /* releases less acquires so far, and the least value of that */
	uint32_t group, size, last; /* for a barrier: the present round, the arrivals so far, and the size of the last complete round */
	size_t groups;
};

/* The tallies of an object in all bursts. */
struct summary {
	size_t takes, odd; /* acquisitions of a lock that another thread had, and unlocks by another thread */
	uint32_t members;
	size_t groups, full; /* full: with that many members */
};

struct arrival {
	uint32_t object, group;
};

/* Places that take locks, of all objects together: the same code takes the locks of all shards of a table. */
struct takers {
	struct idmap site;
	struct taker {
		size_t takes, shared; /* shared: while another thread had the lock, too */
	} *taker; /* owned */
	size_t cap;
};

static struct taker *taker_at(struct takers *all, uint32_t site)
{
	size_t k = idmap_number(&all->site, site);

	all->taker = idmap_room(&all->site, all->taker, &all->cap, sizeof(*all->taker));
	return &all->taker[k];
}

static void see_take(struct state *o, struct summary *sum, struct takers *takers, const struct moment *m)
{
	bool shared = o->owner && o->owner != m->actor + 1;

	sum->takes++;
	sum->odd += shared;
	taker_at(takers, m->event->site)->takes++;
	if (shared) {
		taker_at(takers, m->event->site)->shared++;
		taker_at(takers, o->site)->shared++;
	}
	o->depth = o->owner == m->actor + 1 ? o->depth + 1 : 1;
	o->owner = m->actor + 1;
	o->site = m->event->site;
	o->taken = true;
}

static void see_leave(struct state *o, struct summary *sum, uint32_t actor, int32_t *start)
{
	if (o->owner == actor + 1) {
		o->owner = --o->depth ? o->owner : 0;
		return;
	}
	if (!o->taken && !o->owner && !*start)
		*start = (int32_t)actor + 1;
	else
		sum->odd++;
	o->owner = 0;
}

static void see_arrival(struct state *o, struct arrival *a, uint32_t object)
{
	o->size++;
	*a = (struct arrival){ .object = object, .group = o->group };
}

/* One of the arrived threads goes on, so all have arrived. */
static void see_meeting(struct state *o, struct summary *sum, const struct arrival *a, uint32_t object, int32_t *start)
{
	if (a->object != object || a->group != o->group || !o->size)
		return;
	if (!o->groups++)
		*start = -(int32_t)o->size;
	if (o->size > sum->members) {
		sum->members = o->size;
		sum->full = 0;
	}
	sum->full += o->size == sum->members;
	sum->groups++;
	o->size = 0;
	o->group++;
}

/*
 * The tokens at the begin are those that were taken before any release.  Once a thread has waited, none of them is left: if a
 * thread then takes one that nobody gave, it was let go unseen.  The atomics of C++20 wake no thread that only polls yet.
 */
static void see_token(struct state *o, struct step *step, int32_t *start)
{
	o->waited = o->waited || (step->kind != BURST_RELEASE && step->waited_ns > 0);
	step->unseen = step->kind != BURST_RELEASE && o->waited && o->balance <= o->least;
	if (step->unseen)
		return;
	o->balance += step->kind == BURST_RELEASE ? 1 : -1;
	if (o->balance < o->least)
		o->least = o->balance;
	*start = (int32_t)-o->least;
}

static void note_step(struct replay *r, struct script *s, const struct moment *m, struct state *state, struct summary *sum,
		      struct arrival *arrival, struct takers *takers)
{
	struct step *step = &s->step[m->step];
	uint32_t o = step->object;

	if (!burst_is_about_object(m->event->kind) || o == NOBODY)
		return;
	if (step->kind == BURST_WAIT) {
		see_take(&state[step->other], &sum[step->other], takers, m);
	} else if (r->object[o].kind == OBJECT_LOCK) {
		if (step->kind == BURST_UNLOCK)
			see_leave(&state[o], &sum[o], m->actor, &s->start[o]);
		else if (step->kind != BURST_RELEASE)
			see_take(&state[o], &sum[o], takers, m);
	} else if (r->object[o].kind == OBJECT_BARRIER) {
		if (step->kind == BURST_RELEASE)
			see_arrival(&state[o], &arrival[m->actor], o);
		else
			see_meeting(&state[o], &sum[o], &arrival[m->actor], o, &s->start[o]);
	} else if (r->object[o].kind == OBJECT_TOKENS) {
		see_token(&state[o], step, &s->start[o]);
	}
}

static void decide_kinds(struct replay *r, struct summary *sum)
{
	for (size_t i = 0; i < r->nobjects; i++) {
		struct object *o = &r->object[i];

		if (o->kind == OBJECT_LOCK && sum[i].odd >= SHARED_LEAST && (double)sum[i].odd > SHARED_PART * (double)sum[i].takes)
			o->kind = OBJECT_SHARED;
		if (o->kind == OBJECT_BARRIER && (sum[i].members < 2 || (double)sum[i].full < 0.6 * (double)sum[i].groups - (double)r->nscripts))
			o->kind = OBJECT_LATCH;
		o->members = sum[i].members;
		for (size_t b = 0; b < r->nscripts; b++) {
			int32_t *start = &r->script[b].start[i];

			if (o->kind == OBJECT_BARRIER)
				*start = *start ? (int32_t)o->members + *start : 0;
			else if (o->kind != OBJECT_LOCK && o->kind != OBJECT_TOKENS)
				*start = 0;
			r->facts.cut += o->kind == OBJECT_LOCK && *start;
		}
	}
}

/* Of a shared lock, some places only take what nobody else has: they take it alone. */
static void find_shares(struct replay *r, struct script *s, struct takers *takers)
{
	for (size_t i = 0; i < s->n; i++) {
		struct step *step = &s->step[i];
		const struct taker *t;

		if ((step->kind != BURST_LOCK && step->kind != BURST_ACQUIRE) || r->object[step->object].kind != OBJECT_SHARED)
			continue;
		t = taker_at(takers, step->site);
		step->shares = t->shared >= SHARED_LEAST && (double)t->shared > SHARED_PART * (double)t->takes;
		if (!step->shares)
			r->object[step->object].excludes = true;
	}
}

static void count_kinds(struct replay *r)
{
	for (size_t i = 0; i < r->nobjects; i++) {
		r->facts.locks += r->object[i].kind == OBJECT_LOCK;
		r->facts.shared += r->object[i].kind == OBJECT_SHARED;
		r->facts.conditions += r->object[i].kind == OBJECT_CONDITION;
		r->facts.barriers += r->object[i].kind == OBJECT_BARRIER;
		r->facts.tokens += r->object[i].kind == OBJECT_TOKENS;
		r->facts.latches += r->object[i].kind == OBJECT_LATCH;
	}
}

void objects_refine(struct replay *r, struct moment *const *m, const size_t *n)
{
	struct summary *sum = xcalloc(r->nobjects + 1, sizeof(*sum));
	struct takers takers = { 0 };

	for (size_t b = 0; b < r->nscripts; b++) {
		struct state *state = xcalloc(r->nobjects + 1, sizeof(*state));
		struct arrival *arrival = xcalloc(r->script[b].nactors + 1, sizeof(*arrival));

		for (size_t t = 0; t < r->script[b].nactors; t++)
			arrival[t].object = NOBODY;
		for (size_t i = 0; i < n[b]; i++)
			note_step(r, &r->script[b], &m[b][i], state, sum, arrival, &takers);
		free(state);
		free(arrival);
	}
	decide_kinds(r, sum);
	for (size_t b = 0; b < r->nscripts; b++)
		find_shares(r, &r->script[b], &takers);
	count_kinds(r);
	free(takers.taker);
	idmap_release(&takers.site);
	free(sum);
}
