/*
 * script: makes the steps of a script from the events of a burst: a stretch of
 * computing, and the operation at its end.
 */
#include "replay/replay_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { GAPS_MOST = 16 }; /* most gaps between two readings in which a thread had no processor */

/* Share of a burst: a thread without events for so long at its end was waiting, and does not determine its end. */
#define IDLE_TAIL 0.1

/* ---- points ---------------------------------------------------------------------- */

static uint32_t *points_of(const struct burst *burst, size_t n, bool latency, size_t *npoints)
{
	struct idmap seen = { 0 };
	uint32_t *id = NULL;
	size_t cap = 0;

	for (size_t b = 0; b < n; b++) {
		for (size_t t = 0; t < burst[b].n; t++) {
			for (size_t i = 0; i < burst[b].thread[t].n; i++) {
				const struct burst_event *e = &burst[b].thread[t].event[i];
				size_t before = seen.n;

				if (!(latency ? e->kind == BURST_END : e->kind == BURST_VISIT) || idmap_number(&seen, e->object) < before)
					continue;
				id = xgrow(id, before, &cap, sizeof(*id));
				id[before] = e->object;
			}
		}
	}
	*npoints = seen.n;
	if (seen.n)
		qsort(id, seen.n, sizeof(*id), ids_ascending);
	idmap_release(&seen);
	return id;
}

static uint32_t point_find(const uint32_t *id, size_t n, uint32_t point)
{
	const uint32_t *at = n ? bsearch(&point, id, n, sizeof(*id), ids_ascending) : NULL;

	return at ? (uint32_t)(at - id) : NOBODY;
}

/* ---- steps ------------------------------------------------------------------------ */

static int64_t between(int64_t ns, int64_t least, int64_t most)
{
	return ns < least ? least : ns > most ? most : ns;
}

/* Time without a processor after `from` and up to `to`, by those of the events [first, end) that were noted then. */
static int64_t queued_between(const struct burst_thread *t, size_t first, size_t end, int64_t from, int64_t to)
{
	int64_t left = to > from ? to - from : 0;

	for (size_t i = first; i < end; i++)
		if (t->event[i].kind == BURST_QUEUED && t->event[i].at_ns > from && t->event[i].at_ns <= to)
			left -= between(t->event[i].waited_ns, 0, left);
	return to > from ? to - from - left : 0;
}

/* Processor time in the wait that ends with event i. */
static int64_t kernel_in_wait(const struct burst_thread *t, size_t first, size_t i, int64_t begin, int64_t at)
{
	int64_t ns = 0;

	for (size_t k = first; k < i; k++)
		if (t->event[k].kind == BURST_KERNEL && t->event[k].at_ns > begin)
			ns += between(t->event[k].waited_ns, 0, at - begin - ns);
	return ns;
}

/* The processor time of the thread was read then, so a QUEUED that comes later tells of later time. */
static bool is_reading(const struct burst_event *e)
{
	return e->kind == BURST_SAMPLE || e->kind == BURST_QUEUED || (burst_is_deed(e->kind) && e->waited_ns > 0);
}

/*
 * A QUEUED tells how long the thread had no processor since the reading before it, but
 * not when.  Mostly that is one interval: it is placed in the last gap between events
 * that is as long, or, without one, in the longest gaps.
 */
static void take_from_gaps(const struct burst_thread *t, int64_t *queued, size_t first, size_t last, int64_t from)
{
	int64_t left = t->event[last].waited_ns;

	for (int i = 0; i < GAPS_MOST && left > 0; i++) {
		int64_t most = 0, ns, before = from;
		size_t at = first;

		for (size_t k = first; k <= last; k++) {
			ns = between(t->event[k].at_ns - before - queued[k], 0, left);
			before = t->event[k].at_ns;
			if (ns < most)
				continue;
			most = ns;
			at = k;
		}
		if (most == 0)
			return;
		queued[at] += most;
		left -= most;
	}
}

/* Was the event noted during the wait that ends with event `next`? */
static bool is_in_wait(const struct burst_thread *t, size_t i, size_t next)
{
	return next < t->n && t->event[i].at_ns > t->event[next].at_ns - t->event[next].waited_ns;
}

/* The time from its birth (negative: before the burst) to its first event; negative: unknown. */
static int64_t start_ns(const struct burst_thread *t, int64_t born)
{
	return born >= 0 && burst_begins(t) ? t->event[burst_first_deed(t)].at_ns - born : -1;
}

/* The time to create a thread, without waiting for a processor: the least that was seen. */
static int64_t least_start_ns(const struct burst *b, const int64_t *born)
{
	int64_t least = -1;

	for (size_t t = 0; t < b->n; t++) {
		int64_t ns = start_ns(&b->thread[t], born[t]);

		if (ns >= 0 && (least < 0 || ns < least))
			least = ns;
	}
	return least;
}

/*
 * For each event, the time without a processor since the event before, without waits.
 * The caller frees it.
 */
static int64_t *queued_before(const struct burst_thread *t, int64_t born, int64_t least_start)
{
	int64_t *queued = xcalloc(t->n + 1, sizeof(*queued)), from = born > 0 ? born : 0;
	size_t first = 0, next = 0; /* since the last reading; the next event with a step */

	if (start_ns(t, born) > least_start) {
		first = burst_first_deed(t);
		queued[first] = start_ns(t, born) - least_start;
		from = t->event[first++].at_ns;
	}
	for (size_t i = first; i < t->n; i++) {
		while (next < t->n && (next <= i || !burst_is_deed(t->event[next].kind)))
			next++;
		if (t->event[i].kind == BURST_QUEUED && !is_in_wait(t, i, next))
			take_from_gaps(t, queued, first, i, from);
		if (!is_reading(&t->event[i]))
			continue;
		from = t->event[i].at_ns;
		first = i + 1;
	}
	return queued;
}

static struct step step_of(const struct replay *r, const struct burst_thread *t, const int64_t *queued_ns, size_t first, size_t i, int64_t from)
{
	const struct burst_event *e = &t->event[i];
	int64_t at = e->at_ns > from ? e->at_ns : from, begin = at - between(e->waited_ns, 0, at - from), queued = 0;
	struct step s = { .kind = (uint8_t)e->kind, .site = e->site, .object = NOBODY, .other = NOBODY, .cause = { NOBODY, NOBODY }, .asks = NOBODY };

	for (size_t k = first; k <= i; k++)
		queued += queued_ns[k];
	queued = between(queued, 0, begin - from);
	s.queued_ns = (float)queued;
	s.cpu_ns = (float)(begin - from - queued);
	s.waited_ns = (float)(at - begin);
	s.late_ns = (float)queued_between(t, first, i, begin, at);
	s.for_any = e->any;
	if (e->kind == BURST_ANSWERED) {
		s.taken = e->other & TAKEN_EVENT;
		s.answer_ns = (float)(e->other & ~(uint32_t)TAKEN_EVENT);
	}
	if (e->kind == BURST_CLOCK)
		s.frame_ns = (float)e->other;
	if (e->kind == BURST_OUTSIDE || e->kind == BURST_UNLOCK)
		s.stall = e->other;
	if (e->kind == BURST_OUTSIDE)
		s.kernel_ns = (float)kernel_in_wait(t, first, i, begin, at);
	if (e->kind == BURST_VISIT) {
		s.object = point_find(r->point, r->npoints, e->object);
		s.other = e->other;
	} else if (e->kind == BURST_BEGIN || e->kind == BURST_END) {
		s.object = point_find(r->latency_point, r->nlatency, e->object);
	} else if (burst_has_object(e->kind)) {
		s.object = object_find(r, e->object);
		if (e->kind == BURST_WAIT)
			s.other = object_find(r, e->other);
	}
	return s;
}

/* Between the last event and the end of the burst, the thread computed as long as samples say; it may have waited, too. */
static struct step stop_of(const struct burst_thread *t, size_t first, int64_t from, int64_t length, bool ended)
{
	struct step s = { .kind = BURST_KINDS, .object = NOBODY, .other = NOBODY, .cause = { NOBODY, NOBODY }, .asks = NOBODY, .op = { OP_STOP, OP_STOP } };
	int64_t sampled = 0;

	for (size_t i = first; i < t->n; i++)
		if (t->event[i].kind == BURST_SAMPLE)
			sampled += between(t->event[i].waited_ns, 0, length - sampled);
	if (!ended && length > from)
		s.cpu_ns = (float)between(sampled, 0, length - from);
	return s;
}

/* step: that it is of, in the order of all scripts.  from: when its stretch began. */
static void add_sample(struct replay *r, const struct burst_event *e, size_t step, int64_t from)
{
	r->sample = xgrow(r->sample, r->nsamples, &r->sample_cap, sizeof(*r->sample));
	r->sample[r->nsamples++] = (struct sample){
		.cell = (uint32_t)step, .stack = e->object > r->nstacks ? 0 : e->object, .waiting = e->kind == BURST_WAITING,
		.weight = (float)(e->waited_ns > 0 ? e->waited_ns : 1), .passed = (float)(e->at_ns - from),
	};
}

/* Processors in the order in which threads were seen on them. */
static uint16_t processor_number(struct replay *r, uint32_t id)
{
	size_t k = idmap_number(&r->processors, id);

	return k < NOWHERE ? (uint16_t)k : NOWHERE;
}

static void learn_actor(struct replay *r, struct script *s, const struct burst_thread *t, int64_t born, int64_t least_start, int64_t length, size_t before)
{
	struct actor *a = &s->actor[s->nactors++];
	int64_t from = born >= 0 ? born : 0;
	int64_t *queued = queued_before(t, born, least_start);
	uint16_t processor = NOWHERE;
	size_t first = 0;
	bool ended = false;

	*a = (struct actor){ .first = (uint32_t)s->n, .id = t->id, .born = born >= 0 };
	for (size_t i = 0; i < t->n; i++) {
		if (t->event[i].kind == BURST_SAMPLE)
			add_sample(r, &t->event[i], before + s->n, from);
		if (t->event[i].kind == BURST_WAITING && s->n > a->first && step_is_for_outside(&s->step[s->n - 1]))
			add_sample(r, &t->event[i], before + s->n - 1, INT64_MAX);
		if (t->event[i].kind == BURST_MOVED)
			processor = processor_number(r, t->event[i].object);
		if (!burst_is_deed(t->event[i].kind))
			continue;
		s->step[s->n] = step_of(r, t, queued, first, i, from);
		s->step[s->n++].processor = processor;
		from = between(t->event[i].at_ns, from, INT64_MAX);
		ended = t->event[i].kind == BURST_DEATH;
		first = i + 1;
	}
	free(queued);
	s->step[s->n] = stop_of(t, first, from, length, ended);
	s->step[s->n++].processor = processor;
	a->end = (uint32_t)s->n;
	a->matters = !ended && t->n > 0 &&
		((double)length - (double)from - (double)s->step[s->n - 1].cpu_ns <= IDLE_TAIL * s->length_ns);
	r->facts.threads += a->end - a->first > 1;
	r->facts.events += a->end - a->first - 1;
}

/* When each thread was created, or -1; and which of the burst's threads has the id. */
static int64_t *births(const struct burst *b, uint32_t **child)
{
	int64_t *born = xcalloc(b->n + 1, sizeof(*born));
	struct idmap ids = { 0 };
	size_t births = 0;

	for (size_t t = 0; t < b->n; t++) {
		idmap_number(&ids, b->thread[t].id);
		born[t] = -1;
		for (size_t i = 0; i < b->thread[t].n; i++)
			births += b->thread[t].event[i].kind == BURST_BIRTH;
	}
	*child = xcalloc(births + 1, sizeof(**child));
	births = 0;
	for (size_t t = 0; t < b->n; t++) {
		for (size_t i = 0; i < b->thread[t].n; i++) {
			const struct burst_event *e = &b->thread[t].event[i];
			uint32_t c;

			if (e->kind != BURST_BIRTH)
				continue;
			c = (uint32_t)idmap_number(&ids, e->object);
			if (c >= b->n || c == t || born[c] >= 0 || (b->thread[c].n && b->thread[c].event[0].at_ns < e->at_ns))
				c = NOBODY;
			else
				born[c] = e->at_ns;
			(*child)[births++] = c;
		}
	}
	idmap_release(&ids);
	return born;
}

static void count_visits(const struct replay *r, struct script *s)
{
	s->first_visit = xcalloc(r->npoints + 1, sizeof(*s->first_visit));
	for (size_t i = 0; i < s->n; i++)
		if (s->step[i].kind == BURST_VISIT)
			s->first_visit[s->step[i].object + 1]++;
	for (size_t p = 0; p < r->npoints; p++)
		s->first_visit[p + 1] += s->first_visit[p];
	s->visits = s->first_visit[r->npoints];
}

/* A whole run ends with its first thread, whatever others still do; or with all of them, where that ends before. */
static void end_with_main(struct script *s)
{
	const struct actor *main = s->actor;

	for (size_t t = 1; t < s->nactors; t++)
		main = s->actor[t].id < main->id ? &s->actor[t] : main;
	for (size_t t = 0; t < s->nactors; t++)
		s->actor[t].matters = s->actor[t].matters && &s->actor[t] == main;
}

static void learn_burst(struct replay *r, struct script *s, const struct burst *b, size_t before)
{
	uint32_t *child;
	int64_t *born = births(b, &child), least_start = least_start_ns(b, born);
	size_t n = 0, birth = 0;

	for (size_t t = 0; t < b->n; t++)
		n += b->thread[t].n + 1;
	s->step = xcalloc(n + 1, sizeof(*s->step));
	s->at_ns = xcalloc(n + 1, sizeof(*s->at_ns));
	s->actor_of = xcalloc(n + 1, sizeof(*s->actor_of));
	s->actor = xcalloc(b->n + 1, sizeof(*s->actor));
	s->start = xcalloc(r->nobjects + 1, sizeof(*s->start));
	s->cpus = b->cpus ? b->cpus : 1;
	s->length_ns = b->length_ns > 0 ? (double)b->length_ns : 0;
	for (size_t t = 0; t < b->n; t++)
		learn_actor(r, s, &b->thread[t], born[t], least_start, b->length_ns > 0 ? b->length_ns : 0, before);
	for (size_t i = 0; i < s->n; i++) {
		s->step[i].counts_work = b->work && s->step[i].kind == BURST_VISIT && r->point[s->step[i].object] == b->work;
		if (s->step[i].kind != BURST_BIRTH)
			continue;
		s->step[i].other = child[birth];
		if (child[birth] != NOBODY)
			s->actor[child[birth]].birth_site = s->step[i].site;
		birth++;
	}
	for (size_t t = 0; t < s->nactors; t++)
		for (uint32_t i = s->actor[t].first; i < s->actor[t].end; i++)
			s->actor_of[i] = (uint32_t)t;
	if (r->whole)
		end_with_main(s);
	count_visits(r, s);
	r->facts.length_ns += s->length_ns;
	free(born);
	free(child);
}

void script_learn(struct replay *r, const struct burst *burst, size_t n)
{
	size_t before = 0;

	r->point = points_of(burst, n, false, &r->npoints);
	r->latency_point = points_of(burst, n, true, &r->nlatency);
	r->script = xcalloc(n + 1, sizeof(*r->script));
	r->nscripts = n;
	for (size_t i = 0; i < n; i++) {
		learn_burst(r, &r->script[i], &burst[i], before);
		before += r->script[i].n;
	}
	r->facts.samples = r->nsamples;
}

/* ---- lists by step -------------------------------------------------------------------- */

uint32_t *script_list_by_step(const struct script *s, void *items, size_t n, size_t size)
{
	uint32_t *first = xcalloc(s->n + 1, sizeof(*first));

	for (size_t i = 0; i < s->n; i++)
		first[i] = NOBODY;
	for (size_t k = n; k-- > 0;) {
		struct made_by *by = (struct made_by *)((char *)items + k * size);

		if (by->step == NOBODY)
			continue;
		by->same = first[by->step];
		first[by->step] = (uint32_t)k;
	}
	return first;
}

/* ---- all threads in one order --------------------------------------------------------- */

static bool lets_go_on(enum burst_kind kind)
{
	return kind == BURST_RELEASE || kind == BURST_UNLOCK || kind == BURST_BIRTH || kind == BURST_BEGIN;
}

static int in_time(const void *va, const void *vb)
{
	const struct moment *a = va, *b = vb;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	if (a->lets_on != b->lets_on)
		return a->lets_on ? -1 : 1;
	if (a->actor != b->actor)
		return a->actor < b->actor ? -1 : 1;
	return a->step < b->step ? -1 : a->step > b->step;
}

/*
 * At equal times, releases are first; but the order of one thread is kept.
 */
struct moment *script_moments(const struct burst *b, const struct script *s, size_t *n)
{
	struct moment *m = xcalloc(s->n + 1, sizeof(*m));

	*n = 0;
	for (size_t t = 0; t < b->n; t++) {
		uint32_t step = s->actor[t].first;
		int64_t at = -1;
		bool first = true;

		for (size_t i = 0; i < b->thread[t].n; i++) {
			const struct burst_event *e = &b->thread[t].event[i];

			if (!burst_is_deed(e->kind))
				continue;
			first = lets_go_on(e->kind) && (first || e->at_ns > at);
			at = e->at_ns > at ? e->at_ns : at;
			s->at_ns[step] = (double)at;
			m[(*n)++] = (struct moment){ .at_ns = at, .actor = (uint32_t)t, .step = step++, .event = e, .lets_on = first };
		}
	}
	if (*n)
		qsort(m, *n, sizeof(*m), in_time);
	return m;
}
