/*
 * join: joins the looks and waits of which a thread's longer wait consists.
 */
#include "replay/join.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/idmap.h"
#include "replay/releases.h"

enum {
	LOOK_MOST = 64,       /* events of a look at others, at most */
	POLL_LOOK_NS = 20000, /* a look between two naps takes less computing */
	LOCK_LOOK_NS = 5000,  /* a thread that takes a lock or waits so soon after a poll has polled for the same */
	POLL_NAPS = 8,        /* naps that were followed by another one of the poll, at least */
	POLL_PART = 20,       /* a place is polled if more than one of so many naps is followed by another one, and more than one is not */
};

/* ---- waits that timed out ---------------------------------------------------- */

static bool was_locked(const struct burst_thread *t, size_t after, size_t before, uint32_t object)
{
	for (size_t i = after + 1; i < before; i++)
		if (t->event[i].kind == BURST_LOCK && t->event[i].object == object)
			return true;
	return false;
}

/*
 * Has the thread only looked at the state that others change?  Then it unlocks only what it has
 * locked, and the mutex of a condition when it waits again.  Any other UNLOCK is a condition that
 * it signals.
 */
static bool only_looks(const struct burst_thread *t, size_t after, size_t before)
{
	for (size_t i = after + 1; i < before; i++) {
		const struct burst_event *e = &t->event[i];
		bool unlocks = e->kind == BURST_UNLOCK && (e->site == t->event[after].site || was_locked(t, after, i, e->object));

		if (burst_is_deed(e->kind) && e->kind != BURST_LOCK && !unlocks)
			return false;
	}
	return true;
}

/*
 * The wait that continues the one that timed out at i; t->n: none in this burst; i: the
 * thread has done something else.
 */
static size_t next_wait(const struct burst_thread *t, size_t i)
{
	for (size_t k = i + 1; k < t->n && k <= i + LOOK_MOST; k++) {
		enum burst_kind kind = t->event[k].kind;

		if (kind == BURST_TIMEOUT || kind == BURST_WAIT || (kind == BURST_ACQUIRE && t->event[k].waited_ns > 0))
			return t->event[k].site == t->event[i].site && only_looks(t, i, k) ? k : i;
	}
	return t->n <= i + LOOK_MOST && only_looks(t, i, t->n) ? t->n : i;
}

/*
 * Keeps those of the events [from, to) that have no effect on others, from index n on.
 * Returns the number of events then.
 */
static size_t keep_samples(struct burst_thread *t, size_t from, size_t to, size_t n)
{
	for (size_t i = from; i < to; i++)
		if (!burst_is_deed(t->event[i].kind))
			t->event[n++] = t->event[i];
	return n;
}

static void join_timeouts(struct burst_thread *t)
{
	size_t n = 0, next;

	for (size_t i = 0; i < t->n; i++) {
		struct burst_event e = t->event[i];
		int64_t began = e.at_ns - e.waited_ns;

		while (i < t->n && e.kind == BURST_TIMEOUT && (next = next_wait(t, i)) != i) {
			n = keep_samples(t, i + 1, next, n);
			i = next;
			e = i < t->n ? t->event[i] : e;
		}
		e.waited_ns = e.at_ns - began;
		if (i < t->n)
			t->event[n++] = e;
	}
	t->n = n;
}

/* ---- polls ------------------------------------------------------------------------ */

/* A set of objects. */
struct objects {
	struct idmap seen;
	uint32_t *v; /* owned */
	size_t n, cap;
};

static void add_object(struct objects *of, uint32_t object)
{
	if (idmap_number(&of->seen, object) < of->n)
		return;
	of->v = xgrow(of->v, of->n, &of->cap, sizeof(*of->v));
	of->v[of->n++] = object;
}

static void release_objects(struct objects *of)
{
	idmap_release(&of->seen);
	free(of->v);
}

/* A place at which threads sleep or yield. */
struct place {
	uint32_t site;
	size_t naps, again; /* sleeps, and how many of them were followed by another one at once */
	size_t ends, locks; /* ends of polls, and how many of them were followed by a lock at once */
	struct objects then; /* for which threads went on to wait */
};

struct places {
	struct idmap at; /* by site */
	struct place *v; /* owned */
	size_t cap;
};

static struct place *place_at(struct places *p, uint32_t site)
{
	size_t i = idmap_number(&p->at, site);

	p->v = idmap_room(&p->at, p->v, &p->cap, sizeof(*p->v));
	p->v[i].site = site;
	return &p->v[i];
}

static bool comes_within(const struct burst_thread *t, size_t i, size_t next, int64_t ns)
{
	return t->event[next].at_ns - t->event[next].waited_ns - t->event[i].at_ns < ns;
}

static bool is_alike(const struct burst_event *a, const struct burst_event *b)
{
	return a->kind == b->kind && a->site == b->site && a->site;
}

/* Does the event `next` continue the poll of the look at i? */
static bool goes_on(const struct burst_thread *t, size_t i, size_t next, bool for_lock)
{
	return next < t->n && is_alike(&t->event[i], &t->event[next]) && (for_lock || comes_within(t, i, next, POLL_LOOK_NS));
}

static void count_look(const struct burst_thread *t, size_t i, struct places *p)
{
	const struct burst_event *e = &t->event[i];
	struct place *of = place_at(p, e->site);
	size_t next = burst_next_deed(t, i);
	bool again = goes_on(t, i, next, false);

	of->naps += e->kind == BURST_SLEEP;
	of->again += again;
	of->ends += next < t->n && !again;
	of->locks += next < t->n && t->event[next].kind == BURST_LOCK && comes_within(t, i, next, LOCK_LOOK_NS);
}

static void count_looks(const struct burst *b, struct places *p)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; k < b->thread[i].n; k++)
			if (b->thread[i].event[k].kind == BURST_SLEEP || b->thread[i].event[k].kind == BURST_POLL)
				count_look(&b->thread[i], k, p);
}

/* A thread that never does anything else between two naps is a ticker; one that always does is paced by them. */
static bool is_polled(const struct place *p)
{
	return p->site && (!p->naps || (p->again >= POLL_NAPS && p->again * POLL_PART >= p->naps && p->ends * POLL_PART >= p->naps));
}

/* Do threads poll a lock there?  Then they do it with every look, though an interrupt may come between. */
static bool is_for_lock(const struct place *p)
{
	return 2 * p->locks > p->ends;
}

/* Has the thread polled for what it gets at `next`?  Many waits, as those of C++20, look a few times before they sleep. */
static bool ends_poll(const struct burst_thread *t, size_t i, size_t next, bool for_lock)
{
	const struct burst_event *e = &t->event[next];

	return (for_lock && e->kind == BURST_LOCK) || (e->kind == BURST_ACQUIRE && comes_within(t, i, next, LOCK_LOOK_NS));
}

/*
 * Joins the looks of the poll that begins at *i, and sets that to its last event.  Keeps samples
 * from index *n on.
 */
static struct burst_event join_poll(struct burst_thread *t, size_t *i, size_t *n, struct place *at)
{
	int64_t began = t->event[*i].at_ns - t->event[*i].waited_ns;
	size_t next = burst_next_deed(t, *i);
	bool for_lock = is_for_lock(at);
	struct burst_event e;

	while (goes_on(t, *i, next, for_lock)) {
		*n = keep_samples(t, *i + 1, next, *n);
		*i = next;
		next = burst_next_deed(t, *i);
	}
	e = t->event[*i];
	e.kind = BURST_POLL;
	if (next < t->n && ends_poll(t, *i, next, for_lock)) {
		*n = keep_samples(t, *i + 1, next, *n);
		*i = next;
		e = t->event[next];
		e.kind = BURST_ACQUIRE;
		add_object(&at->then, e.object);
	}
	e.waited_ns = e.at_ns - began;
	return e;
}

static void join_polls(struct burst_thread *t, struct places *p)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct burst_event e = t->event[i];
		bool looks = e.kind == BURST_SLEEP || e.kind == BURST_POLL;
		struct place *at = looks ? place_at(p, e.site) : NULL;

		if (looks && is_polled(at))
			e = join_poll(t, &i, &n, at);
		else if (looks)
			e.kind = BURST_OUTSIDE;
		t->event[n++] = e;
	}
	t->n = n;
}

/* ---- polls for what the thread waits for at other times ------------------------------ */

/* When another thread than that of the index last released the object, after `from` and up to `until`; `from`: it did not. */
static int64_t released_in(const struct releases *all, uint32_t object, size_t thread, int64_t from, int64_t until)
{
	for (size_t k = releases_until(all, object, until); k > 0 && releases_in(all, k - 1, object, from); k--)
		if (all->v[k - 1].thread != thread)
			return all->v[k - 1].at_ns;
	return from;
}

/* The objects at which the thread waits.  The caller releases them. */
static struct objects waited_at(const struct burst_thread *t)
{
	struct objects at = { 0 };

	for (size_t i = 0; i < t->n; i++)
		if (t->event[i].kind == BURST_ACQUIRE && t->event[i].waited_ns > 0)
			add_object(&at, t->event[i].object);
	return at;
}

/* If another thread released one of the objects during the poll, the poll becomes a wait for it; for the last one, of several. */
static void name_poll(struct burst_event *poll, size_t thread, const struct objects *of, const struct releases *all)
{
	int64_t last = poll->at_ns - poll->waited_ns - 1;

	for (size_t k = 0; k < of->n; k++) {
		int64_t at = released_in(all, of->v[k], thread, last, poll->at_ns);

		if (at > last) {
			poll->object = of->v[k];
			poll->kind = BURST_ACQUIRE;
		}
		last = at;
	}
}

/*
 * A poll was a wait for what its thread waits for at other times, or for what threads waited for after such polls: of
 * std::barrier, only the threads that come first look in vain for so long that they go on to wait.  In `solver`, three
 * threads at one on two processors, half of "relax" was 20 (1 to 40), and is 20 (7 to 34); really 26.7 (0.8).
 */
static void name_polls(struct burst *b, struct places *p)
{
	struct releases all = { 0 };

	releases_list(b, BURST_RELEASE, &all);
	for (size_t t = 0; t < b->n; t++) {
		struct objects own = waited_at(&b->thread[t]);

		for (size_t i = 0; i < b->thread[t].n; i++) {
			struct burst_event *e = &b->thread[t].event[i];

			if (e->kind == BURST_POLL)
				name_poll(e, t, &own, &all);
			if (e->kind == BURST_POLL)
				name_poll(e, t, &place_at(p, e->site)->then, &all);
		}
		release_objects(&own);
	}
	releases_free(&all);
}

void join_waits(struct burst *b)
{
	struct places places = { 0 };

	births_join(b);
	for (size_t i = 0; i < b->n; i++)
		join_timeouts(&b->thread[i]);
	naps_join(b);
	count_looks(b, &places);
	for (size_t i = 0; i < b->n; i++)
		join_polls(&b->thread[i], &places);
	name_polls(b, &places);
	for (size_t i = 0; i < places.at.n; i++)
		release_objects(&places.v[i].then);
	free(places.v);
	idmap_release(&places.at);
}
