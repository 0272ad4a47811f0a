/* Spans from outside the target: differences of histograms, and numbers of open spans. */
#include "unit.h"

#include "an_arena.h"

#include "recorder/spans.h"
#include "target/shared.h"

enum { MS = 1000000, SECOND = 1000 * MS };

static struct spans spans;
static struct arena *arena;
static struct buf line;

static int setup(void **state)
{
	(void)state;
	arena = an_arena();
	spans_init(&spans, arena);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	spans_release(&spans);
	buf_release(&line);
	munmap(arena, sizeof(*arena));
	return 0;
}

static uint32_t point(const char *name)
{
	return (uint32_t)arena_add_point(arena, name, POINT_LATENCY) - 1;
}

/* A thread, with the place where it measures spans of the point. */
static struct arena_spans *thread_at(uint32_t at)
{
	uint32_t used = atomic_load(&arena->spans_used);

	atomic_store(&shared_spans(arena, used)->point, at + 1);
	atomic_store(&arena->spans_used, used + 1);
	atomic_store(&arena->threads_used, used + 1);
	return shared_spans(arena, used);
}

/* Visits that it has counted. */
static _Atomic uint64_t *visits_of(const struct arena_spans *s)
{
	uint32_t i = 0;

	while (shared_spans(arena, i) != s)
		i++;
	return &arena->visits[i][atomic_load(&s->point) - 1];
}

static void measure(struct arena_spans *s, int64_t ns, unsigned n, unsigned crossing)
{
	_Atomic uint64_t *visits = visits_of(s);

	atomic_store(&s->begins, atomic_load(&s->begins) + n);
	atomic_store(&s->measured, atomic_load(&s->measured) + n);
	atomic_store(&s->crossing, atomic_load(&s->crossing) + crossing);
	atomic_store(&s->virtual_ns, atomic_load(&s->virtual_ns) + (int64_t)n * ns);
	atomic_store(&s->bucket[bucket_of(ns)], atomic_load(&s->bucket[bucket_of(ns)]) + n);
	atomic_store(visits, atomic_load(visits) + n);
}

static const char *logged(uint32_t at)
{
	buf_clear(&line);
	spans_log(&spans, at, 7, &line);
	return line.len ? line.s : "";
}

/* The estimator's input for 10 visits in 100 ns. */
static void check_visits(uint32_t at, double count, double time_ns)
{
	double c = 10, t = 100;

	spans_as_visits(&spans, at, &c, &t);
	assert_true(c >= count && c <= count && t > time_ns - 0.1 && t < time_ns + 0.1);
}

static void a_window_is_a_difference(void **state)
{
	uint32_t x = point("x"), y = point("y");
	struct arena_spans *a = thread_at(x), *b = thread_at(y), *c = thread_at(x);

	(void)state;
	measure(a, 100, 5, 1);
	measure(b, 100, 5, 0);
	spans_open(&spans, SECOND);
	assert_string_equal(logged(x), "");
	measure(a, 100, 2, 0);
	measure(a, 50, 1, 1);
	measure(c, 100, 4, 0);
	measure(b, -3, 1, 0);
	assert_string_equal(logged(x), "latency\texperiment=7\tpoint=x\tcount=7\tvirtual_ns=650\tcrossing=1\tbuckets=50:1,100:6\n");
	check_visits(x, 7, 650);
	assert_string_equal(logged(y), "latency\texperiment=7\tpoint=y\tcount=1\tvirtual_ns=-3\tcrossing=0\tbuckets=0:1\n");
	check_visits(y, 1, 1);
	/* The next window begins where this one ends. */
	spans_open(&spans, 2 * (int64_t)SECOND);
	assert_string_equal(logged(x), "");
	check_visits(x, 10, 100);
	assert_int_equal(spans_begins(&spans, x), 12);
	assert_int_equal(spans_measured(&spans, x), 12);
}

static void counts_of_buckets_may_wrap(void **state)
{
	uint32_t x = point("x");
	struct arena_spans *a = thread_at(x);

	(void)state;
	atomic_store(&a->bucket[50], UINT32_MAX);
	spans_open(&spans, SECOND);
	measure(a, 50, 2, 0);
	assert_non_null(strstr(logged(x), "buckets=50:2\n"));
}

/* A point that is come to in the middle of a window is of the next one. */
static void a_late_point_waits(void **state)
{
	uint32_t x;

	(void)state;
	spans_open(&spans, SECOND);
	x = point("x");
	measure(thread_at(x), 50, 2, 0);
	assert_string_equal(logged(x), "");
}

static void what_is_matched_is_not_looked_at(void **state)
{
	uint32_t x = point("x");

	(void)state;
	measure(thread_at(x), 50, 1000, 0);
	assert_int_equal(spans_look(&spans, SECOND), 0);
	assert_true(spans_in_flight(&spans, x) < 0);
}

static void what_is_not_is_counted_while_it_is_open(void **state)
{
	uint32_t x = point("x");
	struct arena_point *p = &arena->point[x];

	(void)state;
	atomic_store(&p->begins.count, 103);
	atomic_store(&p->ends.count, 100);
	for (int i = 0; i < 100; i++) {
		int64_t next = spans_look(&spans, SECOND + i * MS);

		assert_true(next > 0 && next < 10 * MS);
	}
	spans_open(&spans, 2 * (int64_t)SECOND);
	/* Three open for 10 ms, then one for 30 ms; the change lies between two looks. */
	spans_look(&spans, 2 * (int64_t)SECOND + 10 * MS);
	atomic_store(&p->ends.count, 102);
	spans_look(&spans, 2 * (int64_t)SECOND + 10 * MS);
	spans_look(&spans, 2 * (int64_t)SECOND + 40 * MS);
	assert_true(spans_in_flight(&spans, x) > 1.49 && spans_in_flight(&spans, x) < 1.51);
	/* Inserted time is not visible. */
	atomic_store(&arena->clock.owed_ns, 100 * MS);
	spans_look(&spans, 2 * (int64_t)SECOND + 140 * MS);
	assert_true(spans_in_flight(&spans, x) > 1.49 && spans_in_flight(&spans, x) < 1.51);
	/* Ends of spans that began before the first look. */
	atomic_store(&p->ends.count, 200);
	spans_look(&spans, 2 * (int64_t)SECOND + 150 * MS);
	assert_true(spans_in_flight(&spans, x) >= 0);
	/* Another run knows nothing of it. */
	spans_init(&spans, arena);
	assert_true(spans_in_flight(&spans, x) < 0);
}

/* A begin (or an end) without the other, at a virtual time; far from 0, so that sums of times wrap. */
static void mark(struct arena_spans *s, bool end, int64_t ns)
{
	_Atomic uint64_t *count = end ? &s->ends : &s->begins, *sum = end ? &s->ends_ns : &s->begins_ns;

	atomic_store(count, atomic_load(count) + 1);
	atomic_store(sum, atomic_load(sum) + (uint64_t)ns);
	if (end)
		atomic_store(visits_of(s), atomic_load(visits_of(s)) + 1);
}

static void times_of_begins_and_ends_are_enough(void **state)
{
	const int64_t far = INT64_MAX / 4;
	uint32_t x = point("x");
	struct arena_spans *a = thread_at(x), *b = thread_at(x);

	(void)state;
	/* 32 have come and gone, and two are open. */
	for (int i = 0; i < 34; i++)
		mark(a, false, far - SECOND + i);
	for (int i = 0; i < 32; i++)
		mark(b, true, far - SECOND + 100 + i);
	assert_int_equal(spans_look(&spans, far), 0); /* no need to */
	spans_open(&spans, far);
	/* For 40 ms of 100 there is one more, and for the last 10 one less than at first. */
	mark(a, false, far + 20 * MS);
	mark(b, true, far + 60 * MS);
	mark(b, true, far + 90 * MS);
	spans_close(&spans, far + 100 * MS);
	assert_true(spans_in_flight(&spans, x) > 2.2999 && spans_in_flight(&spans, x) < 2.3001);
	check_visits(x, 10, 230);
	/* In virtual time. */
	spans_open(&spans, far + 100 * MS);
	mark(b, true, far + 120 * MS);
	atomic_store(&arena->clock.owed_ns, 60 * MS);
	spans_close(&spans, far + 200 * MS);
	assert_true(spans_in_flight(&spans, x) > 0.4999 && spans_in_flight(&spans, x) < 0.5001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_window_is_a_difference, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_of_buckets_may_wrap, setup, teardown),
		cmocka_unit_test_setup_teardown(a_late_point_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_matched_is_not_looked_at, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_is_counted_while_it_is_open, setup, teardown),
		cmocka_unit_test_setup_teardown(times_of_begins_and_ends_are_enough, setup, teardown),
	};

	return UNIT_MAIN(tests);
}
