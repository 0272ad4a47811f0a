/*
 * brief: waits for locks that are held only briefly.
 *
 * If a thread waits for a lock for several times as long as that is held, most of its
 * wait is its own wake-up, or that of threads before it.  How often threads
 * meet at such a lock, and how long a wake-up takes, depends on each other, and changes with
 * all code.  No model describes that: see `tiny` in EVIDENCE.md, "What neither method can tell".
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

enum {
	TIMES = 3,        /* a wait is too long from so many times the time for which the lock is held by a thread that others wait for */
	HELD_LEAST = 50,  /* sections, to know that time */
};

/*
 * Sections of a lock.  The longer one is, the more likely it is that another thread comes while it lasts; so a thread
 * that waits has met one of the length squares / ns in the mean.  sort holds the lock of a node mostly for moments, and
 * sometimes while it merges thousands of lines.
 */
struct held {
	double ns, squares;
	size_t n;
};

static bool takes(const struct step *s)
{
	return s->op[MONITOR] == OP_TAKE || s->op[MONITOR] == OP_WAIT;
}

/* When a lock was taken last, and by the thread of which number; 0: by none. */
struct taken {
	double at_ns;
	size_t by;
};

/* Adds the sections of an actor, the thread of that number. */
static void add_sections(const struct script *s, const struct actor *a, size_t number, struct taken *taken, struct held *held)
{
	for (uint32_t i = a->first; i < a->end; i++) {
		const struct step *step = &s->step[i];
		uint32_t lock = step->op[MONITOR] == OP_WAIT ? step->other : step->object;

		if (takes(step)) {
			taken[lock] = (struct taken){ .at_ns = s->at_ns[i], .by = number };
		} else if (step->op[MONITOR] == OP_LEAVE && taken[lock].by == number) {
			double ns = s->at_ns[i] - taken[lock].at_ns;

			held[lock].ns += ns;
			held[lock].squares += ns * ns;
			held[lock].n++;
			taken[lock].by = 0;
		}
	}
}

static struct held *held_locks(const struct replay *r)
{
	struct held *held = xcalloc(r->nobjects + 1, sizeof(*held));
	struct taken *taken = xcalloc(r->nobjects + 1, sizeof(*taken));
	size_t number = 0;

	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t t = 0; t < r->script[b].nactors; t++)
			add_sections(&r->script[b], &r->script[b].actor[t], ++number, taken, held);
	free(taken);
	return held;
}

double brief_waits(const struct replay *r)
{
	struct held *held = held_locks(r);
	double brief = 0, all = 0;

	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t i = 0; i < r->script[b].n; i++) {
			const struct step *s = &r->script[b].step[i];
			const struct held *h = s->op[MONITOR] == OP_TAKE ? &held[s->object] : NULL;

			all += (double)s->cpu_ns + (h ? (double)s->waited_ns : 0);
			if (h && h->n >= HELD_LEAST && (double)s->waited_ns * h->ns > TIMES * h->squares)
				brief += (double)s->waited_ns;
		}
	free(held);
	return all > 0 ? brief / all : 0;
}
