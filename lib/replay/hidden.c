/*
 * hidden: meetings of threads that leave no event.
 *
 * Locks, channels and runtimes that are made of atomics call the kernel only where a thread
 * has to wait: parking_lot, crossbeam, tokio, std::sync of Rust, ZeroMQ.  A thread that finds
 * the lock free, or a message there, leaves no event.  With a question it might have to wait
 * there, or no longer have to, and no model knows of that.
 *
 * Numbers tell: a thread that wakes others up 3,000 times, or visits a progress point so
 * often, and has waited 1,500 times at such objects, has passed there unseen half of the time.
 * What that does to an answer: hidden_of in answer.c.
 */
#include "replay/replay_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

#define AT_ONCE_MOST 0.05 /* an object of which a thread took more than this part without a wait is seen even if nobody waits */
#define MISSED_LEAST 0.15 /* of a thread's rounds: what is less may be the ends of the recording */
/*
 * Share of a thread's time; what it waits less for may not matter, even if it were longer.  With 0.05, 0.1 and 0.2, 29, 31 and 33
 * of the 126 values in hidden_of are missed, and half the width of a pipeline of ZeroMQ, crunching at 50 %, is 38, 22 and 13.
 * (hidden_of was twice as much then.)
 */
#define WAITS_MATTER 0.1

struct tally {
	double acquires, at_once;
	bool seen; /* it is an object whose use is seen even if nobody waits */
};

struct life {
	double computed_ns, waited_ns, acquires; /* the last two: at objects of the kind in question */
	double ns;
};

struct lives {
	struct idmap thread;
	struct life *life;   /* by thread; owned */
	size_t cap;
	struct deeds deeds;
};

/*
 * Places of calls that release something.  Each such call leaves an event, even if it need not wait: a write to a pipe may have to wait
 * for room, and always lets the reader go on.
 */
static void list_releasing(const struct replay *r, struct idmap *sites)
{
	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t i = 0; i < r->script[b].n; i++)
			if (r->script[b].step[i].kind == BURST_RELEASE && r->script[b].step[i].site)
				idmap_number(sites, r->script[b].step[i].site);
}

static void count_uses(const struct replay *r, struct tally *tally)
{
	struct idmap releasing = IDMAP_INIT;

	list_releasing(r, &releasing);
	for (size_t b = 0; b < r->nscripts; b++) {
		for (size_t i = 0; i < r->script[b].n; i++) {
			const struct step *s = &r->script[b].step[i];
			struct tally *t = burst_is_about_object(s->kind) && s->object != NOBODY ? &tally[s->object] : NULL;

			if (!t)
				continue;
			t->seen = t->seen || (s->kind != BURST_ACQUIRE && s->kind != BURST_RELEASE) ||
				  (s->kind == BURST_ACQUIRE && idmap_find(&releasing, s->site) != IDMAP_NONE);
			t->acquires += s->kind == BURST_ACQUIRE;
			t->at_once += s->kind == BURST_ACQUIRE && s->waited_ns <= 0;
		}
	}
	for (size_t i = 0; i < r->nobjects; i++)
		tally[i].seen = tally[i].seen || r->object[i].kind == OBJECT_BARRIER || r->object[i].nap_ns ||
				tally[i].at_once > AT_ONCE_MOST * tally[i].acquires;
	idmap_release(&releasing);
}

static void add_step(const struct tally *tally, struct lives *all, size_t thread, const struct step *s)
{
	struct life *l = &all->life[thread];

	l->computed_ns += (double)s->cpu_ns;
	if (s->kind == BURST_RELEASE || s->kind == BURST_UNLOCK || (s->kind == BURST_VISIT && !s->counts_work))
		deeds_count(&all->deeds, (uint32_t)thread, s);
	if (s->kind == BURST_ACQUIRE && s->object != NOBODY && !tally[s->object].seen) {
		l->waited_ns += (double)s->waited_ns;
		l->acquires++;
	}
}

static void add_actor(const struct script *s, const struct actor *a, const struct tally *tally, struct lives *all)
{
	size_t thread = idmap_number(&all->thread, a->id);

	all->life = idmap_room(&all->thread, all->life, &all->cap, sizeof(*all->life));
	all->life[thread].ns += s->length_ns;
	for (uint32_t i = a->first; i < a->end; i++)
		add_step(tally, all, thread, &s->step[i]);
}

/* The part of the thread's rounds in which it may have met others unseen. */
static double missed(const struct life *l, double rounds)
{
	double part = rounds > 0 ? 1 - l->acquires / rounds : 0, waited = l->ns > 0 ? l->waited_ns / l->ns : 0;

	return part < MISSED_LEAST ? 0 : part * fmin(1, waited / WAITS_MATTER);
}

double hidden_part(const struct replay *r)
{
	struct tally *tally = xcalloc(r->nobjects + 1, sizeof(*tally));
	struct lives all = { 0 };
	double unseen = 0, computed = 0;

	count_uses(r, tally);
	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t i = 0; i < r->script[b].nactors; i++)
			add_actor(&r->script[b], &r->script[b].actor[i], tally, &all);
	for (size_t i = 0; i < all.thread.n; i++) {
		unseen += missed(&all.life[i], deeds_rounds(&all.deeds, (uint32_t)i)) * all.life[i].computed_ns;
		computed += all.life[i].computed_ns;
	}
	free(tally);
	free(all.life);
	idmap_release(&all.thread);
	deeds_release(&all.deeds);
	return computed > 0 ? unseen / computed : 0;
}
