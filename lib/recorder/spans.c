/*
 * Data that is read while threads write may miss a span in one place and have it in
 * another; but sums over all windows are right.
 *
 * The time between looks is random.  Otherwise a program that repeats itself with the
 * period of the looks would always be seen in the same state.
 */
#include "recorder/spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "format.h"
#include "format/record.h"
#include "target/shared.h"

enum {
	LOOK_LEAST_NS = 500000,        /* least time between looks */
	LOOK_SPREAD_NS = 2000000,      /* largest random time that is added */
	ENDS_JUDGED = 20,              /* ends of a point before it is judged */
	UNMATCHED_PCT = 5,             /* share of ends that may be missing, with little effect */
	PATIENCE = 1000,               /* attempts to read data that a thread is changing */
};

void spans_init(struct spans *s, struct arena *arena)
{
	struct span_sum *kept[ARENA_POINTS];

	memcpy(kept, s->before, sizeof kept);
	*s = (struct spans){ .arena = arena, .random = arena->seed | 1 };
	memcpy(s->before, kept, sizeof kept);
	for (uint32_t i = 0; i < ARENA_POINTS; i++)
		if (s->before[i])
			*s->before[i] = (struct span_sum){ 0 };
}

void spans_release(struct spans *s)
{
	for (uint32_t i = 0; i < ARENA_POINTS; i++)
		free(s->before[i]);
	*s = (struct spans){ .arena = NULL };
}

static uint32_t latency_points(const struct spans *s, uint32_t at[ARENA_POINTS])
{
	uint32_t used = arena_points(s->arena), n = 0;

	for (uint32_t i = 0; i < used; i++)
		if (shared_kind(s->arena, i) == POINT_LATENCY)
			at[n++] = i;
	return n;
}

/* The i-th struct of the arena, if it is for this point; else NULL. */
static const struct arena_spans *spans_at(const struct spans *s, uint32_t i, uint32_t point)
{
	const struct arena_spans *at = shared_spans(s->arena, i);

	/* Pairs with the release in spans_of. */
	return atomic_load_explicit(&at->point, memory_order_acquire) == point + 1 ? at : NULL;
}

static uint32_t places(const struct spans *s)
{
	return shared_places(s->arena);
}

uint64_t spans_begins(const struct spans *s, uint32_t point)
{
	uint64_t sum = atomic_load_explicit(&s->arena->point[point].begins.count, memory_order_relaxed);

	for (uint32_t i = 0; i < places(s); i++) {
		const struct arena_spans *at = spans_at(s, i, point);

		if (at)
			sum += atomic_load_explicit(&at->begins, memory_order_relaxed);
	}
	return sum;
}

static uint64_t ends(const struct spans *s, uint32_t point)
{
	return atomic_load_explicit(&s->arena->point[point].ends.count, memory_order_relaxed) + shared_visits(s->arena, point);
}

uint64_t spans_measured(const struct spans *s, uint32_t point)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < places(s); i++) {
		const struct arena_spans *at = spans_at(s, i, point);

		if (at)
			sum += atomic_load_explicit(&at->measured, memory_order_relaxed);
	}
	return sum;
}

/* ---- how many are open --------------------------------------------------------------- */

/* Are there too many ends without known begins? */
static bool is_unmatched(const struct spans *s, uint32_t point)
{
	uint64_t known = spans_measured(s, point), all = ends(s, point);

	return all >= ENDS_JUDGED && all > known && (all - known) * 100 > all * UNMATCHED_PCT;
}

/* Are some spans counted without their times? */
static bool has_counters(const struct spans *s, uint32_t point)
{
	const struct arena_point *at = &s->arena->point[point];

	return atomic_load_explicit(&at->begins.count, memory_order_relaxed) ||
	       atomic_load_explicit(&at->ends.count, memory_order_relaxed);
}

static void look_at_point(struct spans *s, uint32_t point, int64_t virtual_ns)
{
	struct span_flow *f = &s->flow[point];
	/* Ends are read first, so that no end is counted without its begin. */
	uint64_t ended = ends(s, point);
	int64_t open = (int64_t)(spans_begins(s, point) - ended);

	open = open > 0 ? open : 0;
	if (f->looked_ns) {
		double passed = (double)(virtual_ns - f->looked_ns);

		f->open_ns += passed * (double)(f->open + open) / 2;
		f->all_ns += passed;
	}
	f->open = open;
	f->looked_ns = virtual_ns;
}

static int64_t virtual_of(const struct spans *s, int64_t now_ns)
{
	return now_ns - vclock_owed(&s->arena->clock);
}

int64_t spans_look(struct spans *s, int64_t now_ns)
{
	uint32_t at[ARENA_POINTS], n = latency_points(s, at);
	bool on = false;

	for (uint32_t i = 0; i < n; i++) {
		struct span_flow *f = &s->flow[at[i]];

		f->on = f->on || (has_counters(s, at[i]) && is_unmatched(s, at[i]));
		if (!f->on)
			continue;
		look_at_point(s, at[i], virtual_of(s, now_ns));
		on = true;
	}
	if (!on)
		return 0;
	s->random = s->random * 6364136223846793005u + 1442695040888963407u;
	return LOOK_LEAST_NS + (int64_t)(s->random >> 33) % LOOK_SPREAD_NS;
}

/*
 * Reads counts and sums of one thread consistently.  If the thread was killed during a
 * change, takes them as they are.
 */
static void add_edge(const struct arena_spans *at, struct span_edge *sum)
{
	uint64_t begins, begins_ns, ended, ends_ns;
	uint32_t before, patience = PATIENCE;

	do {
		/* Pairs with the release of the writer: earlier changes are visible. */
		before = atomic_load_explicit(&at->changing, memory_order_acquire);
		begins = atomic_load_explicit(&at->begins, memory_order_relaxed);
		begins_ns = atomic_load_explicit(&at->begins_ns, memory_order_relaxed);
		ended = atomic_load_explicit(&at->ends, memory_order_relaxed);
		ends_ns = atomic_load_explicit(&at->ends_ns, memory_order_relaxed);
		/* Pairs with the fence of the writer: if data was read during a change, the number has changed. */
		atomic_thread_fence(memory_order_acquire);
	} while ((before & 1 || atomic_load_explicit(&at->changing, memory_order_relaxed) != before) && patience-- > 0);
	sum->begins += begins;
	sum->begins_ns += begins_ns;
	sum->ends += ended;
	sum->ends_ns += ends_ns;
}

static struct span_edge edge_of(const struct spans *s, uint32_t point, int64_t now_ns)
{
	struct span_edge e = { .virtual_ns = virtual_of(s, now_ns) };

	for (uint32_t i = 0; i < places(s); i++) {
		const struct arena_spans *at = spans_at(s, i, point);

		if (at)
			add_edge(at, &e);
	}
	return e;
}

/*
 * The integral of the number of open spans.  A span that was open at first counts until
 * the end; one that began counts from then until the end; and the time after the end of
 * a span is subtracted.  Sums of times wrap, but these differences are small again.
 */
static double mean_open(const struct span_edge *a, const struct span_edge *b)
{
	double length = (double)(b->virtual_ns - a->virtual_ns);
	uint64_t end = (uint64_t)b->virtual_ns;
	int64_t began = (int64_t)((b->begins - a->begins) * end - (b->begins_ns - a->begins_ns));
	int64_t ended = (int64_t)((b->ends - a->ends) * end - (b->ends_ns - a->ends_ns));
	double at_first = (double)(int64_t)(a->begins - a->ends), mean;

	if (!(length > 0))
		return -1;
	mean = at_first + ((double)began - (double)ended) / length;
	return mean > 0 ? mean : 0;
}

double spans_in_flight(const struct spans *s, uint32_t point)
{
	const struct span_flow *f = &s->flow[point];

	if (shared_kind(s->arena, point) != POINT_LATENCY)
		return -1;
	if (f->on)
		return f->all_ns > 0 ? f->open_ns / f->all_ns : -1;
	return is_unmatched(s, point) && !has_counters(s, point) && s->opened[point].virtual_ns
		       ? mean_open(&s->opened[point], &s->closed[point]) : -1;
}

/* ---- windows ----------------------------------------------------------------------------- */

static void sum_up(const struct spans *s, uint32_t point, struct span_sum *sum)
{
	*sum = (struct span_sum){ 0 };
	for (uint32_t i = 0; i < places(s); i++) {
		const struct arena_spans *at = spans_at(s, i, point);

		if (!at)
			continue;
		sum->measured += atomic_load_explicit(&at->measured, memory_order_relaxed);
		sum->crossing += atomic_load_explicit(&at->crossing, memory_order_relaxed);
		sum->virtual_ns += atomic_load_explicit(&at->virtual_ns, memory_order_relaxed);
		for (uint32_t k = 0; k < BUCKETS; k++)
			sum->bucket[k] += atomic_load_explicit(&at->bucket[k], memory_order_relaxed);
	}
}

void spans_open(struct spans *s, int64_t now_ns)
{
	uint32_t at[ARENA_POINTS], n = latency_points(s, at);

	spans_look(s, now_ns);
	memset(s->opened, 0, sizeof s->opened);
	for (uint32_t i = 0; i < n; i++) {
		s->opened[at[i]] = edge_of(s, at[i], now_ns);
		s->flow[at[i]].open_ns = s->flow[at[i]].all_ns = 0;
		if (!s->before[at[i]])
			s->before[at[i]] = xcalloc(1, sizeof(struct span_sum));
		sum_up(s, at[i], s->before[at[i]]);
	}
}

void spans_close(struct spans *s, int64_t now_ns)
{
	uint32_t at[ARENA_POINTS], n = latency_points(s, at);

	spans_look(s, now_ns);
	for (uint32_t i = 0; i < n; i++)
		s->closed[at[i]] = edge_of(s, at[i], now_ns);
}

/* Counts of buckets wrap; differences do not. */
static uint64_t add_buckets(struct buf *b, const struct span_sum *before, const struct span_sum *after)
{
	uint64_t all = 0;

	for (uint32_t k = 0; k < BUCKETS; k++) {
		uint32_t n = (uint32_t)(after->bucket[k] - before->bucket[k]);

		if (!n)
			continue;
		buf_addf(b, "%s%lld:%u", all ? "," : "", (long long)bucket_least(k), n);
		all += n;
	}
	return all;
}

void spans_log(struct spans *s, uint32_t point, uint64_t experiment, struct buf *b)
{
	const struct span_sum *before = s->before[point];
	struct buf buckets = BUF_INIT;
	struct span_sum *after;
	uint64_t n;

	s->last[point].count = 0;
	if (!before || spans_measured(s, point) == before->measured)
		return;
	after = xcalloc(1, sizeof(*after));
	sum_up(s, point, after);
	n = add_buckets(&buckets, before, after);
	s->last[point].count = n;
	s->last[point].virtual_ns = after->virtual_ns - before->virtual_ns;
	if (n) {
		record_begin(b, AW_LATENCY);
		record_u64(b, "experiment", experiment);
		record_str(b, "point", shared_name(s->arena, point));
		record_u64(b, "count", n);
		record_i64(b, "virtual_ns", s->last[point].virtual_ns);
		record_u64(b, "crossing", after->crossing - before->crossing);
		record_str(b, "buckets", buckets.s);
		record_end(b);
	}
	buf_release(&buckets);
	free(after);
}

void spans_as_visits(const struct spans *s, uint32_t point, double *count, double *time_ns)
{
	double open = spans_in_flight(s, point);

	if (open >= 0) {
		*time_ns *= open;
	} else if (s->last[point].count) {
		*count = (double)s->last[point].count;
		*time_ns = (double)s->last[point].virtual_ns;
	}
	/* As analyze does: no span has length 0. */
	*time_ns = *time_ns > 1 ? *time_ns : 1;
}
