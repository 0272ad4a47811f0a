/*
 * How long a wake-up takes: as it was seen, and where a wait is new, as those of the
 * same place, or else of the same kind of object.
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

#define LATENCY_UNSEEN_NS 50000.0F

enum {
	SEEN_LEAST = 8, /* of one group, for others to be taken from it */
	GROUPS = 3,     /* by place, by kind, all */
};

struct seen {
	float *ns;
	size_t n, cap;
};

struct latencies {
	struct keys keys;
	struct seen *seen;
	size_t n, cap;
};

static bool is_wait(const struct step *s)
{
	return s->object != NOBODY && (s->kind == BURST_ACQUIRE || s->kind == BURST_LOCK || s->kind == BURST_WAIT);
}

static struct seen *group(struct latencies *l, const struct replay *r, const struct step *s, unsigned level)
{
	uint64_t kind = level < 2 ? (uint64_t)r->object[s->object].kind + 1 : 0;
	uint32_t k = keys_number(&l->keys, keys_mix(kind, level < 1 ? s->site + UINT64_C(1) : 0));

	if (k == l->n) {
		l->seen = xgrow(l->seen, l->n, &l->cap, sizeof(*l->seen));
		l->seen[l->n++] = (struct seen){ 0 };
	}
	return &l->seen[k];
}

/* When the last of its causes was done; negative: it has none in its wait. */
static double cause_ns(const struct script *s, const struct step *step)
{
	double at = -1;

	for (size_t i = 0; i < 2; i++)
		if (step->cause[i] != NOBODY && s->at_ns[step->cause[i]] > at)
			at = s->at_ns[step->cause[i]];
	return at;
}

static void see(struct latencies *l, const struct replay *r, struct script *s, size_t i)
{
	struct step *step = &s->step[i];
	double from = cause_ns(s, step), ns = s->at_ns[i] - from;

	if (step->waited_ns <= 0 || from < 0 || ns > (double)step->waited_ns)
		return;
	step->latency_ns = ns > (double)step->late_ns ? (float)ns - step->late_ns : 0;
	step->woken_ns = step->latency_ns;
	for (unsigned level = 0; step->exact && level < GROUPS; level++) {
		struct seen *g = group(l, r, step, level);

		g->ns = xgrow(g->ns, g->n, &g->cap, sizeof(*g->ns));
		g->ns[g->n++] = step->latency_ns;
	}
}

static float pick(struct latencies *l, const struct replay *r, const struct step *s, size_t i)
{
	for (unsigned level = 0; level < GROUPS; level++) {
		const struct seen *g = group(l, r, s, level);

		if (g->n >= SEEN_LEAST || (g->n && level == GROUPS - 1))
			return g->ns[keys_mix(i, level) % g->n];
	}
	return LATENCY_UNSEEN_NS;
}

void latency_learn(struct replay *r)
{
	struct latencies l = { 0 };

	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t i = 0; i < r->script[b].n; i++)
			if (is_wait(&r->script[b].step[i]))
				see(&l, r, &r->script[b], i);
	for (size_t b = 0; b < r->nscripts; b++) {
		for (size_t i = 0; i < r->script[b].n; i++) {
			struct step *s = &r->script[b].step[i];
			bool seen = is_wait(s) && s->waited_ns > 0 && cause_ns(&r->script[b], s) >= 0;

			if (!is_wait(s) || (seen && s->exact))
				continue;
			s->woken_ns = pick(&l, r, s, i);
			if (!seen)
				s->latency_ns = s->woken_ns;
		}
	}
	for (size_t i = 0; i < l.n; i++)
		free(l.seen[i].ns);
	free(l.seen);
	keys_release(&l.keys);
}
