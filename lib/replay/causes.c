/*
 * causes: the step of another thread that ended each wait, as recorded, and the
 * operation of each step in each model.
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

enum {
	SPIN_NS = 20000, /* a wait without a cause that is no longer than this counts as computing */
};

/* The state of an object while a burst is read. */
struct known {
	uint32_t last;       /* the last step that released it */
	uint32_t earlier;    /* the release before that */
	uint32_t first;      /* for tokens: the first one that is free */
	int32_t there;       /* number of tokens from before the burst that are left */
	uint32_t group, size, members; /* for a barrier: the present round, the arrivals so far, and its size */
};

struct way {
	struct script *script;
	const struct replay *replay;
	struct known *known;
	uint32_t *next;      /* by step: the token that was given next */
	uint32_t *before;    /* by step: the release before it of the same object */
	struct idmap spans;
	uint32_t *open;      /* by span: the step of its begin, or NOBODY */
	size_t nopen, open_cap;
};

static void arrive_at_barrier(struct known *k, uint32_t step)
{
	if (++k->size < k->members)
		return;
	k->size = 0;
	k->last = step;
}

static void add_token(struct way *w, struct known *k, uint32_t step)
{
	if (k->first == NOBODY)
		k->first = step;
	else
		w->next[k->last] = step;
	k->last = step;
}

static uint32_t take_token(struct way *w, struct known *k)
{
	uint32_t step = k->first;

	if (k->there > 0) {
		k->there--;
		return NOBODY;
	}
	if (step != NOBODY)
		k->first = w->next[step];
	return step;
}

static bool came_in_wait(const struct script *s, uint32_t cause, uint32_t step)
{
	return cause != NOBODY && s->at_ns[cause] >= s->at_ns[step] - (double)s->step[step].waited_ns;
}

/*
 * A thread has waited: there was no token as it began, though some seem to be left.  They were taken unseen: by a read of
 * several messages at once, or by a look at memory.
 */
static uint32_t take_token_after_wait(struct way *w, struct known *k, uint32_t at)
{
	/* If the last one did not come in the wait, none did. */
	if (k->first != NOBODY && came_in_wait(w->script, k->last, at)) {
		k->there = 0;
		while (!came_in_wait(w->script, k->first, at))
			k->first = w->next[k->first];
	}
	return take_token(w, k);
}

static void see_release(struct way *w, uint32_t step)
{
	struct known *k = &w->known[w->script->step[step].object];

	switch (w->replay->object[w->script->step[step].object].kind) {
	case OBJECT_BARRIER:
		arrive_at_barrier(k, step);
		break;
	case OBJECT_TOKENS:
		add_token(w, k, step);
		break;
	default:
		w->before[step] = k->last;
		k->earlier = k->last;
		k->last = step;
	}
}

/* ---- the ends of waits -------------------------------------------------------------------------- */

/* later: number of releases that had come after the needed one; see batches.c. */
static void find_causes(struct way *w, uint32_t at, uint32_t later)
{
	struct step *s = &w->script->step[at];

	if (s->kind == BURST_WAIT) {
		s->cause[0] = w->known[s->object].last;
		s->cause[1] = w->known[s->other].last;
		if (!came_in_wait(w->script, s->cause[0], at))
			s->cause[0] = NOBODY;
	} else if (w->replay->object[s->object].kind == OBJECT_TOKENS) {
		s->cause[0] = s->waited_ns > 0 ? take_token_after_wait(w, &w->known[s->object], at) : take_token(w, &w->known[s->object]);
	} else if (w->replay->object[s->object].kind != OBJECT_SHARED || s->waited_ns > 0) {
		s->cause[0] = w->known[s->object].last;
		s->exact = later || !came_in_wait(w->script, w->known[s->object].earlier, at);
		for (; later && s->cause[0] != NOBODY; later--)
			s->cause[0] = w->before[s->cause[0]];
		return;
	}
	s->exact = true;
}

/* A wait without a cause. */
static bool is_unexplained(const struct way *w, uint32_t at)
{
	const struct step *s = &w->script->step[at];

	if (s->kind == BURST_WAIT)
		return s->cause[0] == NOBODY;
	return s->waited_ns > 0 && !came_in_wait(w->script, s->cause[0], at);
}

static enum op recorded_op(struct way *w, uint32_t at, struct replay_facts *facts)
{
	struct step *s = &w->script->step[at];

	/* A wait at a barrier that ends before any round has ended was of a round before the burst. */
	if (w->replay->object[s->object].kind == OBJECT_BARRIER)
		return w->known[s->object].last == NOBODY ? OP_SLEEP : OP_BARRIER;
	if (!is_unexplained(w, at))
		return OP_EDGE;
	if (s->waited_ns <= (float)SPIN_NS) {
		s->cpu_ns += s->waited_ns;
		s->waited_ns = 0;
		return OP_EDGE;
	}
	facts->unexplained++;
	facts->unexplained_ns += (double)s->waited_ns;
	return OP_SLEEP;
}

static enum op monitor_op(const struct replay *r, const struct step *s)
{
	switch (r->object[s->object].kind) {
	case OBJECT_SHARED:
		if (!r->object[s->object].excludes)
			return (enum op)s->op[RECORDED];
		/* fall through */
	case OBJECT_LOCK:
		return s->kind == BURST_UNLOCK ? OP_LEAVE : s->kind == BURST_RELEASE ? OP_PASS : OP_TAKE;
	case OBJECT_TOKENS:
		return s->kind == BURST_RELEASE ? OP_GIVE : s->unseen ? (enum op)s->op[RECORDED] : OP_GRAB;
	case OBJECT_CONDITION:
		return s->kind == BURST_WAIT && r->object[s->other].kind == OBJECT_LOCK ? OP_WAIT : (enum op)s->op[RECORDED];
	default:
		return (enum op)s->op[RECORDED];
	}
}

static void learn_wait(struct way *w, const struct moment *m, struct replay_facts *facts)
{
	uint32_t at = m->step;
	struct step *s = &w->script->step[at];
	bool cut = s->waited_ns > 0 && w->script->at_ns[at] <= (double)s->waited_ns;

	find_causes(w, at, m->event->kind == BURST_ACQUIRE ? m->event->other : 0);
	s->op[RECORDED] = (uint8_t)recorded_op(w, at, facts);
	s->op[MONITOR] = (uint8_t)monitor_op(w->replay, s);
	facts->cut += cut;
}

static void learn_release(struct way *w, uint32_t at)
{
	struct step *s = &w->script->step[at];

	see_release(w, at);
	s->op[RECORDED] = w->replay->object[s->object].kind == OBJECT_BARRIER ? OP_ARRIVE : OP_PASS;
	s->op[MONITOR] = (uint8_t)monitor_op(w->replay, s);
}

/* ---- spans --------------------------------------------------------------------------------- */

/* Where the begin of such a span is kept. */
static uint32_t *open_span(struct way *w, const struct moment *m)
{
	uint64_t key = keys_mix(keys_mix(m->event->object, m->event->other), m->event->other ? 0 : m->actor + 1);
	size_t k = idmap_number(&w->spans, key);

	if (k == w->nopen) {
		w->open = xgrow(w->open, w->nopen, &w->open_cap, sizeof(*w->open));
		w->open[w->nopen++] = NOBODY;
	}
	return &w->open[k];
}

static void learn_span(struct way *w, const struct moment *m)
{
	struct step *s = &w->script->step[m->step];
	uint32_t *open = open_span(w, m);

	s->op[RECORDED] = s->op[MONITOR] = OP_PASS;
	if (s->object == NOBODY)
		return;
	if (s->kind == BURST_BEGIN) {
		*open = m->step;
		return;
	}
	if (*open == NOBODY)
		return;
	w->script->span_point = xgrow(w->script->span_point, w->script->spans, &w->script->span_cap, sizeof(*w->script->span_point));
	w->script->span_point[w->script->spans] = s->object;
	s->other = w->script->step[*open].other = (uint32_t)w->script->spans++;
	s->op[RECORDED] = s->op[MONITOR] = OP_END;
	w->script->step[*open].op[RECORDED] = w->script->step[*open].op[MONITOR] = OP_BEGIN;
	*open = NOBODY;
}

/* ---- all ----------------------------------------------------------------------------------------- */

static void learn_moment(struct way *w, const struct moment *m, struct replay_facts *facts)
{
	struct step *s = &w->script->step[m->step];

	switch (m->event->kind) {
	case BURST_RELEASE:
	case BURST_UNLOCK:
		learn_release(w, m->step);
		break;
	case BURST_LOCK:
	case BURST_ACQUIRE:
	case BURST_WAIT:
		learn_wait(w, m, facts);
		break;
	case BURST_ANSWERED:
		s->cause[0] = w->known[s->object].last;
		s->op[RECORDED] = s->op[MONITOR] = s->cause[0] == NOBODY ? OP_SLEEP : OP_ANSWER;
		break;
	case BURST_BEGIN:
	case BURST_END:
		learn_span(w, m);
		break;
	case BURST_TIMEOUT:
	case BURST_POLL:
		facts->timeouts++;
		facts->timeouts_ns += (double)s->waited_ns;
		s->op[RECORDED] = s->op[MONITOR] = OP_SLEEP;
		break;
	case BURST_CLOCK:
		facts->clock_ns += (double)s->waited_ns;
		facts->frames_ns += s->frame_ns > 0 ? (double)s->waited_ns : 0;
		s->op[RECORDED] = s->op[MONITOR] = OP_SLEEP;
		break;
	case BURST_OUTSIDE:
		s->op[RECORDED] = s->op[MONITOR] = OP_SLEEP;
		break;
	case BURST_BIRTH:
		s->op[RECORDED] = s->op[MONITOR] = OP_BIRTH;
		break;
	case BURST_VISIT:
		s->op[RECORDED] = s->op[MONITOR] = OP_VISIT;
		break;
	default:
		s->op[RECORDED] = s->op[MONITOR] = OP_PASS;
	}
	s->asks = NOBODY;
	s->monitor_other = s->op[MONITOR] == OP_LEAVE ? 0 : s->other;
}

void causes_learn(struct replay *r, struct script *s, const struct moment *m, size_t n)
{
	struct way w = { .script = s, .replay = r };

	w.known = xcalloc(r->nobjects + 1, sizeof(*w.known));
	w.next = xcalloc(s->n + 1, sizeof(*w.next));
	w.before = xcalloc(s->n + 1, sizeof(*w.before));
	for (size_t i = 0; i < r->nobjects; i++) {
		bool barrier = r->object[i].kind == OBJECT_BARRIER;

		w.known[i] = (struct known){
			.last = NOBODY, .earlier = NOBODY, .first = NOBODY, .members = r->object[i].members,
			.there = s->start[i], .size = barrier ? (uint32_t)s->start[i] : 0,
		};
	}
	for (size_t i = 0; i < s->n; i++)
		w.next[i] = w.before[i] = NOBODY;
	for (size_t i = 0; i < n; i++)
		learn_moment(&w, &m[i], &r->facts);
	free(w.known);
	free(w.next);
	free(w.before);
	free(w.open);
	idmap_release(&w.spans);
}
