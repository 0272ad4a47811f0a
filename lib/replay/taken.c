/*
 * taken: what a thread takes from a ring of io_uring without a call.
 *
 * The thread looks at memory that it shares with the kernel, which nobody sees.  At its
 * next call, the runtime notes what it has taken since the call before.  So the order is
 * known, but not the times.  The thread mostly handles one thing after the other.  How long
 * that takes is known from waits after which it has taken nothing more.  So the time since the
 * last wait is divided in these proportions.  When the thread has handled one thing, it mostly
 * lets others go on.  So each event is moved to the nearest event of that kind.
 *
 * All that the thread asked for meanwhile is noted at that call, too.  If these events stayed there,
 * what the first thing asks for would have to wait for the last one.  What a thing asks for is also known from
 * waits after which nothing more was taken.
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

static bool is_taken(const struct burst_event *e)
{
	return e->any && !e->site;
}

/* Has the thread perhaps handled one thing when it has done that?  locks: that it has then. */
static bool is_border(const struct burst_event *e, int locks)
{
	return locks == 0 && (e->kind == BURST_RELEASE || e->kind == BURST_UNLOCK || e->kind == BURST_VISIT);
}

/* The time of the border that is nearest to `at_ns`, among the events [first, end); at_ns: there is none. */
static int64_t nearest_border(const struct replay *r, const struct burst_thread *t, size_t first, size_t end, int64_t at_ns)
{
	int64_t best = at_ns, distance = INT64_MAX;
	int locks = 0;

	for (size_t i = first; i < end; i++) {
		const struct burst_event *e = &t->event[i];
		int64_t off = e->at_ns > at_ns ? e->at_ns - at_ns : at_ns - e->at_ns;

		locks += event_takes_lock(r, e);
		locks = locks > 0 ? locks : 0;
		if (!is_border(e, locks) || off >= distance)
			continue;
		best = e->at_ns;
		distance = off;
	}
	return best;
}

/* The handling of what is about an object: how long it takes, and what it asks for. */
struct handling {
	struct idmap asks; /* pairs of objects: of what is handled, and of what that asks for, */
	size_t *asked, asked_cap; /* how often it does so; owned */
	struct idmap object;
	struct {
		double ns;
		size_t n;
	} *sum; /* owned */
	size_t cap;
	double ns; /* of all objects */
	size_t n;
};

static double mean_ns(struct handling *h, uint32_t object)
{
	size_t i = idmap_number(&h->object, object);

	h->sum = idmap_room(&h->object, h->sum, &h->cap, sizeof(*h->sum));
	if (h->sum[i].n)
		return h->sum[i].ns / (double)h->sum[i].n;
	return h->n ? h->ns / (double)h->n : 1;
}

static void note_handling(struct handling *h, uint32_t object, int64_t ns)
{
	size_t i = idmap_number(&h->object, object);

	h->sum = idmap_room(&h->object, h->sum, &h->cap, sizeof(*h->sum));
	h->sum[i].ns += (double)ns;
	h->sum[i].n++;
	h->ns += (double)ns;
	h->n++;
}

static uint64_t pair_of(uint32_t handled, uint32_t asked)
{
	return keys_mix((uint64_t)handled << 32 | asked, 0);
}

/* At the call that waits next. */
static bool asks_there(const struct burst_event *e, uint32_t site)
{
	return e->kind == BURST_RELEASE && e->site == site;
}

static void note_asked(struct handling *h, const struct burst_thread *t, size_t wait, size_t next)
{
	for (size_t i = wait + 1; i < next; i++)
		if (asks_there(&t->event[i], t->event[wait].site)) {
			size_t k = idmap_number(&h->asks, pair_of(t->event[wait].object, t->event[i].object));

			h->asked = idmap_room(&h->asks, h->asked, &h->asked_cap, sizeof(*h->asked));
			h->asked[k]++;
		}
}

/* In how many of the cases what is about the object asks for that. */
static double part_asking(const struct handling *h, uint32_t handled, uint32_t asked)
{
	size_t pair = idmap_find(&h->asks, pair_of(handled, asked)), all = idmap_find(&h->object, handled);

	return pair == IDMAP_NONE || all == IDMAP_NONE || !h->sum[all].n ? 0 : (double)h->asked[pair] / (double)h->sum[all].n;
}

/* Of waits after which the thread has taken nothing more: the time from their ends to the begin of the next one. */
static void learn_handling(struct handling *h, const struct burst_thread *t)
{
	size_t wait = t->n;

	for (size_t i = 0; i < t->n; i++) {
		const struct burst_event *e = &t->event[i];

		if (is_taken(e)) {
			wait = t->n;
		} else if (e->any) {
			if (wait < i) {
				note_handling(h, t->event[wait].object, e->at_ns - e->waited_ns - t->event[wait].at_ns);
				note_asked(h, t, wait, i);
			}
			wait = i;
		}
	}
}

/* What a thread takes: after the wait that event `wait` ended, the events [first, end); then it asks for what is noted up to `last`. */
struct taking {
	const struct burst_thread *t;
	size_t wait, first, end, last;
};

static struct taking taking_at(const struct burst_thread *t, size_t wait, size_t first)
{
	struct taking k = { .t = t, .wait = wait, .first = first, .end = first };

	while (k.end < t->n && is_taken(&t->event[k.end]))
		k.end++;
	for (k.last = k.end; k.last < t->n && asks_there(&t->event[k.last], t->event[wait].site);)
		k.last++;
	return k;
}

/* Which of the things asks for that most often?  The event of the next one; `end`: the last one does, or none is known to. */
static size_t after_asking(const struct handling *h, const struct taking *k, uint32_t asked)
{
	double most = part_asking(h, k->t->event[k->wait].object, asked);
	size_t next = most > 0 ? k->first : k->end;

	for (size_t i = k->first; i < k->end; i++) {
		double part = part_asking(h, k->t->event[i].object, asked);

		if (part <= most)
			continue;
		most = part;
		next = i + 1;
	}
	return next;
}

/* Before the next thing is taken, whose event has been moved to moved[]. */
static void move_asked(const struct handling *h, const struct taking *k, struct burst_thread *moved, size_t before)
{
	for (size_t i = k->end; i < k->last; i++) {
		struct burst_event e = k->t->event[i];
		size_t next = after_asking(h, k, e.object);

		if (next < k->end)
			e.at_ns = moved->event[before + next - k->first].at_ns - 1;
		burst_add(moved, &e);
	}
}

static void move_taken(const struct replay *r, struct handling *h, const struct taking *k, struct burst_thread *moved)
{
	const struct burst_event *event = k->t->event;
	int64_t from = event[k->wait].at_ns, length = event[k->first].at_ns - from, least = from;
	double before = mean_ns(h, event[k->wait].object), all = before;
	size_t n = moved->n;

	for (size_t i = k->first; i < k->end; i++)
		all += mean_ns(h, event[i].object);
	for (size_t i = k->first; i < k->end; i++) {
		struct burst_event e = event[i];

		/* After the border, and after what has been taken, and asked for, before it. */
		e.at_ns = 2 + nearest_border(r, k->t, k->wait + 1, k->first, from + (int64_t)((double)length * (all > 0 ? before / all : 0)));
		if (e.at_ns < least)
			e.at_ns = least;
		least = e.at_ns + 2;
		e.site = event[k->wait].site;
		if (e.kind == BURST_ANSWERED)
			e.other |= TAKEN_EVENT;
		burst_add(moved, &e);
		before += mean_ns(h, event[i].object);
	}
	move_asked(h, k, moved, n);
}

static void place(const struct replay *r, struct handling *h, struct burst_thread *t)
{
	struct burst_thread moved = { .id = t->id }, kept = { .id = t->id };
	size_t wait = t->n, i = 0;

	while (i < t->n) {
		if (is_taken(&t->event[i]) && wait < i) {
			struct taking k = taking_at(t, wait, i);

			move_taken(r, h, &k, &moved);
			i = k.last;
			continue;
		}
		if (!is_taken(&t->event[i]))
			burst_add(&kept, &t->event[i]);
		wait = t->event[i].any && !is_taken(&t->event[i]) ? i : wait;
		i++;
	}
	burst_insert(&kept, &moved);
	free(moved.event);
	free(t->event);
	*t = kept;
}

/* As `other` of each answer: how long ago the thread has asked for it.  That is no longer known once events are moved. */
static void note_answers(struct burst_thread *t)
{
	struct idmap asked = { 0 };
	int64_t *at_ns = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct burst_event *e = &t->event[i];
		size_t k = e->kind == BURST_ANSWERED ? idmap_find(&asked, e->object) : IDMAP_NONE;

		if (e->kind == BURST_RELEASE) {
			k = idmap_number(&asked, e->object);
			at_ns = idmap_room(&asked, at_ns, &cap, sizeof(*at_ns));
			at_ns[k] = e->at_ns;
		} else if (k != IDMAP_NONE && e->at_ns - at_ns[k] < UINT32_MAX) {
			e->other = (uint32_t)(e->at_ns - at_ns[k]) & ~(uint32_t)TAKEN_EVENT;
		}
	}
	free(at_ns);
	idmap_release(&asked);
}

void taken_place(const struct replay *r, struct burst *b, size_t n)
{
	struct handling h = { 0 };

	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < b[i].n; t++)
			learn_handling(&h, &b[i].thread[t]);
	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < b[i].n; t++)
			note_answers(&b[i].thread[t]);
	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < b[i].n; t++)
			place(r, &h, &b[i].thread[t]);
	free(h.sum);
	idmap_release(&h.object);
	free(h.asked);
	idmap_release(&h.asks);
}
