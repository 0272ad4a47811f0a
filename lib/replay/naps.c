/*
 * naps: waits of threads that look at the state of others under a lock, and sleep between the looks.
 *
 * The last look of such a wait finds what another thread has done: the last unlock of
 * the lock before it.  Not each unlock is of that kind, and nothing in the events says
 * which one is.  But looks in vain tell: between two of them, no thread has come by
 * the place that unlocks as the state is right; between the last one in vain and the
 * next look, one has.  Where a place is found that keeps this rule, each of its unlocks
 * releases an object, which the thread acquires with each look that is not in vain.
 *
 * The thread sees it at the end of a nap, see actor_latency in simulate_waiting.c.  So these releases
 * tell the length of naps.
 *
 * A publisher looks each 1.1 ms whether an encoder has finished a block: of 294 looks in
 * vain none, and of 292 others each one, came after the encoder had unlocked at one place.
 * Half of its work was 13.7 (7.4 to 20.2), and is 20.3 (12.3 to 28.5); really 20.3 (0.9).
 * A quarter of it was 9.7 (6.4 to 13.0), and is 16.5 (11.7 to 21.5); really 19.2 (0.9).
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/idmap.h"
#include "replay/join.h"
#include "replay/releases.h"
#include "replay/replay_parts.h"

enum {
	LOOK_NS = 5000,  /* a thread that takes the lock so soon after a nap has done nothing else */
	LOOKS_LEAST = 8, /* looks in vain that are needed to know a place, and others after such looks */
};

#define KEPT_PART 0.9 /* by so many of the intervals, at the least, the rule is kept */
#define OBJECT_BIT (1u << 31) /* in ids of objects that are found here */

/* A place at which a thread looks at what a lock guards. */
struct place {
	size_t thread;
	uint32_t site, lock;
	size_t in_vain, found; /* looks in vain, and other ones after a look in vain */
	int64_t between_ns;    /* from looks in vain to the next ones: the sum */
	size_t naps;           /* number of these */
	uint32_t releases;     /* the place that unlocks as the state is right; 0: none is known */
	uint32_t object;       /* that it releases */
};

struct places {
	struct place *v; /* owned */
	size_t n, cap;
	struct idmap at;
};

static bool is_nap(const struct burst_event *e)
{
	return e->kind == BURST_SLEEP || e->kind == BURST_POLL;
}

static bool is_look(const struct burst_event *e)
{
	return (e->kind == BURST_LOCK || e->kind == BURST_ACQUIRE) && e->site;
}

/* The nap that follows on the look at i, if that is in vain; t->n: it is not. */
static size_t nap_after(const struct burst_thread *t, size_t i)
{
	size_t unlock = burst_next_deed(t, i), nap = unlock < t->n ? burst_next_deed(t, unlock) : t->n;

	if (nap >= t->n || t->event[unlock].kind != BURST_UNLOCK || t->event[unlock].object != t->event[i].object)
		return t->n;
	return is_nap(&t->event[nap]) ? nap : t->n;
}

/* Is it known that the look at i is not in vain?  What follows may be after the burst. */
static bool finds(const struct burst_thread *t, size_t i)
{
	return nap_after(t, i) == t->n && burst_next_deed(t, burst_next_deed(t, i)) < t->n;
}

static struct place *place_of(struct places *p, size_t thread, const struct burst_event *look)
{
	size_t before = p->at.n, k = idmap_number(&p->at, keys_mix(keys_mix(thread, look->site), look->object));

	if (k < before)
		return &p->v[k];
	p->v = xgrow(p->v, before, &p->cap, sizeof(*p->v));
	p->v[k] = (struct place){ .thread = thread, .site = look->site, .lock = look->object };
	p->n = p->at.n;
	return &p->v[k];
}

static bool is_at(const struct place *p, const struct burst_event *e)
{
	return is_look(e) && e->site == p->site && e->object == p->lock;
}

/* ---- which unlocks a thread looks for --------------------------------------------- */

static void list_places(const struct burst *b, struct places *p)
{
	for (size_t t = 0; t < b->n; t++) {
		for (size_t i = 0; i < b->thread[t].n; i++) {
			size_t nap = is_look(&b->thread[t].event[i]) ? nap_after(&b->thread[t], i) : b->thread[t].n;

			if (nap < b->thread[t].n)
				place_of(p, t, &b->thread[t].event[i])->in_vain++;
		}
	}
}

/* Places that unlock, and how often another thread came by between two looks. */
struct unlocks {
	struct idmap at; /* by site */
	struct unlock {
		uint32_t site;
		size_t in_vain, found; /* before looks in vain, and before others after a look in vain */
		size_t interval; /* that it was last counted in */
	} *v; /* owned */
	size_t cap;
};

/* The interval with that number, from look to look. */
static void count_unlocks(struct unlocks *u, const struct releases *all, const struct place *p, int64_t from, int64_t until, size_t interval, bool found)
{
	for (size_t k = releases_until(all, p->lock, until); k > 0 && releases_in(all, k - 1, p->lock, from); k--) {
		const struct release *r = &all->v[k - 1];
		struct unlock *of;

		if (r->thread == p->thread)
			continue;
		of = &u->v[idmap_number(&u->at, r->site)];
		if (of->interval == interval)
			continue;
		of->interval = interval;
		*(found ? &of->found : &of->in_vain) += 1;
	}
}

static void count_intervals(const struct burst_thread *t, const struct releases *all, struct place *p, struct unlocks *u)
{
	bool after_nap = false;
	int64_t from = 0;

	p->in_vain = p->found = 0;
	for (size_t i = 0; i < t->n; i++) {
		bool in_vain;

		if (!is_at(p, &t->event[i]))
			continue;
		in_vain = nap_after(t, i) < t->n;
		if (from && (in_vain || after_nap)) {
			*(in_vain ? &p->in_vain : &p->found) += 1;
			count_unlocks(u, all, p, from, t->event[i].at_ns, p->in_vain + p->found, !in_vain);
		}
		p->between_ns += after_nap ? t->event[i].at_ns - from : 0;
		p->naps += after_nap;
		after_nap = in_vain;
		from = t->event[i].at_ns;
	}
}

/* Finds the place that unlocks only before looks that are not in vain. */
static void find_release(const struct burst *b, const struct releases *all, struct place *p)
{
	struct unlocks u = { 0 };

	for (size_t k = 0; k < all->n; k++) {
		size_t before = u.at.n, at = idmap_number(&u.at, all->v[k].site);

		u.v = idmap_room(&u.at, u.v, &u.cap, sizeof(*u.v));
		if (at == before)
			u.v[at] = (struct unlock){ .site = all->v[k].site };
	}
	count_intervals(&b->thread[p->thread], all, p, &u);
	for (size_t k = 0; k < u.at.n && p->in_vain >= LOOKS_LEAST && p->found >= LOOKS_LEAST; k++) {
		const struct unlock *of = &u.v[k];

		if (!of->site || (double)of->found < KEPT_PART * (double)p->found || (double)of->in_vain > (1 - KEPT_PART) * (double)p->in_vain)
			continue;
		p->releases = of->site;
		p->object = OBJECT_BIT | (uint32_t)keys_mix(of->site, p->lock);
	}
	free(u.v);
	idmap_release(&u.at);
}

/* ---- their events ------------------------------------------------------------------- */

static void add_samples(struct burst_thread *to, const struct burst_thread *t, size_t from, size_t until)
{
	for (size_t i = from; i < until; i++)
		if (!burst_is_deed(t->event[i].kind))
			burst_add(to, &t->event[i]);
}

/*
 * Adds the wait that ends as the look at i finds what it looks for; and the look, which has the lock then.  The wait is for
 * a thread that has the lock, too: that is the one that lets this one go on.
 */
static void add_found(struct burst_thread *to, const struct burst_thread *t, size_t i, const struct place *p, int64_t began, int64_t napped)
{
	struct burst_event look = t->event[i], wait = { .kind = BURST_ACQUIRE, .at_ns = napped, .object = p->object, .site = p->site };

	if (look.waited_ns > 0 || look.at_ns - napped < LOOK_NS)
		wait.at_ns = look.at_ns;
	wait.waited_ns = wait.at_ns - began;
	burst_add(to, &wait);
	if (look.waited_ns > 0) {
		look.kind = BURST_LOCK;
		look.waited_ns = 0;
	}
	burst_add(to, &look);
}

/*
 * Adds the naps from the one at i on, up to the next look that is not in vain, and that look, as one wait.  Returns the
 * last one of these events.
 */
static size_t add_naps(struct burst_thread *to, const struct burst_thread *t, const struct place *p, size_t i)
{
	int64_t began = t->event[i].at_ns - t->event[i].waited_ns;
	size_t look, nap;

	while ((look = burst_next_deed(t, i)) < t->n && is_at(p, &t->event[look]) && (nap = nap_after(t, look)) < t->n) {
		add_samples(to, t, i + 1, nap);
		i = nap;
	}
	if (look < t->n && is_at(p, &t->event[look]) && finds(t, look)) {
		add_samples(to, t, i + 1, look);
		add_found(to, t, look, p, began, t->event[i].at_ns);
		return look;
	}
	if (look < t->n && !is_at(p, &t->event[look])) { /* it does something else, so it has just slept */
		struct burst_event sleep = t->event[i];

		sleep.kind = BURST_OUTSIDE;
		sleep.waited_ns = sleep.at_ns - began;
		burst_add(to, &sleep);
	}
	return i;
}

/* A look that finds something without a nap acquires it, too: in a replay, it may have to wait. */
static void join_looks(struct burst_thread *t, const struct place *p)
{
	struct burst_thread with = { .id = t->id };

	for (size_t i = 0; i < t->n; i++) {
		const struct burst_event *e = &t->event[i];
		size_t nap = is_at(p, e) ? nap_after(t, i) : t->n;

		if (is_at(p, e) && finds(t, i)) {
			add_found(&with, t, i, p, e->at_ns - e->waited_ns, e->at_ns);
			continue;
		}
		burst_add(&with, e);
		if (nap == t->n)
			continue;
		for (i++; i < nap; i++)
			burst_add(&with, &t->event[i]);
		i = add_naps(&with, t, p, i);
	}
	free(t->event);
	*t = with;
}

static void note_unlocks(struct burst_thread *t, const struct place *p, struct burst_thread *added)
{
	for (size_t i = 0; i < t->n; i++) {
		struct burst_event e = t->event[i];

		if (e.kind != BURST_UNLOCK || e.object != p->lock || e.site != p->releases)
			continue;
		e.kind = BURST_RELEASE;
		e.object = p->object;
		e.other = (uint32_t)(p->between_ns / (int64_t)p->naps);
		burst_add(added, &e);
	}
}

/* Does a place before that one look for the same? */
static bool is_repeated(const struct places *p, size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (p->v[i].object == p->v[k].object)
			return true;
	return false;
}

void naps_join(struct burst *b)
{
	struct places p = { 0 };
	struct releases all = { 0 };
	struct burst_thread *added = xcalloc(b->n + 1, sizeof(*added));

	list_places(b, &p);
	if (p.n)
		releases_list(b, BURST_UNLOCK, &all);
	for (size_t k = 0; k < p.n; k++)
		if (p.v[k].in_vain >= LOOKS_LEAST)
			find_release(b, &all, &p.v[k]);
	for (size_t k = 0; k < p.n; k++) {
		if (!p.v[k].releases)
			continue;
		join_looks(&b->thread[p.v[k].thread], &p.v[k]);
		for (size_t t = 0; t < b->n && !is_repeated(&p, k); t++)
			note_unlocks(&b->thread[t], &p.v[k], &added[t]);
	}
	for (size_t t = 0; t < b->n; t++) {
		burst_insert(&b->thread[t], &added[t]);
		free(added[t].event);
	}
	free(added);
	releases_free(&all);
	free(p.v);
	idmap_release(&p.at);
}
