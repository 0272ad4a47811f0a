/*
 * Replay of waits that no thread ends, or none that is known: for the clock, for the
 * outside, or for any of several things; and of threads that poll.  Bursts are made by
 * hand.
 */
#include "unit.h"

#include "replayed.h"

/* Its waits may be ended earlier by another thread that is faster, too, or not, or be due at a certain time. */
static void of_waits_that_nobody_ended(void **state)
{
	const struct program p = { .name = "unseen" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	struct burst_thread *t = burst_thread(&burst, 1);
	struct replay_effect e;
	struct replay *r;

	(void)state;
	for (double at = 0; at < S; at += 2 * MS) {
		const struct burst_event round[] = {
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 0.6 * MS), .waited_ns = (int64_t)(0.6 * MS), .object = 1 },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 1.0 * MS), .waited_ns = (int64_t)(0.4 * MS), .object = 2 },
			{ .kind = BURST_ACQUIRE, .at_ns = (int64_t)(at + 2 * MS) - 1, .waited_ns = (int64_t)MS, .object = 7, .site = 3 },
			{ .kind = BURST_VISIT, .at_ns = (int64_t)(at + 2 * MS) - 1, .object = 1, .other = 1 },
		};

		for (size_t i = 0; i < sizeof(round) / sizeof(*round); i++)
			burst_add(t, &round[i]);
	}
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	e = asked(r, &p, 1, 0.5);
	near(e.gain, 0.15, 0.01);
	/* From none, at a certain time, to this and half of the wait. */
	near(e.open, 0.4, 0.02);
	assert_true(e.se > 0.19);
	replay_free(r);
	burst_release(&burst);
}

/*
 * Two threads take turns.  One end of a wait in five is unknown.  The others tell that threads end them, so none of them is due at
 * a certain time, at which all that is gained would be lost.
 */
static void of_few_waits_that_nobody_ended(void **state)
{
	const struct program p = { .name = "unseen by few" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	unsigned round = 0;
	struct replay_effect e;
	struct replay *r;

	(void)state;
	burst_thread(&burst, 1);
	burst_thread(&burst, 2);
	for (double at = 0; at < S; at += 2 * MS, round++) {
		const struct burst_event first[] = {
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 0.6 * MS), .waited_ns = (int64_t)(0.6 * MS), .object = 1 },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 1.0 * MS), .waited_ns = (int64_t)(0.4 * MS), .object = 2 },
			{ .kind = BURST_RELEASE, .at_ns = (int64_t)(at + MS), .object = 8, .site = 4 },
			{ .kind = BURST_ACQUIRE, .at_ns = (int64_t)(at + 2 * MS) - 1, .waited_ns = (int64_t)MS - 1, .object = 7, .site = 3 },
			{ .kind = BURST_VISIT, .at_ns = (int64_t)(at + 2 * MS) - 1, .object = 1, .other = 1 },
		};
		const struct burst_event second[] = {
			{ .kind = BURST_ACQUIRE, .at_ns = (int64_t)(at + MS) + 1, .waited_ns = (int64_t)MS, .object = 8, .site = 5 },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 2 * MS) - 3, .waited_ns = (int64_t)MS, .object = 2 },
			{ .kind = BURST_RELEASE, .at_ns = (int64_t)(at + 2 * MS) - 2, .object = 7, .site = 6 },
		};

		for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
			burst_add(burst_thread(&burst, 1), &first[i]);
		for (size_t i = 0; i < sizeof(second) / sizeof(*second) - (round % 5 == 4); i++)
			burst_add(burst_thread(&burst, 2), &second[i]);
	}
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	e = asked(r, &p, 1, 0.5);
	near(e.gain, 0.15, 0.01);
	/* These waits may be shorter, by as much as the region: half of 1 ms in each fifth round of 2 ms. */
	assert_true(e.open < 0.06);
	replay_free(r);
	burst_release(&burst);
}

/* It comes earlier, and waits for longer: nothing is gained. */
static void of_waits_for_the_clock(void **state)
{
	const struct program p = { .name = "clock" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	struct burst_thread *t = burst_thread(&burst, 1);
	struct replay *r;

	(void)state;
	for (double at = 0; at < S; at += 2 * MS) {
		const struct burst_event round[] = {
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + MS), .waited_ns = (int64_t)MS, .object = 1 },
			{ .kind = BURST_CLOCK, .at_ns = (int64_t)(at + 2 * MS) - 1, .waited_ns = (int64_t)MS, .site = 3 },
			{ .kind = BURST_VISIT, .at_ns = (int64_t)(at + 2 * MS) - 1, .object = 1, .other = 1 },
		};

		for (size_t i = 0; i < sizeof(round) / sizeof(*round); i++)
			burst_add(t, &round[i]);
	}
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	near(asked(r, &p, 1, 0.5).gain, 0, 0.001);
	near(answered(r, &(struct replay_question){ .sooner = 0.2 }), 0.2, 0.001);
	replay_free(r);
	burst_release(&burst);
}

/*
 * A server that always has something to do finds, in each fifth round, that a tick of its timer is over.  It never waits
 * for one, so no tick keeps it from being faster.
 */
static void of_a_clock_that_is_never_waited_for(void **state)
{
	const struct program p = { .name = "late" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	struct burst_thread *t = burst_thread(&burst, 1);
	unsigned round = 0;
	struct replay *r;

	(void)state;
	for (double at = 0; at < S; at += MS, round++) {
		const struct burst_event events[] = {
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + MS) - 8000, .waited_ns = (int64_t)MS - 8000, .object = 1 },
			{ .kind = BURST_VISIT, .at_ns = (int64_t)(at + MS) - 7000, .object = 1, .other = 1 },
			{ .kind = BURST_CLOCK, .at_ns = (int64_t)(at + MS) - 1, .waited_ns = 5000, .site = 3 },
		};

		for (size_t i = 0; i < sizeof(events) / sizeof(*events) - (round % 5 != 4); i++)
			burst_add(t, &events[i]);
	}
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	near(asked(r, &p, 1, 0.5).gain, 0.5, 0.01);
	replay_free(r);
	burst_release(&burst);
}

/*
 * One thread computes and visits.  The other one polls, for 0.3 of its time.  Half of the time of the
 * first is gained if it does not wait for the other one, and 0.3 if it does.
 */
static void beside_a_thread_that_polls(void **state)
{
	const struct program p = { .name = "polled" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	struct burst_thread *t;
	struct replay_effect e;
	struct replay *r;

	(void)state;
	for (double at = 0; at < S; at += 2 * MS) {
		const struct burst_event visitor[] = {
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 2 * MS) - 1, .waited_ns = (int64_t)(2 * MS), .object = 1 },
			{ .kind = BURST_VISIT, .at_ns = (int64_t)(at + 2 * MS) - 1, .object = 1, .other = 1 },
		}, poller[] = {
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 1.4 * MS), .waited_ns = (int64_t)(1.4 * MS), .object = 2 },
			{ .kind = BURST_POLL, .at_ns = (int64_t)(at + 2 * MS) - 1, .waited_ns = (int64_t)(0.6 * MS), .site = 3 },
		};

		t = burst_thread(&burst, 1);
		burst_add(t, &visitor[0]);
		burst_add(t, &visitor[1]);
		t = burst_thread(&burst, 2);
		burst_add(t, &poller[0]);
		burst_add(t, &poller[1]);
	}
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	e = asked(r, &p, 1, 0.5);
	near(e.gain, 0.4, 0.005);
	assert_true(e.gain - 2.1 * e.se < 0.3 && e.gain + 2.1 * e.se > 0.5);
	near(asked(r, &p, 1, 0.25).gain, 0.25, 0.005);
	near(asked(r, &p, 2, 0.5).gain, 0, 0.001);
	replay_free(r);
	burst_release(&burst);
}

/*
 * Rounds of 3.2 ms, and each third one of 8.2 ms.  Late rounds do not sleep, so the others sleep for the rest of a frame, in
 * whole milliseconds: only late ones gain.  If late ones sleep too, all gain.
 */
static void frames_of_whole_ms(void **state)
{
	const struct program p = { .name = "whole ms" };

	(void)state;
	for (int late_sleeps = 0; late_sleeps < 2; late_sleeps++) {
		struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
		struct burst_thread *t = burst_thread(&burst, 1);
		struct replay_facts f;
		struct replay *r;
		double at = 0;

		for (int round = 0; at < S - 20 * MS; round++) {
			bool late = round % 3 == 2;
			struct burst_event draw = { .kind = BURST_SAMPLE, .waited_ns = (int64_t)(2 * MS), .object = 1 };
			struct burst_event other = { .kind = BURST_SAMPLE, .waited_ns = (int64_t)((late ? 6.2 : 1.2) * MS), .object = 2 };
			struct burst_event visit = { .kind = BURST_VISIT, .object = 1, .other = 1 };
			struct burst_event sleep = { .kind = BURST_OUTSIDE, .waited_ns = (int64_t)(4 * MS), .site = 5 };

			draw.at_ns = (int64_t)(at += 2 * MS);
			visit.at_ns = other.at_ns = (int64_t)(at += (late ? 6.2 : 1.2) * MS);
			burst_add(t, &draw);
			burst_add(t, &other);
			burst_add(t, &visit);
			if (late && !late_sleeps)
				continue;
			sleep.at_ns = (int64_t)(at += 4 * MS);
			burst_add(t, &sleep);
		}
		r = replay_learn(&burst, 1, REGIONS - 1, 1);
		replay_facts(r, &f);
		assert_int_equal(f.frames_ns > 0, !late_sleeps);
		near(asked(r, &p, 1, 0.5).gain, late_sleeps ? 3.0 / 26.6 : 1.0 / 22.6, 0.005);
		replay_free(r);
		burst_release(&burst);
	}
}

/*
 * The first thread waits at one place for the second one, and at another one for the outside.  If both are the same
 * place, it waits there for any of several things.  Then the threads may decide when the outside ends such a wait.
 */
static double doubt_of_outside(uint32_t site_of_threads, uint32_t site_of_outside)
{
	const struct program p = { .name = "loop" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 2 };
	struct replay_effect e;
	struct replay *r;

	for (double at = 0; at < S - 5 * MS; at += 4 * MS) {
		const struct burst_event first[] = {
			{ .kind = BURST_RELEASE, .at_ns = (int64_t)(at + 0.1 * MS), .object = 8, .site = 1 },
			{ .kind = BURST_ACQUIRE, .at_ns = (int64_t)(at + 2 * MS), .waited_ns = (int64_t)(1.9 * MS), .object = 9, .site = site_of_threads },
			{ .kind = BURST_OUTSIDE, .at_ns = (int64_t)(at + 3 * MS), .waited_ns = (int64_t)MS, .site = site_of_outside },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 3.4 * MS), .waited_ns = (int64_t)MS, .object = 2 },
			{ .kind = BURST_VISIT, .at_ns = (int64_t)(at + 3.5 * MS), .object = 1, .other = 1 },
		};
		const struct burst_event second[] = {
			{ .kind = BURST_ACQUIRE, .at_ns = (int64_t)(at + 0.1 * MS), .waited_ns = (int64_t)MS, .object = 8, .site = 2 },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 1 * MS), .waited_ns = (int64_t)MS, .object = 1 },
			{ .kind = BURST_RELEASE, .at_ns = (int64_t)(at + 2 * MS), .object = 9, .site = 3 },
		};

		for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
			burst_add(burst_thread(&burst, 1), &first[i]);
		for (size_t i = 0; i < sizeof(second) / sizeof(*second); i++)
			burst_add(burst_thread(&burst, 2), &second[i]);
	}
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	e = asked(r, &p, 1, 0.5);
	replay_free(r);
	burst_release(&burst);
	return e.open;
}

static void waits_for_any_of_several_things(void **state)
{
	(void)state;
	near(doubt_of_outside(4, 5), 0, 0.01);
	assert_true(doubt_of_outside(4, 4) > 0.1);
}

/*
 * An event loop, which ticks wake, sends messages to a consumer whose queue is mostly full.  retries: it has tried in vain before
 * each send, so it was the consumer that let it send, and not the tick.  Returns the gain when the consumer is faster.
 */
static double gain_of_consumer(bool retries)
{
	const struct program p = { .name = "full" };
	struct burst burst = { .length_ns = (int64_t)S, .cpus = 3 };
	struct replay_effect e;
	struct replay *r;

	for (double at = 0; at < S - 2 * MS; at += MS) {
		const struct burst_event loop[] = {
			{ .kind = BURST_ACQUIRE, .any = true, .at_ns = (int64_t)(at + 0.51 * MS), .waited_ns = (int64_t)(0.9 * MS), .object = 4, .site = 1 },
			{ .kind = BURST_ACQUIRE, .any = retries, .at_ns = (int64_t)(at + 0.52 * MS), .object = 3, .site = 2 },
			{ .kind = BURST_RELEASE, .at_ns = (int64_t)(at + 0.53 * MS), .object = 5, .site = 2 },
		};
		const struct burst_event consumer[] = {
			{ .kind = BURST_RELEASE, .at_ns = (int64_t)at, .object = 3, .site = 3 },
			{ .kind = BURST_ACQUIRE, .at_ns = (int64_t)(at + 0.01 * MS), .object = 5, .site = 3 },
			{ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + 0.5 * MS), .waited_ns = (int64_t)MS, .object = 1 },
			{ .kind = BURST_VISIT, .at_ns = (int64_t)(at + 0.99 * MS), .object = 1, .other = 1 },
		};
		const struct burst_event ticker[] = {
			{ .kind = BURST_OUTSIDE, .at_ns = (int64_t)(at + 0.5 * MS), .waited_ns = (int64_t)(0.9 * MS), .site = 4 },
			{ .kind = BURST_RELEASE, .at_ns = (int64_t)(at + 0.505 * MS), .object = 4, .site = 5 },
		};

		for (size_t i = 0; i < sizeof(loop) / sizeof(*loop); i++)
			burst_add(burst_thread(&burst, 1), &loop[i]);
		for (size_t i = 0; i < sizeof(consumer) / sizeof(*consumer); i++)
			burst_add(burst_thread(&burst, 2), &consumer[i]);
		for (size_t i = 0; i < sizeof(ticker) / sizeof(*ticker); i++)
			burst_add(burst_thread(&burst, 3), &ticker[i]);
	}
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	e = asked(r, &p, 1, 0.5);
	replay_free(r);
	burst_release(&burst);
	return e.model[REPLAY_MONITOR].gain;
}

static void room_lets_a_loop_go_on(void **state)
{
	(void)state;
	near(gain_of_consumer(true), 0.48, 0.03);
	assert_true(gain_of_consumer(false) < 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_waits_that_nobody_ended),
		cmocka_unit_test(of_few_waits_that_nobody_ended),
		cmocka_unit_test(of_waits_for_the_clock),
		cmocka_unit_test(of_a_clock_that_is_never_waited_for),
		cmocka_unit_test(beside_a_thread_that_polls),
		cmocka_unit_test(frames_of_whole_ms),
		cmocka_unit_test(waits_for_any_of_several_things),
		cmocka_unit_test(room_lets_a_loop_go_on),
	};

	return UNIT_MAIN(tests);
}
