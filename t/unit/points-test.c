/* Points from outside the target: counters, visits, places that cost too much. */
#include "unit.h"

#include "an_arena.h"

#include <fcntl.h>

#include "recorder/points.h"

enum { SECOND = 1000000000 };

static struct points points;
static struct regions regions;
static struct journal journal;
static struct arena *arena;

static int setup(void **state)
{
	static char name[] = "place", *names[] = { name };

	(void)state;
	arena = an_arena();
	journal = (struct journal){ .fd = open("/dev/null", O_WRONLY) };
	points_init(&points, arena, &journal, &regions, names, 1);
	points_new_run(&points, arena, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	points_release(&points);
	close(journal.fd);
	buf_release(&journal.line);
	munmap(arena, sizeof(*arena));
	return 0;
}

static struct arena_point *counter(const char *name, enum point_kind kind)
{
	struct arena_point *p = &arena->point[arena_add_point(arena, name, kind) - 1];

	atomic_store(&p->counted, 1);
	return p;
}

static void kinds_are_different_points(void **state)
{
	int a = arena_add_point(arena, "x", POINT_THROUGHPUT);

	(void)state;
	assert_int_equal(arena_add_point(arena, "x", POINT_THROUGHPUT), a);
	assert_int_not_equal(arena_add_point(arena, "x", POINT_LATENCY), a);
	assert_int_not_equal(arena_add_point(arena, "x", POINT_BREAK), a);
	assert_int_equal(atomic_load(&arena->points_used), 3);
}

static void visits_are_those_of_threads_and_counters(void **state)
{
	struct arena_point *p = counter("x", POINT_THROUGHPUT);

	(void)state;
	atomic_store(&arena->threads_used, 2);
	atomic_store(&arena->visits[0][0], 3);
	atomic_store(&arena->visits[1][0], 4);
	atomic_store(&p->ends.count, 10);
	assert_int_equal(points_visits(&points, 0), 17);
	assert_int_equal(points_most_visits(&points), 17);
}

static void a_window_opens_and_closes_with_the_count(void **state)
{
	struct arena_point *p = counter("x", POINT_LATENCY);

	(void)state;
	atomic_store(&p->ends.count, 5);
	atomic_store(&p->begins.count, 6);
	points_expect(&points);
	assert_true(points_look(&points, 7, false)); /* not yet */
	assert_int_equal(atomic_load(&p->opened), 0);
	atomic_store(&p->ends.count, 8);
	assert_false(points_look(&points, 7, false));
	assert_int_equal(atomic_load(&p->opened), 7);
	assert_int_equal(p->open_count, 8);
	assert_int_equal(p->open_begins, 6);
	assert_true(p->open_ns > 0);

	/* Once. */
	atomic_store(&p->ends.count, 9);
	points_look(&points, 7, false);
	assert_int_equal(p->open_count, 8);

	points_expect(&points);
	assert_true(points_look(&points, 7, true));
	atomic_store(&p->ends.count, 20);
	atomic_store(&p->begins.count, 19);
	atomic_store(&arena->clock.owed_ns, SECOND);
	assert_false(points_look(&points, 7, true));
	assert_int_equal(atomic_load(&p->closed), 7);
	assert_int_equal(p->close_count, 20);
	assert_int_equal(p->close_begins, 19);
	/* It is a virtual clock: it excludes all delay inserted in that time. */
	assert_true(p->close_ns < p->open_ns);
}

static void what_is_not_open_is_not_closed(void **state)
{
	struct arena_point *p = counter("x", POINT_THROUGHPUT);

	(void)state;
	points_expect(&points);
	atomic_store(&p->ends.count, 1);
	assert_false(points_look(&points, 7, true));
	assert_int_equal(atomic_load(&p->closed), 0);
}

static void what_the_runtime_has_opened_stays(void **state)
{
	struct arena_point *p = counter("x", POINT_THROUGHPUT);

	(void)state;
	atomic_store(&p->open_taken, 7); /* by a thread that is about to open it */
	points_expect(&points);
	atomic_store(&p->ends.count, 1);
	points_look(&points, 7, false);
	assert_int_equal(atomic_load(&p->opened), 0);
}

static void points_of_the_runtime_are_not_looked_at(void **state)
{
	(void)state;
	arena_add_point(arena, "own", POINT_THROUGHPUT);
	points_expect(&points);
	assert_false(points_look(&points, 7, false));
}

/* A place that was found in the program, with hits that cost 10 us. */
static struct arena_point *place(void)
{
	struct wanted_point *w = &points.wanted[0];

	w->point = arena_add_point(arena, w->name, POINT_BREAK);
	w->placed = w->found = true;
	arena->brk[0] = (struct arena_break){ .place = 1, .point = (uint32_t)w->point };
	atomic_store(&arena->breaks_used, 1);
	atomic_store(&arena->break_cost_ns, 10000);
	atomic_store(&arena->threads_used, 1);
	return &arena->point[w->point - 1];
}

/* So many visits a second, for three of them; returns whether it is given up. */
static bool is_given_up(uint64_t rate)
{
	struct arena_point *p = place();
	uint32_t at = (uint32_t)(p - arena->point);
	bool given_up;

	unit_capture(2);
	for (int64_t ms = 0; ms < 3000; ms += 50) {
		atomic_store(&arena->visits[0][at], rate * (uint64_t)ms / 1000);
		points_cool(&points, SECOND + ms * 1000000);
	}
	free(unit_captured(2));
	given_up = atomic_load(&arena->brk[0].off) != 0;
	assert_int_equal(points_is_live(&points, at), !given_up);
	assert_int_equal(points.wanted[0].hot, given_up);
	return given_up;
}

static void four_per_cent_of_a_processor_is_fine(void **state)
{
	(void)state;
	assert_false(is_given_up(4000));
	assert_true(points_most_visits(&points) > 0);
}

static void six_per_cent_is_too_much(void **state)
{
	(void)state;
	assert_true(is_given_up(6000));
	/* A point that was given up does not count. */
	assert_int_equal(points_most_visits(&points), 0);
	assert_int_not_equal(atomic_load(&arena->breaks_version), 0);
}

static void what_a_thread_has_given_up_is_said(void **state)
{
	char *text;

	(void)state;
	place();
	points_cool(&points, SECOND);
	atomic_store(&arena->brk[0].off, BREAK_TOO_HOT);
	unit_capture(2);
	points_cool(&points, 2ll * SECOND);
	points_cool(&points, 3ll * SECOND);
	text = unit_captured(2);
	assert_non_null(strstr(text, "'place' is given up"));
	/* Once. */
	assert_null(strstr(strstr(text, "is given up") + 1, "is given up"));
	free(text);
}

static void a_new_run_does_not_try_again(void **state)
{
	(void)state;
	is_given_up(100000);
	points_new_run(&points, arena, 2);
	assert_true(points.wanted[0].hot);
	assert_int_equal(points.wanted[0].point, 0);
	points_place(&points);
	assert_int_equal(points.wanted[0].point, 0);
}

/* A function of a library that was placed as one whose calls are counted. */
static struct arena_call *library_function(void)
{
	struct wanted_point *w = &points.wanted[0];

	w->point = arena_add_point(arena, w->name, POINT_CALL);
	w->placed = w->found = true;
	w->call = &arena->call[2];
	w->at[0] = (struct spot){ .place = 77 };
	w->nat = 1;
	atomic_store(&arena->sampler, SAMPLER_PERF);
	return w->call;
}

static void names_of_functions_are_told_to_the_runtime(void **state)
{
	(void)state;
	points_prepare(&points, arena);
	assert_string_equal(arena->call[0].name, "place");
	assert_string_equal(arena->call[1].name, "");
}

static void what_is_no_name_is_not_told(void **state)
{
	static const char *const names[] = { "", "a*", "a.c:3", ":output", "a::b", "7up" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		points.wanted[0].name = points.wanted[0].symbol = names[i];
		points_prepare(&points, arena);
		assert_string_equal(arena->call[0].name, "");
	}
}

static void names_of_libraries_are_told_to_the_runtime(void **state)
{
	char a[] = "libx.so.1!f", b[] = "operator!=", *names[] = { a, b };

	(void)state;
	points_release(&points);
	points_init(&points, arena, &journal, &regions, names, 2);
	points_prepare(&points, arena);
	assert_string_equal(arena->call[0].name, "f");
	assert_string_equal(arena->call[0].library, "libx.so.1");
	assert_string_equal(arena->call[1].name, "");
	assert_true(library_is_called("/lib/libx.so.1.2", "libx.so.1", 9));
	assert_true(library_is_called("/lib/libx.so.1.2", "libx", 4));
	assert_false(library_is_called("/lib/libx.so.12", "libx.so.1", 9));
	assert_false(library_is_called("/lib/libxy.so", "libx", 4));
}

static void who_is_called_has_no_breakpoint(void **state)
{
	struct arena_call *call = library_function();

	(void)state;
	atomic_store(&call->seen, 1);
	for (int64_t s = 1; s < 5; s++)
		points_cool(&points, s * SECOND);
	assert_int_equal(atomic_load(&arena->breaks_used), 0);
}

static void who_is_never_called_gets_a_breakpoint(void **state)
{
	struct arena_call *call = library_function();

	(void)state;
	points_cool(&points, SECOND);
	points_cool(&points, SECOND + SECOND / 2);
	assert_int_equal(atomic_load(&arena->breaks_used), 0);
	points_cool(&points, 2ll * SECOND);
	points_cool(&points, 3ll * SECOND);
	assert_int_equal(atomic_load(&arena->breaks_used), 1);
	assert_int_equal(arena->brk[0].place, 77);
	assert_int_equal(arena->brk[0].call, 3);
	assert_int_equal(arena->brk[0].point, points.wanted[0].point);
	assert_true(points_is_live(&points, 0));
	/* Given up because it was hot: dead.  Given up because it is called: alive. */
	atomic_store(&arena->brk[0].off, BREAK_TOO_HOT);
	assert_false(points_is_live(&points, 0));
	atomic_store(&call->seen, 1);
	assert_true(points_is_live(&points, 0));
}

static void without_perf_it_gets_none(void **state)
{
	(void)state;
	library_function();
	atomic_store(&arena->sampler, SAMPLER_TIMER);
	for (int64_t s = 1; s < 5; s++)
		points_cool(&points, s * SECOND);
	assert_int_equal(atomic_load(&arena->breaks_used), 0);
	assert_false(points.wanted[0].refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_of_functions_are_told_to_the_runtime, setup, teardown),
		cmocka_unit_test_setup_teardown(names_of_libraries_are_told_to_the_runtime, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_name_is_not_told, setup, teardown),
		cmocka_unit_test_setup_teardown(who_is_called_has_no_breakpoint, setup, teardown),
		cmocka_unit_test_setup_teardown(who_is_never_called_gets_a_breakpoint, setup, teardown),
		cmocka_unit_test_setup_teardown(without_perf_it_gets_none, setup, teardown),
		cmocka_unit_test_setup_teardown(kinds_are_different_points, setup, teardown),
		cmocka_unit_test_setup_teardown(visits_are_those_of_threads_and_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(a_window_opens_and_closes_with_the_count, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_open_is_not_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(what_the_runtime_has_opened_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(points_of_the_runtime_are_not_looked_at, setup, teardown),
		cmocka_unit_test_setup_teardown(four_per_cent_of_a_processor_is_fine, setup, teardown),
		cmocka_unit_test_setup_teardown(six_per_cent_is_too_much, setup, teardown),
		cmocka_unit_test_setup_teardown(what_a_thread_has_given_up_is_said, setup, teardown),
		cmocka_unit_test_setup_teardown(a_new_run_does_not_try_again, setup, teardown),
	};

	return UNIT_MAIN(tests);
}
