/*
 * Virtual clocks, rule by rule, with exact times.  Whole programs are in
 * vclock-programs-test.c.
 */
#include "unit.h"

#include "vclock/vclock.h"

enum { THREADS = 4, US = 1000, MS = 1000 * 1000, HALF = 1 << 15, ALL = 1 << 16 };

/* Keys whose objects have places of their own. */
#define KEY(n) ((uint64_t)(n) << 40)

static struct vclock_world *world;
static struct vclock_account account[THREADS];
static struct vclock_memory *memory[THREADS];
static struct vclock clock_of[THREADS];

/* Thread i, on the processor of that number, unless a test says otherwise. */
#define T(i) (&clock_of[i])

static struct vclock_moment at(int64_t ns, uint32_t processor)
{
	return (struct vclock_moment){ .ns = ns, .processor = processor };
}

/* A window in which `region` is sped up by half. */
static void begin_window(uint32_t number, uint32_t region, int64_t now)
{
	atomic_store(&world->floor_ns, vclock_owed(world));
	atomic_store(&world->began_ns, now);
	atomic_store(&world->region, region);
	atomic_store(&world->speedup, HALF);
	atomic_store(&world->window_word, window_word(number, 0));
}

static int set_up(void **state)
{
	(void)state;
	world = calloc(1, sizeof(*world));
	assert_non_null(world);
	world->period_ns = MS;
	begin_window(1, 1, 0);
	for (unsigned i = 0; i < THREADS; i++) {
		memory[i] = calloc(1, sizeof(*memory[i]));
		assert_non_null(memory[i]);
		memset(&account[i], 0, sizeof(account[i]));
		vclock_open_account(&account[i], world, NULL);
		vclock_begin(T(i), world, &account[i], memory[i], i + 1);
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < THREADS; i++)
		free(memory[i]);
	free(world);
	return 0;
}

/* ---- credit ------------------------------------------------------------------------ */

static void all_others_owe_what_one_is_credited(void **state)
{
	(void)state;
	vclock_credit(T(0), 500 * US);
	assert_int_equal(vclock_owed(world), 500 * US);
	assert_int_equal(vclock_debt(T(0)), 0);
	assert_int_equal(vclock_debt(T(1)), 500 * US);
	/* Its clock has gone back by as much. */
	assert_int_equal(vclock_time(T(0), 10 * MS), 10 * MS - 500 * US);
	assert_int_equal(vclock_time(T(1), 10 * MS), 10 * MS);
}

static void two_that_work_in_the_region_at_a_time_owe_each_other_nothing(void **state)
{
	(void)state;
	vclock_credit(T(0), 500 * US);
	vclock_credit(T(1), 500 * US);
	assert_int_equal(vclock_owed(world), 500 * US);
	assert_int_equal(vclock_debt(T(0)), 0);
	assert_int_equal(vclock_debt(T(1)), 0);
	assert_int_equal(vclock_debt(T(2)), 500 * US);
}

static void what_one_has_overslept_others_need_not_sleep(void **state)
{
	(void)state;
	vclock_set_delay(T(0), 300 * US); /* G is 0 */
	vclock_credit(T(0), 100 * US);
	assert_int_equal(vclock_owed(world), 100 * US);
	assert_int_equal(vclock_debt(T(0)), -300 * US);
}

static void small_credits_are_gathered_and_none_is_lost(void **state)
{
	(void)state;
	vclock_credit_work(T(0), 10 * US);
	vclock_credit_work(T(0), 10 * US);
	assert_int_equal(vclock_owed(world), 0);
	assert_int_equal(vclock_delay(T(0)), 20 * US); /* its own clock is right at once */
	vclock_credit_work(T(0), 10 * US);
	assert_int_equal(vclock_owed(world), 30 * US);
	assert_int_equal(vclock_delay(T(0)), 30 * US);
	assert_int_equal(atomic_load(&account[0].credit_ns), 30 * US);
}

static void a_window_begins_all_accounts_anew(void **state)
{
	(void)state;
	vclock_credit_work(T(0), 20 * US); /* gathered */
	vclock_credit(T(1), 700 * US);
	vclock_set_delay(T(2), 900 * US); /* prepaid */
	begin_window(2, 1, 5 * MS);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(vclock_debt(T(i)), 0);
	/* Credit gathered in the last window does not count in this one. */
	vclock_credit_work(T(0), 30 * US);
	assert_int_equal(vclock_debt(T(3)), 30 * US);
}

static void a_new_thread_has_the_clock_of_its_creator(void **state)
{
	struct vclock_account child = { 0 };

	(void)state;
	vclock_credit(T(0), 500 * US);
	vclock_open_account(&child, world, T(1)); /* which owes that */
	assert_int_equal(atomic_load(&child.delay_ns), vclock_delay(T(1)));
	vclock_open_account(&child, world, NULL);
	assert_int_equal(atomic_load(&child.delay_ns), 500 * US);
}

/* ---- pay ---------------------------------------------------------------------------- */

static void what_a_pause_oversleeps_is_prepaid(void **state)
{
	(void)state;
	vclock_credit(T(0), 500 * US);
	vclock_paused(T(1), 500 * US, 520 * US, true, at(10 * MS, 1));
	assert_int_equal(vclock_debt(T(1)), -20 * US);
	/* In virtual time the pause never was. */
	assert_int_equal(vclock_time(T(1), 10 * MS), 10 * MS - 520 * US);
}

static void a_sleep_that_is_long_is_prepaid_too(void **state)
{
	(void)state;
	vclock_credit(T(0), 500 * US);
	vclock_paused(T(1), 500 * US, 3 * MS, false, at(10 * MS, 1));
	assert_int_equal(vclock_debt(T(1)), -2500 * US);
}

/* It wanted to spin for 0.5 ms, and was displaced for 2 ms by a thread that is credited nothing. */
static void a_thread_preempted_while_it_pays_has_only_queued(void **state)
{
	(void)state;
	vclock_credit(T(0), 500 * US);
	vclock_stand(T(1), vclock_time(T(1), 10 * MS), at(10 * MS, 0));
	vclock_keep_processor(T(2), at(10500 * US, 0)); /* its clock is 10.5 ms */
	vclock_paused(T(1), 500 * US, 2500 * US, true, at(12500 * US, 0));
	/* V as it became ready to run: 10.0 ms; that of the processor: 10.0 + 2.0 ms. */
	assert_int_equal(vclock_time(T(1), 12500 * US), 12 * MS);
	assert_int_equal(vclock_debt(T(1)), 0);
}

/* ---- release, acquire ------------------------------------------------------------------ */

/* Thread i waits from `since` on. */
static struct vclock_wait waits(unsigned i, int64_t since)
{
	struct vclock_wait w;

	vclock_wait_begin(T(i), &w, at(since, i));
	return w;
}

static void a_waiter_goes_on_no_earlier_than_the_release(void **state)
{
	struct vclock_wait w = waits(1, 5 * MS);

	(void)state;
	vclock_credit(T(0), 2 * MS);
	vclock_release(T(0), KEY(1), 10 * MS); /* V = 8 ms */
	assert_true(vclock_wait_by_peer(T(1), &w, KEY(1), 0, at(10 * MS, 1)));
	assert_int_equal(vclock_time(T(1), 10 * MS), 8 * MS);
	/* It does not owe the other thread's credit, because it waited for that thread. */
	assert_int_equal(vclock_debt(T(1)), 0);
}

static void time_since_the_release_has_passed_for_both(void **state)
{
	struct vclock_wait w = waits(1, 5 * MS);

	(void)state;
	vclock_credit(T(0), 2 * MS);
	vclock_release(T(0), KEY(1), 10 * MS);
	vclock_wait_by_peer(T(1), &w, KEY(1), 0, at(10030 * US, 1)); /* woken 30 us later */
	assert_int_equal(vclock_time(T(1), 10030 * US), 8030 * US);
}

/* Beyond the knee: the waiter was credited 3 ms, which buys it nothing. */
static void a_credit_that_leads_to_waiting_is_taken_back(void **state)
{
	struct vclock_wait w;

	(void)state;
	vclock_credit(T(1), 3 * MS);
	w = waits(1, 5 * MS); /* V = 2 ms */
	vclock_paused(T(0), 3 * MS, 3 * MS, true, at(10 * MS, 0));
	vclock_release(T(0), KEY(1), 12 * MS); /* V = 9 ms */
	vclock_wait_by_peer(T(1), &w, KEY(1), 0, at(12 * MS, 1));
	assert_int_equal(vclock_time(T(1), 12 * MS), 9 * MS);
	assert_int_equal(vclock_debt(T(1)), 0);
}

static void a_waiter_is_no_earlier_than_it_came(void **state)
{
	struct vclock_wait w = waits(1, 9 * MS);

	(void)state;
	vclock_credit(T(0), 2 * MS);
	vclock_release(T(0), KEY(1), 10 * MS); /* V = 8 ms, before the waiter came */
	vclock_wait_by_peer(T(1), &w, KEY(1), 0, at(10 * MS, 1));
	assert_int_equal(vclock_time(T(1), 10 * MS), 9 * MS);
}

static void the_latest_release_of_a_barrier_counts(void **state)
{
	struct vclock_wait w = waits(2, MS);

	(void)state;
	vclock_credit(T(0), 4 * MS);
	vclock_release(T(1), KEY(1), 10 * MS); /* V = 10 ms */
	vclock_release(T(0), KEY(1), 11 * MS); /* V = 7 ms, though later in real time */
	vclock_wait_by_peer(T(2), &w, KEY(1), 0, at(11 * MS, 2));
	assert_int_equal(vclock_time(T(2), 11 * MS), 10 * MS);
}

static void what_was_there_already_is_not_had_before_it_was_released(void **state)
{
	(void)state;
	vclock_credit(T(1), 3 * MS);
	vclock_release(T(0), KEY(1), 10 * MS); /* V = 10 ms */
	vclock_acquire(T(1), KEY(1), 10500 * US); /* V was 7.5 ms */
	assert_int_equal(vclock_time(T(1), 10500 * US), 10 * MS);
}

static void a_later_clock_is_left_alone(void **state)
{
	(void)state;
	vclock_credit(T(0), 3 * MS);
	vclock_release(T(0), KEY(1), 10 * MS); /* V = 7 ms */
	vclock_acquire(T(1), KEY(1), 10 * MS);
	assert_int_equal(vclock_time(T(1), 10 * MS), 10 * MS);
}

static void its_own_release_does_not_bind_a_thread(void **state)
{
	(void)state;
	vclock_release(T(0), KEY(1), 10 * MS);
	vclock_credit(T(0), MS); /* for work of before */
	vclock_acquire(T(0), KEY(1), 10 * MS);
	assert_int_equal(vclock_time(T(0), 10 * MS), 9 * MS);
}

static void of_two_objects_the_later_released_counts(void **state)
{
	struct vclock_wait w = waits(2, MS);

	(void)state;
	vclock_credit(T(1), 2 * MS);
	vclock_release(T(0), KEY(1), 9 * MS);  /* V = 9 ms */
	vclock_release(T(1), KEY(2), 10 * MS); /* V = 8 ms */
	vclock_wait_by_peer(T(2), &w, KEY(1), KEY(2), at(10 * MS, 2));
	assert_int_equal(vclock_time(T(2), 10 * MS), 8 * MS);
}

static void what_was_released_before_the_wait_was_not_waited_for(void **state)
{
	struct vclock_wait w;

	(void)state;
	vclock_release(T(0), KEY(1), 10 * MS);
	w = waits(1, 11 * MS);
	assert_false(vclock_wait_by_peer(T(1), &w, KEY(1), 0, at(12 * MS, 1)));
	assert_int_equal(vclock_time(T(1), 12 * MS), 12 * MS);
}

static void a_releaser_without_history_has_paid(void **state)
{
	struct vclock_wait w = waits(1, 5 * MS);

	(void)state;
	vclock_credit(T(0), 2 * MS);
	assert_true(vclock_wait_by_peer(T(1), &w, KEY(7), 0, at(10 * MS, 1)));
	assert_int_equal(vclock_time(T(1), 10 * MS), 8 * MS);
	assert_int_equal(vclock_debt(T(1)), 0);
}

static void a_release_of_another_window_is_forgotten(void **state)
{
	(void)state;
	vclock_release(T(0), KEY(1), 10 * MS);
	assert_int_equal(vclock_released_at(world, KEY(1)), 10 * MS);
	begin_window(2, 1, 11 * MS);
	assert_int_equal(vclock_released_at(world, KEY(1)), 0);
}

static void a_wait_that_a_window_begins_in_begins_with_that(void **state)
{
	struct vclock_wait w = waits(1, 5 * MS);

	(void)state;
	vclock_credit(T(0), 2 * MS);
	begin_window(2, 1, 11 * MS);
	vclock_release(T(0), KEY(1), 12 * MS); /* D = the floor, 2 ms: V = 10 ms */
	vclock_wait_by_peer(T(1), &w, KEY(1), 0, at(12 * MS, 1));
	assert_int_equal(vclock_time(T(1), 12 * MS), 10 * MS);
	assert_int_equal(vclock_debt(T(1)), 0);
}

static void two_objects_in_one_place_are_not_mixed_up(void **state)
{
	const uint64_t other = KEY(1 + VCLOCK_OBJECTS);

	(void)state;
	vclock_release(T(0), KEY(1), 10 * MS);
	vclock_release(T(1), other, 11 * MS);
	assert_int_equal(vclock_released_at(world, KEY(1)), 0);
	assert_int_equal(vclock_released_at(world, other), 11 * MS);
}

/* ---- free locks ----------------------------------------------------------------------- */

static void holds(unsigned i, int64_t from, int64_t until)
{
	vclock_has_lock(T(i), KEY(1), from);
	vclock_release(T(i), KEY(1), until);
}

/* Thread 1, credited so much, takes the lock, which is free, at 10.1 ms.  Returns its V then. */
static int64_t takes(int64_t credit)
{
	vclock_credit(T(1), credit);
	vclock_lock(T(1), KEY(1), 10100 * US);
	return vclock_time(T(1), 10100 * US);
}

static void the_next_holder_is_no_earlier_than_the_last_one(void **state)
{
	(void)state;
	holds(0, 9000 * US, 9200 * US);
	holds(0, 9800 * US, 10 * MS);
	/* At 9.9 ms on its clock the other one had the lock. */
	assert_int_equal(takes(200 * US), 10 * MS);
}

static void a_thread_passes_by_where_the_lock_was_free(void **state)
{
	(void)state;
	holds(0, 9000 * US, 9200 * US);
	holds(0, 9800 * US, 10 * MS);
	/* From 9.2 to 9.8 ms it was: 0.2 ms, as long as the last one, fit in. */
	assert_int_equal(takes(700 * US), 9400 * US);
}

static void but_not_where_it_was_not(void **state)
{
	(void)state;
	holds(0, 9000 * US, 9200 * US);
	holds(0, 9300 * US, 9700 * US);
	holds(0, 9700 * US, 10 * MS);
	/* Free for 0.1 ms of late: it had to queue. */
	assert_int_equal(takes(700 * US), 10 * MS);
}

static void nor_where_another_one_has_passed_by(void **state)
{
	(void)state;
	holds(0, 9000 * US, 9200 * US);
	holds(0, 9800 * US, 10 * MS);
	vclock_credit(T(2), 700 * US);
	vclock_lock(T(2), KEY(1), 10 * MS);
	assert_int_equal(vclock_time(T(2), 10 * MS), 9300 * US);
	vclock_release(T(2), KEY(1), 10050 * US);
	/* That one needed 50 us of the 450 that are remembered.  There is still room for a thread like that, */
	assert_int_equal(takes(700 * US), 9400 * US);
	vclock_release(T(1), KEY(1), 10500 * US);
	/* but this one needed 400, and then there is none. */
	vclock_credit(T(3), 2 * MS);
	vclock_lock(T(3), KEY(1), 10500 * US);
	assert_int_equal(vclock_time(T(3), 10500 * US), 10 * MS);
}

/* Thread i shares the lock from one time to another. */
static void shares(unsigned i, int64_t from, int64_t until)
{
	vclock_lock_shared(T(i), KEY(1), from);
	vclock_release(T(i), KEY(1), until);
}

static void readers_do_not_follow_each_other(void **state)
{
	(void)state;
	shares(0, 9 * MS, 10 * MS);
	vclock_credit(T(1), 700 * US);
	shares(1, 10100 * US, 10200 * US); /* in virtual time from 9.4 ms on, with the other one */
	assert_int_equal(vclock_time(T(1), 10200 * US), 9500 * US);
}

static void a_reader_follows_the_writer(void **state)
{
	(void)state;
	vclock_lock(T(0), KEY(1), 9 * MS);
	vclock_release_unshared(T(0), KEY(1), 10 * MS);
	shares(2, 10 * MS, 10050 * US);
	vclock_credit(T(1), 700 * US);
	shares(1, 10100 * US, 10200 * US);
	assert_int_equal(vclock_time(T(1), 10200 * US), 10100 * US);
}

static void a_writer_follows_the_readers(void **state)
{
	(void)state;
	shares(0, 9 * MS, 10 * MS);
	assert_int_equal(takes(700 * US), 10 * MS);
}

/* Of two that waited for the writer, the first one has read, and gone, before the second one is awake. */
static void a_reader_has_waited_for_the_writer(void **state)
{
	struct vclock_wait w = waits(1, 7 * MS);

	(void)state;
	vclock_credit(T(0), 2 * MS);
	vclock_lock(T(0), KEY(1), 8 * MS);
	vclock_release_unshared(T(0), KEY(1), 10 * MS); /* V = 8 ms */
	shares(2, 10 * MS, 10010 * US); /* V = 10 ms */
	assert_true(vclock_wait_to_share(T(1), &w, KEY(1), at(10020 * US, 1)));
	assert_int_equal(vclock_time(T(1), 10020 * US), 8020 * US);
}

static void one_that_has_passed_by_may_do_so_again(void **state)
{
	(void)state;
	holds(0, 9000 * US, 9200 * US);
	holds(0, 9900 * US, 10 * MS);
	vclock_credit(T(2), 700 * US);
	/* Each time for as long as nearly all of the 525 us that are remembered: it uses them once. */
	for (int64_t now = 10 * MS; now < 11 * MS; now += 200 * US) {
		vclock_lock(T(2), KEY(1), now);
		assert_int_equal(vclock_time(T(2), now), now - 700 * US);
		vclock_release(T(2), KEY(1), now + 150 * US);
		if (now - 700 * US >= 10 * MS - 400 * US)
			break;
	}
}

static void an_object_that_was_never_taken_is_passed_by_nobody(void **state)
{
	(void)state;
	vclock_release(T(0), KEY(1), 9 * MS);
	vclock_release(T(0), KEY(1), 10 * MS);
	assert_int_equal(takes(700 * US), 10 * MS);
}

/* ---- waits for the outside ----------------------------------------------------------- */

static void a_wait_in_the_region_is_credited_and_others_owe_it(void **state)
{
	struct vclock_wait w = waits(0, 5 * MS);

	(void)state;
	vclock_wait_credit(T(0), &w, ALL, 9 * MS);
	assert_int_equal(vclock_owed(world), 2 * MS);
	assert_int_equal(vclock_debt(T(0)), 0);
	assert_int_equal(vclock_debt(T(1)), 2 * MS);
}

static void what_the_conductor_has_raised_for_it_is_not_owed_twice(void **state)
{
	struct vclock_wait w = waits(0, 5 * MS);

	(void)state;
	vclock_raise(world, w.base_ns + vclock_share(3 * MS, ALL, HALF)); /* at 8 ms */
	vclock_wait_credit(T(0), &w, ALL, 9 * MS);
	assert_int_equal(vclock_owed(world), 2 * MS);
	assert_int_equal(vclock_debt(T(0)), 0);
}

static void a_wait_is_credited_as_far_as_the_window_has_lasted(void **state)
{
	struct vclock_wait w = waits(0, 5 * MS);

	(void)state;
	begin_window(2, 1, 8 * MS);
	vclock_delay(T(0));
	vclock_wait_credit(T(0), &w, ALL, 9 * MS);
	assert_int_equal(vclock_debt(T(1)), 500 * US);
}

static void a_wait_is_credited_from_when_it_began_however_late_that_is_told(void **state)
{
	struct vclock_wait w = vclock_wait_since(T(0), 18 * MS);

	(void)state;
	vclock_wait_credit(T(0), &w, ALL, 20 * MS);
	assert_int_equal(vclock_owed(world), 1 * MS);
	assert_int_equal(vclock_debt(T(1)), 1 * MS);
}

/* Thread 1 is credited for 2 ms, which thread 0 pays until `now`. */
static void pays_two(int64_t now)
{
	vclock_credit(T(1), 2 * MS);
	vclock_paused(T(0), 2 * MS, 2 * MS, false, at(now, 0));
}

static void an_answer_takes_the_same_time_in_virtual_time(void **state)
{
	struct vclock_wait w;

	(void)state;
	vclock_release(T(0), KEY(1), 5 * MS);
	pays_two(8 * MS);
	w = waits(0, 8 * MS);
	vclock_wait_answered(T(0), &w, KEY(1), 9 * MS);
	assert_int_equal(vclock_time(T(0), 9 * MS), 9 * MS);
	assert_int_equal(vclock_debt(T(0)), 2 * MS);
}

static void an_answer_that_had_come_is_not_waited_for(void **state)
{
	struct vclock_wait w;

	(void)state;
	pays_two(8 * MS);
	vclock_release(T(0), KEY(1), 8 * MS);
	vclock_release(T(2), KEY(2), 9 * MS);
	vclock_acquire(T(0), KEY(2), 9 * MS);
	w = waits(0, 9 * MS);
	vclock_wait_answered(T(0), &w, KEY(1), 10 * MS);
	assert_int_equal(vclock_time(T(0), 10 * MS), 9 * MS);
}

static void an_answer_to_no_request_changes_nothing(void **state)
{
	struct vclock_wait w;

	(void)state;
	vclock_release(T(0), KEY(1), 5 * MS);
	begin_window(2, 1, 6 * MS);
	pays_two(8 * MS);
	w = waits(0, 8 * MS);
	vclock_wait_answered(T(0), &w, KEY(1), 9 * MS);
	assert_int_equal(vclock_debt(T(0)), 0);
}

static void a_timer_pauses_like_a_thread(void **state)
{
	struct vclock_wait w;

	(void)state;
	pays_two(8 * MS);
	vclock_release(T(0), KEY(1), 8 * MS);
	/* Of 8 ms, 2 were pauses. */
	assert_int_equal(vclock_set_timer(T(0), KEY(1), 3 * MS, 8 * MS), 4 * MS);
	vclock_credit(T(1), MS);
	w = waits(0, 8 * MS);
	vclock_wait_answered(T(0), &w, KEY(1), 12 * MS);
	assert_int_equal(vclock_time(T(0), 12 * MS), 9 * MS);
	assert_int_equal(vclock_debt(T(0)), 0);
}

static void a_timer_is_set_for_longer_within_bounds(void **state)
{
	(void)state;
	vclock_release(T(0), KEY(1), 8 * MS);
	assert_int_equal(vclock_set_timer(T(0), KEY(1), 3 * MS, 8 * MS), 3 * MS);
	vclock_credit(T(1), 20 * MS);
	assert_int_equal(vclock_set_timer(T(0), KEY(1), 3 * MS, 8 * MS), 30 * MS);
	vclock_credit(T(1), 20 * MS);
	assert_int_equal(vclock_set_timer(T(0), KEY(1), 1000 * MS, 80 * MS), 1100 * MS);
}

static void a_part_of_the_weight_credits_a_part(void **state)
{
	(void)state;
	assert_int_equal(vclock_share(4 * MS, HALF, HALF), MS);
	assert_int_equal(vclock_lump(4 * MS, HALF, HALF), MS);
	assert_int_equal(vclock_lump(4 * MS, 0, HALF), 0);
}

/* ---- segments -------------------------------------------------------------------------- */

static const char here, there;

/*
 * Thread i runs n segments of `length` that begin at a place, one after the other, from `*now` on.
 * The first `in` of each are in the region.  A sample comes with each period.
 */
static void run_segments(unsigned i, const void *site, unsigned n, int64_t length, int64_t in, int64_t *now)
{
	static int64_t since_sample[THREADS];
	const int64_t step = 10 * US, period = 970 * US; /* does not divide the length */

	for (unsigned k = 0; k < n; k++) {
		vclock_begin_segment(T(i), site, *now);
		for (int64_t into = 0; into < length; into += step) {
			*now += step;
			since_sample[i] += step;
			if (since_sample[i] >= period) {
				since_sample[i] -= period;
				vclock_sampled(T(i), period, into < in ? ALL : 0, 0, *now);
			}
		}
		vclock_settle(T(i), *now);
	}
}

static int64_t credit_of(unsigned i)
{
	return (int64_t)atomic_load(&account[i].credit_ns);
}

/* The credit of thread 0 for one more segment. */
static int64_t credit_of_next(const void *site, int64_t length, int64_t in, int64_t *now)
{
	int64_t before = credit_of(0);

	run_segments(0, site, 1, length, in, now);
	return credit_of(0) - before;
}

static void assert_about(int64_t got, int64_t want, double within)
{
	if ((double)got < (double)want * (1 - within) || (double)got > (double)want * (1 + within))
		fail_msg("%lld instead of %lld", (long long)got, (long long)want);
}

static void a_known_segment_is_credited_the_same_each_time(void **state)
{
	int64_t now = 0;

	(void)state;
	run_segments(0, &here, 400, 600 * US, 240 * US, &now);
	for (unsigned k = 0; k < 20; k++)
		assert_about(credit_of_next(&here, 600 * US, 240 * US, &now), 120 * US, .1); /* half of 240 us */
}

static void in_the_sum_segments_credit_what_samples_would(void **state)
{
	int64_t now = 0;

	(void)state;
	run_segments(0, &here, 4000, 600 * US, 240 * US, &now);
	assert_about(credit_of(0), 4000ll * 120 * US, .01);
}

static void segments_of_one_place_are_known_by_their_length(void **state)
{
	int64_t now = 0;

	(void)state;
	for (unsigned k = 0; k < 400; k++) {
		run_segments(0, &here, 1, 900 * US, 600 * US, &now);
		run_segments(0, &here, 1, 300 * US, 0, &now);
	}
	assert_about(credit_of_next(&here, 900 * US, 600 * US, &now), 300 * US, .1);
	assert_about(credit_of_next(&here, 300 * US, 0, &now) + 100 * US, 100 * US, .1);
}

static void of_a_length_that_is_new_the_positions_tell(void **state)
{
	int64_t now = 0;

	(void)state;
	run_segments(0, &here, 400, 600 * US, 240 * US, &now);
	/* The first 500 us are in the region for 240. */
	assert_about(credit_of_next(&here, 300 * US, 300 * US, &now), 300 * US * 240 / 500 / 2, .15);
}

/* A short segment with a sample is of another length than one without, and is rare. */
static void samples_that_take_time_are_credited_all_the_same(void **state)
{
	int64_t now = 0, until_sample = MS, sampled = 0;

	(void)state;
	for (unsigned k = 0; k < 20000; k++) {
		vclock_begin_segment(T(0), &here, now);
		until_sample -= 30 * US;
		now += 30 * US;
		if (until_sample <= 0) {
			until_sample += MS;
			sampled += MS;
			now += 10 * US; /* the signal */
			vclock_sampled(T(0), MS, ALL, 0, now);
		}
		vclock_end_segment(T(0), now);
	}
	assert_about(credit_of(0), sampled / 2, .02);
}

static void two_places_are_known_apart(void **state)
{
	int64_t now = 0;

	(void)state;
	for (unsigned k = 0; k < 400; k++) {
		run_segments(0, &here, 1, 500 * US, 500 * US, &now);
		run_segments(0, &there, 1, 500 * US, 0, &now);
	}
	assert_about(credit_of_next(&here, 500 * US, 500 * US, &now), 250 * US, .06);
	assert_int_equal(credit_of_next(&there, 500 * US, 0, &now), 0);
}

static void a_segment_that_is_new_is_credited_by_samples(void **state)
{
	int64_t now = 0;

	(void)state;
	vclock_begin_segment(T(0), &here, 0);
	vclock_sampled(T(0), MS, ALL, 0, 300 * US);
	assert_int_equal(credit_of(0), 500 * US); /* half of a whole period */
	vclock_settle(T(0), 600 * US);
	assert_int_equal(credit_of(0), 500 * US);
	/* With another region what is known begins anew. */
	run_segments(0, &here, 400, 600 * US, 600 * US, &now);
	begin_window(2, 2, now);
	vclock_begin_segment(T(0), &here, now);
	vclock_settle(T(0), now + 600 * US);
	assert_int_equal(vclock_debt(T(1)), 0);
}

static void long_segments_are_credited_by_samples(void **state)
{
	int64_t now = 0, before;

	(void)state;
	run_segments(0, &here, 40, 20 * MS, 10 * MS, &now);
	before = credit_of(0);
	vclock_begin_segment(T(0), &here, now);
	vclock_sampled(T(0), MS, ALL, 0, now + 500 * US);
	assert_int_equal(credit_of(0) - before, 500 * US);
}

/* Four hundred in the region, then as many outside of it: the mean share describes none of them. */
static void what_has_phases_is_credited_by_samples(void **state)
{
	int64_t now = 0, before;

	(void)state;
	run_segments(0, &here, 200, 600 * US, 600 * US, &now);
	run_segments(0, &here, 200, 600 * US, 0, &now);
	before = credit_of(0);
	run_segments(0, &here, 1, 600 * US, 0, &now);
	assert_int_equal(credit_of(0), before);
}

/* The same, where samples walk through segments by small steps: those of one part are of one phase. */
static void phases_are_not_taken_for_parts_of_a_segment(void **state)
{
	int64_t now = 0, before;

	(void)state;
	for (unsigned k = 0; k < 10; k++) {
		run_segments(0, &here, 400, MS, MS, &now);
		run_segments(0, &here, 100, MS, 0, &now);
		before = credit_of(0);
		run_segments(0, &here, 10, MS, 0, &now);
		assert_int_equal(credit_of(0), before);
	}
}

static void parts_of_a_segment_are_not_taken_for_phases(void **state)
{
	int64_t now = 0, before;

	(void)state;
	run_segments(0, &here, 1000, MS, 300 * US, &now);
	before = credit_of(0);
	run_segments(0, &here, 1, MS, 300 * US, &now);
	assert_about(credit_of(0) - before, 150 * US, .1);
}

static void a_pause_is_no_time_of_the_segment(void **state)
{
	int64_t now = 0, before;

	(void)state;
	run_segments(0, &here, 400, 600 * US, 600 * US, &now);
	before = credit_of(0);
	vclock_begin_segment(T(0), &here, now);
	vclock_paused(T(0), 5 * MS, 5 * MS, true, at(now + 5 * MS, 0));
	vclock_settle(T(0), now + 5600 * US);
	assert_about(credit_of(0) - before, 300 * US, .01);
}

static void segments_that_are_many_last_from_sample_to_sample(void **state)
{
	int64_t now = 0, before;
	bool goes_on = false;

	(void)state;
	for (unsigned k = 0; k < 200 * 100; k++) { /* 200 in a period */
		if (!goes_on)
			vclock_begin_segment(T(0), &here, now);
		now += 5 * US;
		if (k % 200 == 199)
			vclock_sampled(T(0), MS, k % 400 == 199 ? ALL : 0, 0, now);
		goes_on = vclock_settle(T(0), now);
	}
	assert_true(goes_on);
	before = credit_of(0);
	assert_true(vclock_settle(T(0), now + 100 * US));
	assert_about(credit_of(0) - before, 25 * US, .1); /* half of the time is in the region, and that is sped up by half */
}

/* A new thread, which remembers nothing, runs the same routine with the same argument. */
static void begins_a_life(int64_t now)
{
	vclock_begin(T(0), world, &account[0], memory[0], 1);
	vclock_forget(memory[0]);
	vclock_be_born(T(0), 0x1000, 0x2000, now);
}

static void threads_that_live_for_one_task_learn_from_each_other(void **state)
{
	int64_t now = 0, before;

	(void)state;
	for (unsigned k = 0; k < 60; k++) {
		begins_a_life(now);
		vclock_sampled(T(0), MS, ALL, 0, now + 500 * US);
		vclock_end_segment(T(0), now + MS);
		now += 2 * MS;
	}
	begins_a_life(now);
	before = credit_of(0);
	vclock_end_segment(T(0), now + MS); /* without a sample */
	assert_about(credit_of(0) - before, 500 * US, .05);
	/* A thread with another argument has the same role, as all of them were in the region. */
	vclock_be_born(T(0), 0x1000, 0x3000, now);
	before = credit_of(0);
	vclock_end_segment(T(0), now + MS);
	assert_about(credit_of(0) - before, 500 * US, .05);
}

/* Some compute in the region all the time, and some never do.  Nothing tells what the next one is. */
static void threads_that_differ_teach_nothing(void **state)
{
	int64_t now = 0, before;

	(void)state;
	for (unsigned k = 0; k < 60; k++) {
		begins_a_life(now);
		for (int i = 1; i <= 9; i++)
			vclock_sampled(T(0), MS / 10, k % 2 ? ALL : 0, 0, now + 100 * i * US);
		vclock_end_segment(T(0), now + MS);
		now += 2 * MS;
	}
	begins_a_life(now);
	before = credit_of(0);
	vclock_end_segment(T(0), now + MS);
	assert_int_equal(credit_of(0), before);
}

static void what_a_thread_forgets_it_does_not_know(void **state)
{
	int64_t now = 0, before;

	(void)state;
	run_segments(0, &here, 400, 600 * US, 600 * US, &now);
	vclock_forget(memory[0]);
	before = credit_of(0);
	vclock_begin_segment(T(0), &here, now);
	vclock_settle(T(0), now + 600 * US);
	assert_int_equal(credit_of(0), before);
}

/* ---- processors --------------------------------------------------------------------------- */

/* Thread 1 is preempted on processor 0 at 10 ms by thread 0, whose clock is 2 ms behind, and has it back at 15 ms. */
static void a_thread_that_queued_loses_what_the_others_did(void **state)
{
	(void)state;
	vclock_keep_processor(T(1), at(10 * MS, 0));
	vclock_credit(T(0), 2 * MS);
	vclock_keep_processor(T(0), at(10 * MS, 0)); /* the processor's clock goes on from 10 ms */
	for (int64_t ms = 11; ms <= 15; ms++) {
		vclock_credit(T(0), 400 * US);
		vclock_keep_processor(T(0), at(ms * MS, 0));
	}
	vclock_leave_processor(T(0), at(15 * MS, 0));
	assert_true(vclock_was_displaced(T(1), 0));
	vclock_regain(T(1), 5 * MS, false, at(15 * MS, 0));
	assert_int_equal(vclock_time(T(1), 15 * MS), 13 * MS);
	/* It owes the 2 ms from before. */
	assert_int_equal(vclock_debt(T(1)), 2 * MS);
}

static void a_thread_that_had_its_processor_is_not_displaced(void **state)
{
	(void)state;
	vclock_keep_processor(T(1), at(10 * MS, 0));
	assert_false(vclock_was_displaced(T(1), 0));
	vclock_keep_processor(T(0), at(10 * MS, 3));
	assert_false(vclock_was_displaced(T(1), 0));
}

static void time_in_which_nobody_was_credited_stays_lost(void **state)
{
	(void)state;
	vclock_keep_processor(T(1), at(10 * MS, 0));
	vclock_keep_processor(T(0), at(10 * MS, 0));
	vclock_leave_processor(T(0), at(15 * MS, 0));
	vclock_regain(T(1), 5 * MS, false, at(15 * MS, 0));
	assert_int_equal(vclock_time(T(1), 15 * MS), 15 * MS);
}

static void where_queueing_is_sped_up_no_clock_stands_for_it(void **state)
{
	(void)state;
	atomic_store(&world->queueing, 1);
	vclock_keep_processor(T(1), at(10 * MS, 0));
	vclock_keep_processor(T(0), at(10 * MS, 0));
	vclock_credit(T(0), 2 * MS);
	vclock_leave_processor(T(0), at(15 * MS, 0));
	vclock_regain(T(1), 5 * MS, false, at(15 * MS, 0));
	assert_int_equal(vclock_time(T(1), 15 * MS), 15 * MS);
	assert_int_equal(vclock_debt(T(1)), 2 * MS);
}

/* Woken at 10 ms, on its processor at 12 ms, when a thread left it that was credited 1 ms in that time. */
static void a_waiter_that_queues_goes_on_when_the_processor_is_left(void **state)
{
	struct vclock_wait w = waits(1, 5 * MS);

	(void)state;
	vclock_keep_processor(T(0), at(10 * MS, 1));
	vclock_release(T(2), KEY(1), 10 * MS);
	vclock_credit(T(0), MS);
	vclock_leave_processor(T(0), at(12 * MS, 1));
	vclock_wait_by_peer(T(1), &w, KEY(1), 0, at(12 * MS, 1));
	assert_int_equal(vclock_time(T(1), 12 * MS), 11 * MS);
}

static void a_thread_is_born_ready(void **state)
{
	(void)state;
	vclock_credit(T(0), MS);
	vclock_leave_processor(T(0), at(12 * MS, 1)); /* its clock is 11 ms */
	vclock_was_ready(T(1), 10 * MS, at(12 * MS, 1));
	assert_int_equal(vclock_time(T(1), 12 * MS), 11 * MS);
}

/* ---- earnings in the middle of a segment ------------------------------------------------ */

/* Thread 0 is in a segment that is known to be all in the region, from the time on that is returned. */
static int64_t earns(void)
{
	int64_t now = 0;

	run_segments(0, &here, 400, 600 * US, 600 * US, &now);
	vclock_begin_segment(T(0), &here, now);
	vclock_keep_processor(T(0), at(now, 0));
	vclock_paused(T(1), vclock_debt(T(1)), vclock_debt(T(1)), true, at(now, 1));
	return now;
}

static void before_a_lock_all_is_owed_that_others_have_earned(void **state)
{
	int64_t now = earns();

	(void)state;
	assert_int_equal(vclock_debt(T(1)), 0);
	assert_true(vclock_looks_ahead(T(1)));
	assert_about(vclock_debt_before_lock(T(1), now + 400 * US), 200 * US, .03);
	/* No thread owes its own credit. */
	assert_true(vclock_debt_before_lock(T(0), now + 400 * US) <= 0);
}

static void a_thread_without_its_processor_earns_nothing(void **state)
{
	int64_t now = earns();

	(void)state;
	vclock_keep_processor(T(2), at(now + 100 * US, 0));
	assert_int_equal(vclock_debt_before_lock(T(1), now + 400 * US), 0);
}

static void nobody_earns_for_longer_than_a_period(void **state)
{
	int64_t now = earns();

	(void)state;
	assert_about(vclock_debt_before_lock(T(1), now + 30 * MS), 500 * US, .03);
}

static void a_thread_that_leaves_its_segment_says_so(void **state)
{
	int64_t now = earns();

	(void)state;
	vclock_end_segment(T(0), now);
	vclock_leave_processor(T(0), at(now, 0));
	assert_int_equal(vclock_debt_before_lock(T(1), now + 400 * US), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_others_owe_what_one_is_credited),
		TEST(two_that_work_in_the_region_at_a_time_owe_each_other_nothing),
		TEST(what_one_has_overslept_others_need_not_sleep),
		TEST(small_credits_are_gathered_and_none_is_lost),
		TEST(a_window_begins_all_accounts_anew),
		TEST(a_new_thread_has_the_clock_of_its_creator),
		TEST(what_a_pause_oversleeps_is_prepaid),
		TEST(a_sleep_that_is_long_is_prepaid_too),
		TEST(a_thread_preempted_while_it_pays_has_only_queued),
		TEST(a_waiter_goes_on_no_earlier_than_the_release),
		TEST(time_since_the_release_has_passed_for_both),
		TEST(a_credit_that_leads_to_waiting_is_taken_back),
		TEST(a_waiter_is_no_earlier_than_it_came),
		TEST(the_latest_release_of_a_barrier_counts),
		TEST(what_was_there_already_is_not_had_before_it_was_released),
		TEST(a_later_clock_is_left_alone),
		TEST(its_own_release_does_not_bind_a_thread),
		TEST(of_two_objects_the_later_released_counts),
		TEST(what_was_released_before_the_wait_was_not_waited_for),
		TEST(a_releaser_without_history_has_paid),
		TEST(a_release_of_another_window_is_forgotten),
		TEST(a_wait_that_a_window_begins_in_begins_with_that),
		TEST(two_objects_in_one_place_are_not_mixed_up),
		TEST(the_next_holder_is_no_earlier_than_the_last_one),
		TEST(a_thread_passes_by_where_the_lock_was_free),
		TEST(but_not_where_it_was_not),
		TEST(nor_where_another_one_has_passed_by),
		TEST(one_that_has_passed_by_may_do_so_again),
		TEST(readers_do_not_follow_each_other),
		TEST(a_reader_follows_the_writer),
		TEST(a_writer_follows_the_readers),
		TEST(a_reader_has_waited_for_the_writer),
		TEST(an_object_that_was_never_taken_is_passed_by_nobody),
		TEST(a_wait_in_the_region_is_credited_and_others_owe_it),
		TEST(what_the_conductor_has_raised_for_it_is_not_owed_twice),
		TEST(a_wait_is_credited_as_far_as_the_window_has_lasted),
		TEST(a_wait_is_credited_from_when_it_began_however_late_that_is_told),
		TEST(an_answer_takes_the_same_time_in_virtual_time),
		TEST(an_answer_that_had_come_is_not_waited_for),
		TEST(an_answer_to_no_request_changes_nothing),
		TEST(a_timer_pauses_like_a_thread),
		TEST(a_timer_is_set_for_longer_within_bounds),
		TEST(a_part_of_the_weight_credits_a_part),
		TEST(a_known_segment_is_credited_the_same_each_time),
		TEST(in_the_sum_segments_credit_what_samples_would),
		TEST(segments_of_one_place_are_known_by_their_length),
		TEST(of_a_length_that_is_new_the_positions_tell),
		TEST(samples_that_take_time_are_credited_all_the_same),
		TEST(two_places_are_known_apart),
		TEST(a_segment_that_is_new_is_credited_by_samples),
		TEST(long_segments_are_credited_by_samples),
		TEST(what_has_phases_is_credited_by_samples),
		TEST(phases_are_not_taken_for_parts_of_a_segment),
		TEST(parts_of_a_segment_are_not_taken_for_phases),
		TEST(a_pause_is_no_time_of_the_segment),
		TEST(segments_that_are_many_last_from_sample_to_sample),
		TEST(threads_that_live_for_one_task_learn_from_each_other),
		TEST(threads_that_differ_teach_nothing),
		TEST(what_a_thread_forgets_it_does_not_know),
		TEST(a_thread_that_queued_loses_what_the_others_did),
		TEST(a_thread_that_had_its_processor_is_not_displaced),
		TEST(time_in_which_nobody_was_credited_stays_lost),
		TEST(where_queueing_is_sped_up_no_clock_stands_for_it),
		TEST(a_waiter_that_queues_goes_on_when_the_processor_is_left),
		TEST(a_thread_is_born_ready),
		TEST(before_a_lock_all_is_owed_that_others_have_earned),
		TEST(a_thread_without_its_processor_earns_nothing),
		TEST(nobody_earns_for_longer_than_a_period),
		TEST(a_thread_that_leaves_its_segment_says_so),
	};

	return UNIT_MAIN(tests);
}
