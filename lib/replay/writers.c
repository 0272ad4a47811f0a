/*
 * writers: read-write locks whose readers stay behind a writer that waits.
 *
 * By default, a reader shares a pthread_rwlock_t with those that read, whoever waits.
 * Where writers are preferred (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, the
 * RwLock of Rust), it waits with the writer until all that read have ended.  The kind
 * of a lock is not recorded.  But it shows as a reader comes while others read and
 * a writer waits: either it goes on at once, or it waits.
 *
 * A decoder and a display read a configuration that a third thread changes each 5 ms.
 * Without this rule, the check of the monitor model was 0.89, with it 0.98; half of the
 * decoder's work was worth 14 points by replay, and is worth 30; really 33.4 (1.3).
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "replay/replay_parts.h"

enum {
	STAYED_LEAST = 3,   /* so many readers stayed behind, */
	STAYED_PER_PASS = 4, /* and so many for each one that did not: events are noted up to some us late */
};

/* What a lock was seen to do. */
struct seen {
	size_t passed, stayed; /* readers that came while others read and a writer waited */
};

/* The state of a lock while a burst is read. */
struct crowd {
	uint32_t writer;  /* 1 + the actor that has it alone */
	uint32_t readers;
	uint32_t waiting; /* writers */
};

/* An actor begins to wait for a lock. */
struct come {
	int64_t at_ns;
	const struct step *step;
};

static int by_time(const void *a, const void *b)
{
	const struct come *x = a, *y = b;

	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

static bool takes_rwlock(const struct replay *r, const struct step *s)
{
	return (s->kind == BURST_LOCK || s->kind == BURST_ACQUIRE) && r->object[s->object].kind == OBJECT_SHARED &&
		r->object[s->object].excludes;
}

static void see_come(struct crowd *c, struct seen *seen, const struct step *s, bool waits)
{
	if (!s->shares)
		c->waiting += waits;
	else if (c->readers && c->waiting && !c->writer)
		*(waits ? &seen->stayed : &seen->passed) += 1;
}

static void see_have(struct crowd *c, const struct step *s, uint32_t actor)
{
	if (s->shares)
		c->readers++;
	else
		c->writer = actor + 1;
	if (!s->shares && s->kind == BURST_ACQUIRE && c->waiting)
		c->waiting--;
}

static void see_let_go(struct crowd *c, uint32_t actor)
{
	if (c->writer == actor + 1)
		c->writer = 0;
	else if (c->readers)
		c->readers--;
}

static struct come *list_waits(const struct replay *r, const struct script *s, const struct moment *m, size_t n, size_t *ncome)
{
	struct come *come = NULL;
	size_t cap = 0;

	*ncome = 0;
	for (size_t i = 0; i < n; i++) {
		if (!takes_rwlock(r, &s->step[m[i].step]) || s->step[m[i].step].kind != BURST_ACQUIRE)
			continue;
		come = xgrow(come, *ncome, &cap, sizeof(*come));
		come[(*ncome)++] = (struct come){ .at_ns = m[i].at_ns - m[i].event->waited_ns, .step = &s->step[m[i].step] };
	}
	if (*ncome)
		qsort(come, *ncome, sizeof(*come), by_time);
	return come;
}

static void read_burst(const struct replay *r, const struct script *s, const struct moment *m, size_t n, struct seen *seen)
{
	struct crowd *crowd = xcalloc(r->nobjects + 1, sizeof(*crowd));
	size_t ncome, k = 0;
	struct come *come = list_waits(r, s, m, n, &ncome);

	for (size_t i = 0; i < n && ncome; i++) {
		const struct step *step = &s->step[m[i].step];
		uint32_t o = step->object;

		for (; k < ncome && come[k].at_ns <= m[i].at_ns; k++)
			see_come(&crowd[come[k].step->object], &seen[come[k].step->object], come[k].step, true);
		if (takes_rwlock(r, step)) {
			if (step->kind == BURST_LOCK)
				see_come(&crowd[o], &seen[o], step, false);
			see_have(&crowd[o], step, m[i].actor);
		} else if (step->kind == BURST_UNLOCK && o != NOBODY) {
			see_let_go(&crowd[o], m[i].actor);
		}
	}
	free(come);
	free(crowd);
}

void writers_learn(struct replay *r, struct moment *const *m, const size_t *n)
{
	struct seen *seen = xcalloc(r->nobjects + 1, sizeof(*seen));

	for (size_t b = 0; b < r->nscripts; b++)
		read_burst(r, &r->script[b], m[b], n[b], seen);
	for (size_t i = 0; i < r->nobjects; i++)
		r->object[i].writers_first = seen[i].stayed >= STAYED_LEAST && seen[i].stayed >= STAYED_PER_PASS * seen[i].passed;
	free(seen);
}
