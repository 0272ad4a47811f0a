/*
 * Replay of waits that threads end: at locks and barriers, for tokens, and for signals.
 * Most bursts are made by hand.  What is tested: who ends a wait, how often, and what
 * follows if a part of that was not recorded.
 */
#include "unit.h"

#include <math.h>

#include "replayed.h"
#include "world_queues.h"

/*
 * An updater computes for 0.5 ms of each 2 ms, and then waits at one of two places for a reader, which has slept since the signal
 * before, and sleeps once more if it is `seldom`.  counts_work: with processor time as progress, too.
 */
static struct replay_effect updater(bool seldom, bool counts_work)
{
	const struct program p = { .name = "updater" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	struct replay_effect e;
	struct replay *r;
	unsigned round = 0;

	burst_thread(&burst, 1);
	burst_thread(&burst, 2);
	for (double at = 0; at < S; at += 2 * MS, round++) {
		const struct burst_event first[] = {
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 0.5 * MS), .waited_ns = (int64_t)(0.5 * MS), .object = 1 },
			{ .kind = BURST_LOCK, .at_ns = (int64_t)(at + 0.5 * MS), .object = 6, .site = 2 },
			{ .kind = BURST_UNLOCK, .at_ns = (int64_t)(at + 0.5 * MS) + 1, .object = 6, .site = 3 + round % 2 },
			{ .kind = BURST_WAIT, .at_ns = (int64_t)(at + 1.2 * MS), .waited_ns = (int64_t)(0.7 * MS) - 1, .object = 7, .other = 6, .site = 3 + round % 2 },
			{ .kind = BURST_UNLOCK, .at_ns = (int64_t)(at + 1.2 * MS) + 1, .object = 6, .site = 5 },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 2 * MS) - 2, .waited_ns = (int64_t)(0.8 * MS) - 3, .object = 2 },
			{ .kind = BURST_VISIT, .at_ns = (int64_t)(at + 2 * MS) - 2, .object = 1, .other = 1 },
		};
		const struct burst_event second[] = {
			{ .kind = BURST_SLEEP, .at_ns = (int64_t)(at + 0.4 * MS), .waited_ns = (int64_t)(0.3 * MS), .site = 11 },
			{ .kind = BURST_SLEEP, .at_ns = (int64_t)(at + 0.8 * MS), .waited_ns = (int64_t)(0.3 * MS), .site = 11 },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 1 * MS), .waited_ns = (int64_t)(0.15 * MS), .object = 3 },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 1.19 * MS), .waited_ns = (int64_t)(0.15 * MS), .object = 3 },
			{ .kind = BURST_LOCK, .at_ns = (int64_t)(at + 1.19 * MS), .object = 6, .site = 12 },
			{ .kind = BURST_UNLOCK, .at_ns = (int64_t)(at + 1.19 * MS) + 1, .object = 7, .site = 13 },
			{ .kind = BURST_UNLOCK, .at_ns = (int64_t)(at + 1.19 * MS) + 2, .object = 6, .site = 14 },
		};

		for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
			burst_add(burst_thread(&burst, 1), &first[i]);
		for (size_t i = !seldom; i < sizeof(second) / sizeof(*second); i++)
			burst_add(burst_thread(&burst, 2), &second[i]);
	}
	if (counts_work)
		burst_count_work(&burst, 2);
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	e = asked(r, &p, 1, 0.5);
	replay_free(r);
	burst_release(&burst);
	return e;
}

/* A reader that signals in some of its rounds only might have let an earlier updater go on sooner, without a signal. */
static void signals_in_some_rounds(void **state)
{
	(void)state;
	assert_true(updater(false, false).open < 0.02);
	assert_true(updater(true, false).open > 0.1);
	/* Each sample counts work then.  That is no round. */
	assert_true(updater(false, true).open < 0.02);
}

/*
 * By turns: one thread computes for 1 ms and lets the other one go on, which computes for 0.5 ms.  Each tenth time, it is not seen
 * to do that.  Were those tokens of the beginning, both could compute at the same time.
 */
static void tokens_given_unseen(void **state)
{
	const struct program p = { .name = "unseen" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	struct replay_facts f;
	struct replay *r;
	int round = 0;

	(void)state;
	for (double at = 0; at < S; at += 1.5 * MS, round++) {
		const struct burst_event asks[] = {
			{ .kind = BURST_RELEASE, .at_ns = (int64_t)at, .object = 8, .site = 1 },
			{ .kind = BURST_ACQUIRE, .at_ns = (int64_t)(at + 1 * MS), .waited_ns = (int64_t)(1 * MS) - 10, .object = 7, .site = 2 },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 1.5 * MS) - 20, .waited_ns = (int64_t)(0.5 * MS), .object = 2 },
			{ .kind = BURST_VISIT, .at_ns = (int64_t)(at + 1.5 * MS) - 20, .object = 1, .other = 1 },
		}, answers[] = {
			{ .kind = BURST_ACQUIRE, .at_ns = (int64_t)at + 100, .waited_ns = round ? (int64_t)(0.5 * MS) : 50, .object = 8, .site = 3 },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 1 * MS) - 200, .waited_ns = (int64_t)(1 * MS), .object = 1 },
			{ .kind = BURST_RELEASE, .at_ns = (int64_t)(at + 1 * MS) - 100, .object = 7, .site = 4 },
		};

		for (size_t i = 0; i < 4; i++)
			burst_add(burst_thread(&burst, 1), &asks[i]);
		for (size_t i = 0; i < (round % 10 == 5 ? 2 : 3); i++)
			burst_add(burst_thread(&burst, 2), &answers[i]);
	}
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	replay_facts(r, &f);
	assert_int_equal(f.tokens, 2);
	near(f.check[REPLAY_MONITOR], 1, 0.02);
	near(asked(r, &p, 2, 0.5).gain, 1.0 / 6, 0.02);
	replay_free(r);
	burst_release(&burst);
}

/*
 * A thread works for 0.6 ms, and takes a message in each round of 1 ms.  Of a round in which it does not wait, there is an event, or not;
 * or there is none, but the call releases something, so that the call is seen.
 */
static void meetings_without_events(void **state)
{
	const struct program p = { .name = "meetings" };
	double se[4], hidden[4];

	(void)state;
	for (int k = 0; k < 4; k++) {
		struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
		struct replay_facts f;
		struct replay *r;
		int round = 0;

		for (double at = 0; at < S; at += 1 * MS, round++) {
			bool waits = k == 0 || round % 2;
			const struct burst_event send = { .kind = BURST_RELEASE, .at_ns = (int64_t)(at + 0.4 * MS) - 100, .object = 7, .site = 1 };
			const struct burst_event take = {
				.kind = BURST_ACQUIRE, .at_ns = (int64_t)(at + 0.4 * MS), .waited_ns = waits ? (int64_t)(0.4 * MS) - 10 : 0, .object = 7, .site = 2,
			};
			const struct burst_event writes = { .kind = BURST_RELEASE, .at_ns = (int64_t)(at + 0.4 * MS), .object = 9, .site = 2 };
			const struct burst_event work = { .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 1 * MS) - 20, .waited_ns = (int64_t)(0.6 * MS), .object = 1 };
			const struct burst_event visit = { .kind = BURST_VISIT, .at_ns = (int64_t)(at + 1 * MS) - 20, .object = 1, .other = 1 };

			if (waits || k == 1) {
				burst_add(burst_thread(&burst, 1), &send);
				burst_add(burst_thread(&burst, 2), &take);
			}
			if (k == 3)
				burst_add(burst_thread(&burst, 2), &writes);
			burst_add(burst_thread(&burst, 2), &work);
			burst_add(burst_thread(&burst, 2), &visit);
		}
		r = replay_learn(&burst, 1, REGIONS - 1, 1);
		replay_facts(r, &f);
		hidden[k] = f.hidden;
		se[k] = asked(r, &p, 1, 0.5).se;
		replay_free(r);
		burst_release(&burst);
	}
	near(hidden[0], 0, 1e-9);
	near(hidden[1], 0, 1e-9);
	assert_true(hidden[2] > 0.2 && hidden[2] <= 0.5); /* half of the rounds of a thread that does much of the work */
	assert_true(se[2] > se[0] + 0.05 && se[2] > se[1] + 0.05);
	near(hidden[3], 0, 1e-9);
}

/* A thread arrives at a barrier at `from`, and goes on at `at`. */
static void meet_at(struct burst *b, uint32_t thread, double from, double at, uint32_t site)
{
	const struct burst_event events[] = {
		{ .kind = BURST_RELEASE, .at_ns = (int64_t)from, .object = 7, .site = site },
		{ .kind = BURST_ACQUIRE, .at_ns = (int64_t)at, .waited_ns = (int64_t)(at - from) - 100, .object = 7, .site = site },
	};

	burst_add(burst_thread(b, thread), &events[0]);
	burst_add(burst_thread(b, thread), &events[1]);
}

static void compute_until(struct burst *b, uint32_t thread, double from, double at, uint32_t region)
{
	burst_add(burst_thread(b, thread),
		  &(struct burst_event){ .kind = BURST_SAMPLE, .at_ns = (int64_t)at, .waited_ns = (int64_t)(at - from), .object = region });
}

/*
 * Two threads meet at a barrier, one after 1 ms of region 1, the other after 0.6 ms of region 2, and the
 * first one visits.  In each 40th round, the second is held up until 1.2 ms, and then the first takes 0.8 ms
 * to wake up; the second always takes 0.02.
 */
static void rounds(struct burst *b, double from)
{
	for (unsigned n = 0; from < S - 3 * MS; n++) {
		bool late = n % 40 == 39;
		double first = from + MS, second = from + (late ? 1.2 * MS : 0.6 * MS), met = fmax(first, second);
		double on = late ? met + 0.8 * MS : met + 0.001 * MS;

		compute_until(b, 1, from, first, 1);
		compute_until(b, 2, from, from + 0.6 * MS, 2);
		meet_at(b, 1, first, on, 3);
		meet_at(b, 2, second, met + 0.02 * MS, 4);
		burst_add(burst_thread(b, 1), &(struct burst_event){ .kind = BURST_VISIT, .at_ns = (int64_t)on, .object = 1, .other = 1 });
		from = fmax(on, met + 0.02 * MS);
	}
}

/* With half of region 1, the first thread waits in each round: 0.6 ms of 1.02, and a wake-up of 0.02. */
static void rare_wakeups(void **state)
{
	const struct program p = { .name = "rare wake-ups" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	struct replay *r;

	(void)state;
	rounds(&burst, 0);
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	near(asked(r, &p, 1, 0.5).gain, 0.37, 0.02);
	replay_free(r);
	burst_release(&burst);
}

/* The second thread's round had ended when the burst began, but the thread only went on then. */
static void a_round_before_the_burst(void **state)
{
	const struct program p = { .name = "a round before" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	struct replay_facts facts;
	struct replay *r;

	(void)state;
	burst_add(burst_thread(&burst, 2),
		  &(struct burst_event){ .kind = BURST_ACQUIRE, .at_ns = (int64_t)(0.1 * MS), .waited_ns = (int64_t)(0.4 * MS), .object = 7, .site = 4 });
	rounds(&burst, 0.1 * MS);
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	near(asked(r, &p, 1, 0.5).gain, 0.37, 0.02);
	replay_facts(r, &facts);
	assert_int_equal(facts.forced, 0);
	replay_free(r);
	burst_release(&burst);
}

/*
 * The part of brief waits at a lock that two threads take in turns, for held_ns; the second waits for it.  The first takes
 * it `moments` times more, each for a microsecond.
 */
static double brief_part(double held_ns, double waited_ns, int moments)
{
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	struct replay_facts facts;
	struct replay *r;

	for (double at = 0; at + 4 * (held_ns + waited_ns) < S; at += 4 * (held_ns + waited_ns)) {
		double again = at + held_ns + waited_ns;
		const struct burst_event first[] = {
			{ .kind = BURST_LOCK, .at_ns = (int64_t)at, .object = 7, .site = 1 },
			{ .kind = BURST_UNLOCK, .at_ns = (int64_t)(at + held_ns), .object = 7, .site = 2 },
		}, second[] = {
			{ .kind = BURST_ACQUIRE, .at_ns = (int64_t)again, .waited_ns = (int64_t)waited_ns, .object = 7, .site = 1 },
			{ .kind = BURST_UNLOCK, .at_ns = (int64_t)(again + held_ns), .object = 7, .site = 2 },
			{ .kind = BURST_VISIT, .at_ns = (int64_t)(again + held_ns), .object = 1, .other = 1 },
		};

		for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
			burst_add(burst_thread(&burst, 1), &first[i]);
		for (int i = 0; i < moments; i++) {
			double moment = again + held_ns + 1000 + 2000 * i;
			const struct burst_event more[] = {
				{ .kind = BURST_LOCK, .at_ns = (int64_t)moment, .object = 7, .site = 1 },
				{ .kind = BURST_UNLOCK, .at_ns = (int64_t)moment + 1000, .object = 7, .site = 2 },
			};

			burst_add(burst_thread(&burst, 1), &more[0]);
			burst_add(burst_thread(&burst, 1), &more[1]);
		}
		for (size_t i = 0; i < sizeof(second) / sizeof(*second); i++)
			burst_add(burst_thread(&burst, 2), &second[i]);
	}
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	replay_facts(r, &facts);
	replay_free(r);
	burst_release(&burst);
	return facts.brief;
}

static void brief_locks(void **state)
{
	(void)state;
	near(brief_part(0.3 * MS, 0.3 * MS, 0), 0, 1e-9);
	/* In 4 * 34 us, twice; there is one wait of 30. */
	near(brief_part(0.004 * MS, 0.03 * MS, 0), 30. / (2 * 4 * 34), 0.002);
	/* Mostly held for moments; but a thread that waits has met a long section. */
	near(brief_part(0.3 * MS, 0.3 * MS, 20), 0, 1e-9);
}

/* The producer waits for room, which the consumer makes. */
static void who_waited_for_whom(void **state)
{
	struct program p = { .name = "queue", .body = bounded_queue, .cpus = 2 };
	struct replay *r = recorded(&p, 1 * S, 11);
	const struct replay_wait *wait;
	size_t n;

	(void)state;
	wait = replay_waits(r, &n);
	assert_true(n > 0);
	assert_int_equal(wait[0].kind, BURST_WAIT);
	assert_int_equal(wait[0].site, 22);
	assert_int_equal(wait[0].freed_by, 27);
	assert_int_not_equal(wait[0].thread, wait[0].freer);
	assert_int_not_equal(wait[0].freer, 0);
	assert_true(wait[0].count > 100);
	replay_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_in_some_rounds),
		cmocka_unit_test(tokens_given_unseen),
		cmocka_unit_test(meetings_without_events),
		cmocka_unit_test(rare_wakeups),
		cmocka_unit_test(a_round_before_the_burst),
		cmocka_unit_test(brief_locks),
		cmocka_unit_test(who_waited_for_whom),
	};

	return UNIT_MAIN(tests);
}
