/*
 * latency: the time of wake-ups: as recorded; for a new wait, as those at the same
 * place, or else at the same kind of object.
 */
#include "replay/replay_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

#define LATENCY_UNSEEN_NS 50000.0F
#define SCARCE 0.02 /* from this share of time without a processor on, wake-ups are corrected */

enum {
	/*
	 * Wake-ups of a group that are needed to take others from it.  At a place where a thread hardly
	 * ever waits, it waits because something has held up the other one, or itself: with 8 in two
	 * bursts of t/workload/barrier, heavy at 50 % was 15 for 28.
	 */
	SEEN_LEAST = 50,
	GROUPS = 3, /* by place, by kind, all */
};

static bool is_wait(const struct replay *r, const struct step *s)
{
	return s->object != NOBODY && (s->kind == BURST_ACQUIRE || s->kind == BURST_LOCK || s->kind == BURST_WAIT) && !nap_of(r, s);
}

/* The number of the list with that key. */
static uint32_t list_with(struct idmap *keys, struct replay *r, uint64_t key)
{
	uint32_t k = (uint32_t)idmap_number(keys, key);

	if (k == r->nlatencies) {
		r->latencies = xgrow(r->latencies, r->nlatencies, &r->latencies_cap, sizeof(*r->latencies));
		r->latencies[r->nlatencies++] = (struct latencies){ 0 };
	}
	return k;
}

static uint32_t list_of(struct idmap *keys, struct replay *r, const struct step *s, unsigned level)
{
	uint64_t kind = level < 2 ? (uint64_t)r->object[s->object].kind + 1 : 0;

	return list_with(keys, r, keys_mix(kind, level < 1 ? s->site + UINT64_C(1) : 0));
}

/* When the last of its causes was done; negative: there was none during its wait. */
static double cause_ns(const struct script *s, const struct step *step)
{
	double at = -1;

	for (size_t i = 0; i < 2; i++)
		if (step->cause[i] != NOBODY && s->at_ns[step->cause[i]] > at)
			at = s->at_ns[step->cause[i]];
	return at;
}

static void note_latency(struct idmap *keys, struct replay *r, struct script *s, size_t i)
{
	struct step *step = &s->step[i];
	double from = cause_ns(s, step), ns = s->at_ns[i] - from;

	if (step->waited_ns <= 0 || from < 0 || ns > (double)step->waited_ns)
		return;
	step->late_ns = fminf(step->late_ns, (float)ns);
	step->wakeup = step->woken = (struct wakeup){ .ns = (float)ns - step->late_ns, .slept_ns = step->waited_ns - (float)ns };
	for (unsigned level = 0; step->exact && level < GROUPS; level++) {
		uint32_t list = list_of(keys, r, step, level);
		struct latencies *g = &r->latencies[list];

		g->v = xgrow(g->v, g->n, &g->cap, sizeof(*g->v));
		g->v[g->n++] = step->wakeup;
	}
}

static uint32_t list_with_enough(struct idmap *keys, struct replay *r, const struct step *s)
{
	uint32_t list = 0;

	for (unsigned level = 0; level < GROUPS; level++) {
		list = list_of(keys, r, s, level);
		if (r->latencies[list].n >= SEEN_LEAST)
			break;
	}
	return list;
}

struct wakeup latency_pick(const struct replay *r, uint32_t list, uint64_t random)
{
	const struct latencies *l = &r->latencies[list];

	return l->n ? l->v[random % l->n] : (struct wakeup){ .ns = LATENCY_UNSEEN_NS };
}

static void choose_latency(struct idmap *keys, struct replay *r, struct script *s, size_t i)
{
	struct step *step = &s->step[i];
	bool seen = step->waited_ns > 0 && cause_ns(s, step) >= s->at_ns[i] - (double)step->waited_ns;

	step->latencies = list_with_enough(keys, r, step);
	if (r->latencies[step->latencies].most_ns > 0) {
		step->wakeup.ns = fminf(step->wakeup.ns, r->latencies[step->latencies].most_ns);
		step->woken = step->wakeup;
	}
	if (seen && step->exact)
		return;
	step->woken = latency_pick(r, step->latencies, keys_mix(i, 0));
	if (!seen)
		step->wakeup = step->woken;
}

/* ---- answers of the outside ------------------------------------------------------------ */

/*
 * How an answer of the outside was seen: the thread waited for it; it was there as the thread made a call; or it was taken without
 * a call, at some time.
 */
enum seen { WAITED, FOUND, TAKEN };

static enum seen seen_as(const struct step *s)
{
	return s->taken ? TAKEN : s->waited_ns > 0 ? WAITED : FOUND;
}

static uint32_t answers_to(struct idmap *keys, struct replay *r, const struct step *s, enum seen seen)
{
	return list_with(keys, r, keys_mix((UINT64_C(1) + seen) << 32 | s->object, s->site + UINT64_C(1)));
}

static void note_answer(struct idmap *keys, struct replay *r, struct script *s, size_t i)
{
	struct step *step = &s->step[i];
	uint32_t list = answers_to(keys, r, step, seen_as(step));
	struct latencies *l = &r->latencies[list];
	double ns = (step->answer_ns > 0 ? (double)step->answer_ns : s->at_ns[i] - cause_ns(s, step)) - (double)step->late_ns;

	r->answers = true;
	step->wakeup = step->woken = (struct wakeup){ .ns = (float)fmax(0, ns) };
	l->v = xgrow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = step->wakeup;
}

/*
 * If the thread has not waited, the answer had come before it looked.  Then it took as long as others, at the most until then.  Of
 * a timer, that is known from waits; a read of a file that is in memory is over at once, and hardly ever waited for.
 */
static void guess_answer(struct idmap *keys, struct replay *r, struct step *s, size_t i)
{
	uint32_t waited = answers_to(keys, r, s, WAITED), found = answers_to(keys, r, s, FOUND);
	uint32_t list = r->latencies[waited].n >= r->latencies[found].n ? waited : found;

	if (seen_as(s) == WAITED || (seen_as(s) == FOUND && list == found) || !r->latencies[list].n)
		return;
	s->wakeup.ns = fminf(s->wakeup.ns, latency_pick(r, list, keys_mix(i, 0)).ns);
	s->woken = s->wakeup;
}

static void learn_answers(struct idmap *keys, struct replay *r)
{
	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t i = 0; i < r->script[b].n; i++)
			if (r->script[b].step[i].op[RECORDED] == OP_ANSWER)
				note_answer(keys, r, &r->script[b], i);
	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t i = 0; i < r->script[b].n; i++)
			if (r->script[b].step[i].op[RECORDED] == OP_ANSWER)
				guess_answer(keys, r, &r->script[b].step[i], i);
}

/* ---- wake-ups by threads ----------------------------------------------------------------- */

static int ascending(const void *va, const void *vb)
{
	float a = ((const struct wakeup *)va)->ns, b = ((const struct wakeup *)vb)->ns;

	return (a > b) - (a < b);
}

/*
 * If threads waited for processors, some of that was part of wake-ups, which is not recorded.  A quarter of the wake-ups
 * at least is taken to be without such waits, and no other one to take more than twice as long as these.  (With the median,
 * the mean error of replay on twelve crowded programs is 1.97 instead of 1.63 points after 5 s.)
 */
static void cut_queueing(struct replay *r)
{
	for (size_t i = 0; i < r->nlatencies; i++) {
		struct latencies *l = &r->latencies[i];

		if (!l->n)
			continue;
		qsort(l->v, l->n, sizeof(*l->v), ascending);
		l->most_ns = 2 * l->v[l->n / 4].ns;
		for (size_t k = 0; k < l->n; k++)
			l->v[k].ns = fminf(l->v[k].ns, l->most_ns);
	}
}

void latency_learn(struct replay *r)
{
	struct idmap keys = { 0 };

	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t i = 0; i < r->script[b].n; i++)
			if (is_wait(r, &r->script[b].step[i]))
				note_latency(&keys, r, &r->script[b], i);
	if (r->scarce > SCARCE)
		cut_queueing(r);
	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t i = 0; i < r->script[b].n; i++)
			if (is_wait(r, &r->script[b].step[i]))
				choose_latency(&keys, r, &r->script[b], i);
	learn_answers(&keys, r);
	idmap_release(&keys);
}
