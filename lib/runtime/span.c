/*
 * span: lengths of spans, which begin at one place in code and end at another.
 *
 * A span lasts from the virtual time V of its begin to that of its end, each on the
 * clock of the thread that is there.  Within a window, the clocks of two threads can be
 * compared: a thread that goes on because of another one has no earlier clock (lib/vclock).  All
 * accounts begin anew with each window.  So for a span that began in another window, the begin
 * is taken from the clock of a thread without debt, wall - G, which is continuous over the
 * switch.
 *
 * A begin is matched with an end in one of two ways.  Without a number, an end belongs
 * to the last begin of its thread.  An earlier begin that is still open counts as
 * abandoned.  An end without a begin (of a span that another thread began) is counted
 * as a visit, but not measured.  The recorder can compute a mean from the sums of the
 * times of all begins and all ends, without matching them.  With a number, the begin is
 * stored in a table, where any thread of the process finds it.
 *
 * Each thread has its own sums and histogram for each point, which stay with its slot;
 * the recorder takes differences over a window.
 *
 * Context: any.
 */
#include "event_log.h"
#include "moment.h"
#include "object_key.h"
#include "process.h"
#include "progress.h"
#include "reach.h"
#include "span.h"
#include "sync.h"
#include "thread.h"

enum { PROBES = 8, NO_SPANS = UINT16_MAX };

int span_number(const char *name)
{
	return arena ? arena_add_point(arena, name, POINT_LATENCY) : -1;
}

/* The arena_spans of the slot and the point; NULL when none is left. */
static struct arena_spans *spans_of(struct arena_thread *t, uint32_t point)
{
	struct arena_spans *s;
	uint32_t used;

	if (likely(t->spans[point] != 0))
		return t->spans[point] == NO_SPANS ? NULL : reach_spans(t->spans[point] - 1u);
	used = atomic_load_explicit(&arena->spans_used, memory_order_relaxed);
	do {
		if (used >= ARENA_SPANS) {
			t->spans[point] = NO_SPANS;
			return NULL;
		}
	} while (!atomic_compare_exchange_weak_explicit(&arena->spans_used, &used, used + 1, memory_order_relaxed,
							memory_order_relaxed));
	s = reach_spans(used);
	t->spans[point] = s ? (uint16_t)(used + 1) : NO_SPANS;
	/* Pairs with the recorder's acquire: before this store the struct belongs to no point. */
	if (s)
		atomic_store_explicit(&s->point, point + 1, memory_order_release);
	return s;
}

/* ---- begin and end of one span --------------------------------------------------- */

/* A sequence lock, so that the recorder reads a count and its sum consistently. */
static void note_length(struct arena_spans *s, _Atomic uint64_t *count, _Atomic uint64_t *sum, int64_t virt)
{
	uint32_t n = atomic_load_explicit(&s->changing, memory_order_relaxed);

	atomic_store_explicit(&s->changing, n + 1, memory_order_relaxed);
	/* Pairs with the fences of the recorder: it sees the odd number if it sees one of the two changed. */
	atomic_thread_fence(memory_order_release);
	counter_add(count, 1);
	counter_add(sum, (uint64_t)virt);
	atomic_store_explicit(&s->changing, n + 2, memory_order_release);
}

static void note_begin(const struct arena_thread *t, struct arena_begin *b, int64_t now, int64_t virt)
{
	atomic_store_explicit(&b->own_ns, virt, memory_order_relaxed);
	atomic_store_explicit(&b->even_ns, now - vclock_owed(&arena->clock), memory_order_relaxed);
	atomic_store_explicit(&b->window, atomic_load_explicit(&t->account.window, memory_order_relaxed), memory_order_relaxed);
}

static void measure_span(const struct arena_thread *t, struct arena_spans *s, const struct arena_begin *b, int64_t virt)
{
	bool crossing = atomic_load_explicit(&b->window, memory_order_relaxed) !=
			atomic_load_explicit(&t->account.window, memory_order_relaxed);
	int64_t length = virt - atomic_load_explicit(crossing ? &b->even_ns : &b->own_ns, memory_order_relaxed);
	_Atomic uint32_t *bucket = &s->bucket[bucket_of(length)];

	atomic_store_explicit(bucket, atomic_load_explicit(bucket, memory_order_relaxed) + 1, memory_order_relaxed);
	atomic_store_explicit(&s->virtual_ns, atomic_load_explicit(&s->virtual_ns, memory_order_relaxed) + length,
			      memory_order_relaxed);
	if (unlikely(crossing))
		counter_add(&s->crossing, 1);
	counter_add(&s->measured, 1);
}

/* ---- spans with numbers ------------------------------------------------------------ */

/* The key includes the process, because numbers may be addresses, which are not unique among processes. */
static uint64_t key_of_span(uint32_t point, uint64_t number)
{
	return key_of(KEY_SPAN, (uint64_t)process_number() << 32 | point, number);
}

static struct arena_numbered *place_numbered(uint64_t key, uint32_t probe)
{
	return &arena->numbered[((key >> 32) + probe) % ARENA_NUMBERED];
}

static struct arena_numbered *find_numbered(uint64_t key)
{
	for (uint32_t i = 0; i < PROBES; i++)
		if (atomic_load_explicit(&place_numbered(key, i)->key, memory_order_relaxed) == key)
			return place_numbered(key, i);
	return NULL;
}

/*
 * The entry of the span, if it was begun before, or a free one.  If there is none, an entry
 * of another span is overwritten, whose end will then not find it.
 */
static struct arena_begin *take_place(uint64_t key)
{
	struct arena_numbered *n = find_numbered(key);

	if (n)
		return &n->begin;
	for (uint32_t i = 0; i < PROBES; i++) {
		uint64_t is_free = 0;

		n = place_numbered(key, i);
		if (atomic_load_explicit(&n->key, memory_order_relaxed) == 0 &&
		    atomic_compare_exchange_strong_explicit(&n->key, &is_free, key, memory_order_relaxed, memory_order_relaxed))
			return &n->begin;
	}
	n = place_numbered(key, (uint32_t)(key >> 1) % PROBES);
	/* Acquire and release: the begin of the other changes after its key has, so that its end notices (below). */
	atomic_exchange_explicit(&n->key, key, memory_order_acq_rel);
	return &n->begin;
}

/* Takes the span out of the table.  The program guarantees that the end comes after the begin. */
static bool take_begin(uint64_t key, struct arena_begin *out)
{
	struct arena_numbered *n = find_numbered(key);

	if (!n)
		return false;
	atomic_store_explicit(&out->own_ns, atomic_load_explicit(&n->begin.own_ns, memory_order_acquire), memory_order_relaxed);
	atomic_store_explicit(&out->even_ns, atomic_load_explicit(&n->begin.even_ns, memory_order_acquire), memory_order_relaxed);
	atomic_store_explicit(&out->window, atomic_load_explicit(&n->begin.window, memory_order_acquire), memory_order_relaxed);
	return atomic_compare_exchange_strong_explicit(&n->key, &key, 0, memory_order_acq_rel, memory_order_relaxed);
}

/* ---- called by the program --------------------------------------------------------- */

static struct arena_thread *caller(int point)
{
	struct arena_thread *t = self.slot;

	/* Busy: in a signal handler that has interrupted the runtime. */
	return likely(t && arena && !self.busy && (uint32_t)point - 1 < ARENA_POINTS) ? t : NULL;
}

static void begin_span(int point, const uint64_t *number)
{
	struct arena_thread *t = caller(point);
	struct arena_spans *s;
	uint32_t at = (uint32_t)point - 1;
	int64_t now, virt;

	if (!t)
		return;
	runtime_enter();
	s = spans_of(t, at);
	/* Work before this moment does not belong to the span. */
	account_up_to_here(&arena->point[at].begins);
	now = now_ns();
	if (event_on())
		event_note(t, BURST_BEGIN, now, 0, (uint64_t)point, number ? *number : 0, NULL);
	virt = now - vclock_delay(&self.clock);
	if (s)
		note_length(s, &s->begins, &s->begins_ns, virt);
	else
		atomic_fetch_add_explicit(&arena->point[at].begins.count, 1, memory_order_relaxed);
	if (number) {
		note_begin(t, take_place(key_of_span(at, *number)), now, virt);
	} else if (s) {
		s->tid = t->tid;
		note_begin(t, &s->begin, now, virt);
	}
	runtime_leave();
}

static void end_span(int point, const uint64_t *number)
{
	struct arena_thread *t = caller(point);
	struct arena_spans *s;
	struct arena_begin begun;
	uint32_t at = (uint32_t)point - 1;
	int64_t now, virt;

	if (!t)
		return;
	runtime_enter();
	s = spans_of(t, at);
	/* Credits the thread for its work up to now, before its clock is read. */
	account_up_to_here(&arena->point[at]);
	now = now_ns();
	if (event_on())
		event_note(t, BURST_END, now, 0, (uint64_t)point, number ? *number : 0, NULL);
	virt = now - vclock_delay(&self.clock);
	if (s)
		note_length(s, &s->ends, &s->ends_ns, virt);
	if (number) {
		if (take_begin(key_of_span(at, *number), &begun) && s)
			measure_span(t, s, &begun, virt);
	} else if (s && s->tid == t->tid) {
		s->tid = 0;
		measure_span(t, s, &s->begin, virt);
	}
	counter_add(&self.visits[at], 1);
	point_open_or_close(at);
	runtime_leave();
}

void span_begin(int point)
{
	begin_span(point, NULL);
}

void span_end(int point)
{
	end_span(point, NULL);
}

void span_begin_numbered(int point, unsigned long number)
{
	uint64_t n = number;

	begin_span(point, &n);
}

void span_end_numbered(int point, unsigned long number)
{
	uint64_t n = number;

	end_span(point, &n);
}
