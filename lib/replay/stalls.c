/*
 * stalls: sleeps of a thread that is ahead of another one.
 *
 * A writer looks at how many files wait to be merged, under a lock, and sleeps for a moment
 * after each batch if they are too many.  Nothing wakes it up.  So replay kept each of these
 * sleeps, and said that nothing is gained by merging faster.
 *
 * The events tell what the thread looks at.  In some rounds it sleeps after the lock, in others
 * it does not.  One place that unlocks raises a count, another one lowers it, by as much as keeps both
 * in balance.  If there is a number from which on the thread sleeps, and below which it does not, that is
 * the rule.  Sleeps of other kinds, such as those of a request that misses a cache, follow no count.
 * In a simulation the count decides whether the thread sleeps.  A sleep that was not recorded is as
 * long as most of them.
 *
 * In t/workload/lsmtree, a writer slept after 2,790 of 19,981 batches, and the rule (one file more with each flush, four less
 * with each merge) is wrong of 194.  Half of the merging is really worth 16.4 (1.2): 2.5 (0.6 to 4.3) by replay before, 10.6 (4.9
 * to 16.3) now.  Of virtual threads, the consumer that a producer sleeps for is worth 50.0: 0.0 (-0.8 to 0.8)
 * before, and 44 (18 to 70) now.
 */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "replay/releases.h"
#include "replay/replay_parts.h"
#include "replay/threshold.h"

enum {
	SOON_NS = 20000,   /* a sleep begins so soon after the lock */
	LOOKS_LEAST = 20,  /* with a sleep, and without */
	CHANGES_LEAST = 5, /* of the count, up and down */
	PLACES = 8,        /* places that unlock are tried; if there are more, the last ones */
	AMOUNT_MOST = 64,  /* by so much one place changes the count at the most, where the other one changes it by one */
};

#define WRONG 0.1 /* of the looks with a sleep, and of those without, so many may be against the rule */

/* The places that a thread unlocks at and sleeps at. */
struct habit {
	uint32_t lock, unlocks_at, sleeps_at;
};

struct look {
	size_t sleep; /* event; n of the thread: there is none */
	int64_t at_ns;
};

struct looks {
	struct look *v; /* owned */
	size_t n, cap, slept;
};

/* What raises the count, and what lowers it. */
struct count {
	uint32_t raised_at, lowered_at;
	int32_t raise, lower;
	int32_t need; /* the thread sleeps from this count on */
	size_t wrong;
};

/* ---- looks ----------------------------------------------------------------------------- */

/* The sleep that begins right after the unlock at i; t->n: there is none. */
static size_t sleep_after(const struct burst_thread *t, size_t i)
{
	size_t k = burst_next_deed(t, i);

	if (k >= t->n || t->event[k].kind != BURST_OUTSIDE || !t->event[k].site || came_late(t->event[k].waited_ns))
		return t->n;
	return t->event[k].at_ns - t->event[k].waited_ns - t->event[i].at_ns <= SOON_NS ? k : t->n;
}

static bool is_look(const struct burst_event *e, const struct habit *h)
{
	return e->kind == BURST_UNLOCK && e->object == h->lock && e->site == h->unlocks_at;
}

static struct looks list_looks(const struct burst_thread *t, const struct habit *h)
{
	struct looks all = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		size_t sleep;

		if (!is_look(&t->event[i], h))
			continue;
		sleep = sleep_after(t, i);
		if (sleep < t->n && t->event[sleep].site != h->sleeps_at)
			sleep = t->n;
		all.v = xgrow(all.v, all.n, &all.cap, sizeof(*all.v));
		all.v[all.n++] = (struct look){ .sleep = sleep, .at_ns = t->event[i].at_ns };
		all.slept += sleep < t->n;
	}
	return all;
}

/* ---- what the thread looks at ------------------------------------------------------------- */

/* The places at which threads let go of that lock, and how often. */
static size_t list_places(const struct releases *all, uint32_t lock, uint32_t site[PLACES], size_t count[PLACES])
{
	size_t n = 0;

	for (size_t k = releases_until(all, lock, INT64_MAX); k > 0 && releases_in(all, k - 1, lock, INT64_MIN); k--) {
		const struct release *r = &all->v[k - 1];
		size_t i = 0;

		while (i < n && site[i] != r->site)
			i++;
		if (!r->site || i == PLACES)
			continue;
		if (i == n) {
			site[n] = r->site;
			count[n++] = 0;
		}
		count[i]++;
	}
	return n;
}

/* Finds the count from which on the thread sleeps.  False: none tells looks with a sleep from others. */
static bool fit_looks(const struct burst_thread *t, const struct releases *all, uint32_t lock, const struct looks *looks, struct count *rule)
{
	size_t others = looks->n - looks->slept, n[2] = { 0 }, k = releases_until(all, lock, INT64_MIN);
	int32_t *counts[2] = { xcalloc(others, sizeof(**counts)), xcalloc(looks->slept, sizeof(**counts)) }, count = 0;
	struct threshold found;

	for (size_t i = 0; i < looks->n; i++) {
		bool slept = looks->v[i].sleep < t->n;

		for (; k < all->n && all->v[k].object == lock && all->v[k].at_ns <= looks->v[i].at_ns; k++) {
			count += all->v[k].site == rule->raised_at ? rule->raise : 0;
			count -= all->v[k].site == rule->lowered_at ? rule->lower : 0;
		}
		counts[slept][n[slept]++] = count;
	}
	found = threshold_find(counts[true], looks->slept, counts[false], others);
	free(counts[false]);
	free(counts[true]);
	rule->need = found.at;
	rule->wrong = found.below + found.above;
	return (double)found.below <= WRONG * (double)looks->slept && (double)found.above <= WRONG * (double)others;
}

static bool find_rule(const struct burst_thread *t, const struct releases *all, const struct habit *h, const struct looks *looks,
		      struct count *best)
{
	uint32_t site[PLACES];
	size_t count[PLACES], n = list_places(all, h->lock, site, count);

	best->wrong = SIZE_MAX;
	for (size_t p = 0; p < n * n; p++) {
		size_t up = p / n, down = p % n;
		struct count rule = { .raised_at = site[up], .lowered_at = site[down], .raise = 1, .lower = 1 };

		if (up == down || count[up] < CHANGES_LEAST || count[down] < CHANGES_LEAST)
			continue;
		if (count[up] > count[down])
			rule.lower = (int32_t)((count[up] + count[down] / 2) / count[down]);
		else
			rule.raise = (int32_t)((count[down] + count[up] / 2) / count[up]);
		if (rule.lower > AMOUNT_MOST || rule.raise > AMOUNT_MOST)
			continue;
		if (fit_looks(t, all, h->lock, looks, &rule) && rule.wrong < best->wrong)
			*best = rule;
	}
	return best->wrong < SIZE_MAX;
}

/* ---- their marks ----------------------------------------------------------------------------- */

static double usual_length(const struct burst_thread *t, const struct looks *looks)
{
	double *length = xcalloc(looks->n + 1, sizeof(*length)), usual;
	size_t n = 0;

	for (size_t i = 0; i < looks->n; i++)
		if (looks->v[i].sleep < t->n)
			length[n++] = (double)t->event[looks->v[i].sleep].waited_ns;
	gsl_sort(length, 1, n);
	usual = gsl_stats_median_from_sorted_data(length, 1, n);
	free(length);
	return usual;
}

/* Marks the sleeps as those of a stall; a look without a sleep gets one of no length.  Returns the number of added events. */
static size_t mark_looks(struct burst_thread *t, const struct habit *h, const struct looks *looks, uint32_t mark)
{
	struct burst_thread added = { 0 };
	size_t n;

	for (size_t i = 0; i < looks->n; i++) {
		struct burst_event none = { .kind = BURST_OUTSIDE, .at_ns = looks->v[i].at_ns, .site = h->sleeps_at, .other = mark };

		if (looks->v[i].sleep < t->n)
			t->event[looks->v[i].sleep].other = mark;
		else
			burst_add(&added, &none);
	}
	n = added.n;
	burst_insert(t, &added);
	free(added.event);
	return n;
}

static void mark_changes(struct burst *b, const struct habit *h, const struct count *rule, uint32_t mark)
{
	for (size_t t = 0; t < b->n; t++) {
		for (size_t i = 0; i < b->thread[t].n; i++) {
			struct burst_event *e = &b->thread[t].event[i];

			if (e->kind != BURST_UNLOCK || e->object != h->lock)
				continue;
			if (e->site == rule->raised_at || e->site == rule->lowered_at)
				e->other = mark | (e->site == rule->lowered_at ? STALL_LOWERS : 0);
		}
	}
}

/* The places at which the thread sleeps right after a lock, each once. */
static struct habit *list_habits(const struct burst_thread *t, size_t *n)
{
	struct habit *h = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct burst_event *e = &t->event[i];
		size_t sleep = e->kind == BURST_UNLOCK && e->site ? sleep_after(t, i) : t->n, k = 0;

		if (sleep == t->n)
			continue;
		while (k < *n && (h[k].lock != e->object || h[k].unlocks_at != e->site || h[k].sleeps_at != t->event[sleep].site))
			k++;
		if (k < *n || k == PLACES)
			continue;
		h = xgrow(h, *n, &cap, sizeof(*h));
		h[(*n)++] = (struct habit){ .lock = e->object, .unlocks_at = e->site, .sleeps_at = t->event[sleep].site };
	}
	return h;
}

/* Threads with the same rule share its count.  Its mark; 0: a place has another rule already. */
static uint32_t mark_of(struct replay *r, size_t first, const struct habit *h, const struct count *rule, float length_ns)
{
	for (size_t k = first; k < r->nstalls; k++) {
		const struct stall *s = &r->stall[k];

		if (s->lock != h->lock)
			continue;
		if (s->raised_at == rule->raised_at && s->lowered_at == rule->lowered_at)
			return (uint32_t)k + 1;
		if (s->raised_at == rule->raised_at || s->lowered_at == rule->lowered_at || s->raised_at == rule->lowered_at ||
		    s->lowered_at == rule->raised_at)
			return 0;
	}
	r->stall = xgrow(r->stall, r->nstalls, &r->stall_cap, sizeof(*r->stall));
	r->stall[r->nstalls++] = (struct stall){
		.lock = h->lock, .raised_at = rule->raised_at, .lowered_at = rule->lowered_at,
		.raise = rule->raise, .lower = rule->lower, .need = rule->need, .length_ns = length_ns,
	};
	return (uint32_t)r->nstalls;
}

/* first: the burst's first stall.  Returns the number of added events. */
static size_t find_stall(struct replay *r, struct burst *b, size_t thread, size_t first, const struct releases *all, const struct habit *h)
{
	struct burst_thread *t = &b->thread[thread];
	struct looks looks = list_looks(t, h);
	struct count rule = { 0 };
	uint32_t mark = 0;
	size_t added = 0;

	if (looks.slept >= LOOKS_LEAST && looks.n - looks.slept >= LOOKS_LEAST && find_rule(t, all, h, &looks, &rule))
		mark = mark_of(r, first, h, &rule, (float)usual_length(t, &looks));
	if (mark) {
		mark_changes(b, h, &rule, mark);
		added = mark_looks(t, h, &looks, mark);
	}
	free(looks.v);
	return added;
}

static void clear_marks(struct burst_thread *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->event[i].kind == BURST_OUTSIDE || t->event[i].kind == BURST_UNLOCK)
			t->event[i].other = 0;
}

size_t stalls_find(struct replay *r, struct burst *b)
{
	struct releases all = { 0 };
	size_t first = r->nstalls, added = 0;

	for (size_t t = 0; t < b->n; t++)
		clear_marks(&b->thread[t]);
	for (size_t t = 0; t < b->n; t++) {
		size_t n;
		struct habit *h = list_habits(&b->thread[t], &n);

		if (n && !all.n)
			releases_list(b, BURST_UNLOCK, &all);
		for (size_t k = 0; k < n; k++)
			added += find_stall(r, b, t, first, &all, &h[k]);
		free(h);
	}
	releases_free(&all);
	return added;
}
