/*
 * What replay can be asked beside one region of recorded seconds: several regions,
 * shorter sleeps, a lock less, and whole runs.  And how well an answer is known: from few
 * samples, with phases, and with what experiments know of the rest of the run.
 */
#include "unit.h"

#include <math.h>

#include "replayed.h"
#include "world_processors.h"
#include "world_queues.h"

/* Other changes that a question may contain, beside regions. */
static struct changed {
	double sleeps; /* factor */
	bool lockless;
} changed;

static void sleeper(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(1 * MS));
		sleep_ns(changed.sleeps * about(2 * MS), 94);
		visit();
	}
}

static void lock_or_not(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(0.4 * MS));
		if (!changed.lockless)
			lock(&shared, 31);
		compute(2, about(0.8 * MS));
		if (!changed.lockless)
			unlock(&shared, 32);
		visit();
	}
}

static void locks_or_not(void *unused)
{
	(void)unused;
	shared = (struct mutex){ .id = 10 };
	two_of(lock_or_not, lock_or_not);
}

static void of_shorter_sleeps(void **state)
{
	struct program p = { .name = "sleeper", .body = sleeper, .cpus = 2 };
	const struct replay_outside half = { .site = 94, .factor = 0.5 }, elsewhere = { .site = 95, .factor = 0.5 };
	struct replay *r;
	double base;

	(void)state;
	changed = (struct changed){ .sleeps = 1 };
	r = recorded(&p, 1 * S, 11);
	base = measured(&p, NULL, 1);
	changed.sleeps = 0.5;
	near(answered(r, &(struct replay_question){ .outside = &half, .noutside = 1 }), 1 - measured(&p, NULL, 1) / base, CLOSE);
	near(answered(r, &(struct replay_question){ .outside = &elsewhere, .noutside = 1 }), 0, 1e-9);
	replay_free(r);
}

static void of_a_lock_less(void **state)
{
	struct program p = { .name = "lock or not", .body = locks_or_not, .cpus = 2 };
	const uint32_t lock_id = 10;
	struct replay *r;
	double base;

	(void)state;
	changed = (struct changed){ .sleeps = 1 };
	r = recorded(&p, 1 * S, 11);
	base = measured(&p, NULL, 1);
	changed.lockless = true;
	near(answered(r, &(struct replay_question){ .without = &lock_id, .nwithout = 1 }), 1 - measured(&p, NULL, 1) / base, CLOSE);
	replay_free(r);
}

/* A run that ends: all of it in one burst. */
static void part(void *region)
{
	for (int i = 0; i < 100; i++) {
		compute(*(uint32_t *)region, about(2 * MS));
		compute(3, about(1 * MS));
	}
}

static void whole(void *unused)
{
	static uint32_t one = 1, two = 2;
	struct task *a, *b;

	(void)unused;
	compute(4, 100 * MS);
	a = create(part, &one, 13);
	b = create(part, &two, 14);
	join_task(a, 11);
	join_task(b, 12);
	compute(4, 100 * MS);
}

static double whole_ns(const double *smaller, struct burst *burst, double length)
{
	const struct settings set = { .cpus = 2, .seed = 5, .smaller = smaller, .length = length, .end = 100 * S };

	world_run(whole, NULL, &set, burst);
	return w.now;
}

static void of_whole_runs(void **state)
{
	const double shorter[REGIONS] = { 0, 0.5, 0.25, 0, 0.5 };
	struct burst b = { 0 };
	double base = whole_ns(NULL, NULL, 0);
	struct replay *r;
	struct replay_answer a;

	(void)state;
	whole_ns(NULL, &b, base + 1);
	r = replay_learn(&b, 1, REGIONS - 1, 1);
	replay_ask(r, &(struct replay_question){ .shorter = shorter }, &a);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.effect[0].what, REPLAY_WHOLE);
	near(a.effect[0].gain, 1 - whole_ns(shorter, NULL, 0) / base, CLOSE);
	near(a.effect[0].model[REPLAY_MONITOR].base_ns / base, 1, 0.01);
	replay_answer_release(&a);
	replay_free(r);
	burst_release(&b);
}

static void of_several_regions(void **state)
{
	struct program p = { .name = "queue", .body = bounded_queue, .cpus = 2 };
	const double shorter[REGIONS] = { 0, 0.3, 0.5, 0.2 };
	struct replay *r = recorded(&p, 1 * S, 11);

	(void)state;
	near(answered(r, &(struct replay_question){ .shorter = shorter }), 1 - measured(&p, shorter, 1) / measured(&p, NULL, 1), CLOSE);
	near(answered(r, NULL), 0, 1e-9);
	replay_free(r);
}

/* For a program of one thread only its shares count, and those are known from the whole run. */
static void of_one_thread(void **state)
{
	const struct program p = { .name = "serial", .body = serial, .cpus = 2 };
	struct replay_known known = { .part = 0.1, .samples = 10000, .waited_ns = S, .length_ns = 10 * S, .period_ns = MS, .alone = true, .busy = 0.9 };
	struct replay *r = recorded(&p, 1 * S, 11);
	struct replay_effect e = asked_knowing(r, 1, 0.5, &known);

	(void)state;
	near(e.gain, 0.9 * 0.1 + 0.1, 1e-9);
	near(e.phases, 0, 1e-9);
	assert_true(e.se < 0.02);
	/* A region without a sample in the bursts: 5 of 100 samples of the run are known to 2 per cent, of which half is gained. */
	known = (struct replay_known){ .part = 0.5 * 0.05, .samples = 100, .shorter = 0.5, .length_ns = 10 * S, .period_ns = MS, .alone = true, .busy = 1 };
	e = asked_knowing(r, REGIONS - 1, 0, &known);
	near(e.gain, 0.025, 1e-9);
	assert_true(e.se > 0.01 && e.se < 0.03);
	replay_free(r);
}

/* A region that computes more in the whole run than in the bursts is worth more. */
static void of_other_phases(void **state)
{
	const struct program p = { .name = "queue", .body = bounded_queue, .cpus = 2 };
	struct replay *r = recorded(&p, 1 * S, 11);
	/* 0.7 of 1.9 ms of computing; a tenth of that. */
	struct replay_known known = { .part = 0.1 * 0.7 / 1.9, .samples = 1e6, .length_ns = 1000 * S, .period_ns = MS };
	const struct replay_effect before = asked(r, &p, 2, 0.1), same = asked_knowing(r, 2, 0.1, &known);
	struct replay_effect e;

	(void)state;
	/* The samples of the bursts say 0.096. */
	near(same.gain, 0.07, 0.01);
	near(same.phases, 0, 0.002);
	assert_true(same.se <= before.se);
	known.part *= 1.5;
	e = asked_knowing(r, 2, 0.1, &known);
	near(e.gain, 1.5 * same.gain, 0.02);
	assert_true(e.phases > 0.005 && e.phases < 0.03);
	/* Waits that the bursts did not see: of a tenth of the time, half may be gained, or none. */
	known.part /= 1.5;
	known.waited_ns = 100 * S;
	e = asked_knowing(r, 2, 0.1, &known);
	near(e.gain, same.gain + 0.05, 0.001);
	near(e.phases, 0.05, 0.01);
	replay_free(r);
}

/* A burst that was full after ten milliseconds has ten samples or so, and what these gain together is not known well. */
static void of_few_samples(void **state)
{
	const struct program p = { .name = "queue", .body = bounded_queue, .cpus = 2 };
	struct replay *few = recorded(&p, 10 * MS, 11), *many = recorded(&p, 1 * S, 11);
	const struct replay_known known = { .part = 0.5 * 0.7 / 1.9, .samples = 1e6, .length_ns = 1000 * S, .period_ns = MS };
	const struct replay_effect e = asked_knowing(few, 2, 0.5, &known), of_many = asked_knowing(many, 2, 0.5, &known);

	(void)state;
	assert_true(of_many.se < 0.1 * of_many.gain);
	assert_true(e.se > 0.2 * e.gain && e.se < e.gain);
	replay_free(few);
	replay_free(many);
}

/* Two threads that are in region 1 for 50 ms, and then in region 2, which takes a lock elsewhere. */
static void phased_member(void *unused)
{
	(void)unused;
	for (;;) {
		uint32_t region = (uint64_t)(w.now / (50 * MS)) % 2 ? 2 : 1;

		compute(region, about(1 * MS));
		lock(&shared, 70 + region);
		unlock(&shared, 72 + region);
		visit();
	}
}

static void phased(void *unused)
{
	(void)unused;
	shared = (struct mutex){ .id = 10 };
	members(phased_member, 2);
}

/* If the share of the whole run is known, it does not matter that parts of a burst differ by their shares. */
static void of_phases_in_a_burst(void **state)
{
	const struct program p = { .name = "phased", .body = phased, .cpus = 2 };
	struct replay *r = recorded(&p, 1 * S, 11);
	const struct replay_known known = { .part = 0.25, .samples = 1e6, .length_ns = 1000 * S, .period_ns = MS };
	const struct replay_effect unknown = asked(r, &p, 1, 0.5), e = asked_knowing(r, 1, 0.5, &known);

	(void)state;
	assert_true(unknown.se > 0.03);
	near(e.gain, 0.25, 0.01);
	assert_true(e.se < 0.01);
	replay_free(r);
}

/*
 * One thread whose rounds of 2 ms begin with region 1, for half of them.  A timer of 4 ms samples it; `drift_ns` more from sample to
 * sample.  The standard error of region 1, 50 % faster.
 */
static double error_if_sampled(double drift_ns)
{
	struct burst burst = { .length_ns = (int64_t)(4 * S), .cpus = 1 };
	struct replay_known known = { .length_ns = 4 * S, .period_ns = 4 * MS, .alone = true, .busy = 1 };
	struct replay *r;
	double at = 0.3 * MS, met = 0, se;

	for (double visit = 2 * MS; visit < 4 * S; visit += 2 * MS) {
		for (; at < visit; at += 4 * MS + drift_ns) {
			bool first = fmod(at, 2 * MS) < MS;

			burst_add(burst_thread(&burst, 1), &(struct burst_event){ .kind = BURST_SAMPLE, .at_ns = (int64_t)at,
				.object = first ? 1 : 2, .waited_ns = (int64_t)(4 * MS) });
			known.samples++;
			met += first;
		}
		burst_add(burst_thread(&burst, 1), &(struct burst_event){ .kind = BURST_VISIT, .at_ns = (int64_t)visit, .object = 1, .other = 1 });
	}
	known.part = 0.5 * met / known.samples;
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	se = asked_knowing(r, 1, 0.5, &known).se;
	replay_free(r);
	burst_release(&burst);
	return se;
}

static void samples_in_step_say_little(void **state)
{
	(void)state;
	assert_true(error_if_sampled(0.0137 * MS) < 0.02);
	/* All samples are of region 1, at one moment of its round. */
	assert_true(error_if_sampled(0) > 0.2);
	/* They cross half of the round in four seconds. */
	assert_true(error_if_sampled(0.001 * MS) > 0.1);
}

/*
 * Rounds of 0.2 ms, of which region 1 takes a fourth.  A tick interrupts one in 20, which becomes longer by the 50 us that the sample
 * takes.  A few samples cost nothing, and these are of region 1.
 */
static void samples_take_time(void **state)
{
	const struct program p = { .name = "sampled" };
	struct burst burst = { .length_ns = (int64_t)(4 * S), .cpus = 1 };
	struct burst_thread *t = burst_thread(&burst, 1);
	struct replay *r;
	unsigned n = 0, samples = 0;

	(void)state;
	for (double at = 0; at < 3.9 * S; n++) {
		bool sampled = n % 20 == 0, cheap = sampled && samples % 20 == 0, first = cheap || samples % 4 == 1;

		if (sampled)
			burst_add(t, &(struct burst_event){ .kind = BURST_SAMPLE, .at_ns = (int64_t)(at + (first ? 0.03 : 0.12) * MS),
				.object = first ? 1 : 2, .waited_ns = (int64_t)(4 * MS) });
		samples += sampled;
		at += (sampled && !cheap ? 0.25 : 0.2) * MS;
		burst_add(t, &(struct burst_event){ .kind = BURST_VISIT, .at_ns = (int64_t)at, .object = 1, .other = 1 });
	}
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	near(asked(r, &p, 1, 0.5).gain, 0.15, 0.02);
	replay_free(r);
	burst_release(&burst);
}

/* A hostile log: near the end of the range, moments are not told apart by as much as events are. */
static void far_times_come_to_an_end(void **state)
{
	struct burst burst = { .length_ns = INT64_MAX, .cpus = 1 };
	struct replay_question q = { .cpus = 2 };
	struct replay_answer a;
	struct replay *r;

	(void)state;
	for (int64_t i = 0; i < 4; i++)
		burst_add(burst_thread(&burst, 1), &(struct burst_event){ .kind = BURST_VISIT, .at_ns = INT64_MAX / 4 + 100 * i, .object = 1, .other = 1 });
	r = replay_learn(&burst, 1, REGIONS - 1, 1);
	replay_ask(r, &q, &a);
	replay_answer_release(&a);
	replay_free(r);
	burst_release(&burst);
}

/* The same to the last bit, whenever it is asked. */
static void is_a_function(void **state)
{
	struct program p = { .name = "pool", .body = pool, .cpus = 2 };
	struct replay *r = recorded(&p, 0.2 * S, 11), *again = recorded(&p, 0.2 * S, 11);
	struct replay_effect a = asked(r, &p, 1, 0.4), b = asked(again, &p, 1, 0.4), c = asked(r, &p, 1, 0.4);

	(void)state;
	assert_memory_equal(&a.gain, &b.gain, sizeof(a.gain));
	assert_memory_equal(&a.se, &c.se, sizeof(a.se));
	replay_free(r);
	replay_free(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_shorter_sleeps),
		cmocka_unit_test(of_a_lock_less),
		cmocka_unit_test(of_several_regions),
		cmocka_unit_test(of_whole_runs),
		cmocka_unit_test(of_one_thread),
		cmocka_unit_test(of_other_phases),
		cmocka_unit_test(of_few_samples),
		cmocka_unit_test(of_phases_in_a_burst),
		cmocka_unit_test(samples_in_step_say_little),
		cmocka_unit_test(samples_take_time),
		cmocka_unit_test(far_times_come_to_an_end),
		cmocka_unit_test(is_a_function),
	};

	return UNIT_MAIN(tests);
}
