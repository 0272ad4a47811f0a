/*
 * The limits of a region: no more than its time, except with evidence; more than measured,
 * where other programs used the processors.
 */
#include "unit.h"

#include <math.h>

#include "analysis/limit.h"

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-6 + 1e-3 * fabs(want)))
		fail_msg("%.12g instead of %.12g", got, want);
}

/* One run of 10 s on two processors, with one baseline of 1 s in which 1.5 s were sampled. */
struct world {
	struct profile p;
	struct profile_run run;
	struct profile_window window;
	struct profile_region region;
};

static struct world *world(void)
{
	static struct world w;

	w = (struct world){ 0 };
	w.run = (struct profile_run){ .cpus = 2, .period_ns = 1000000, .wall_ns = 10000000000, .share_total = 15000 };
	w.run.spent.cpu = 15000;
	w.window = (struct profile_window){ .region = PROFILE_NONE, .wall_ns = 1e9, .sampled_ns = 1.5e9 };
	w.p = (struct profile){ .run = &w.run, .nruns = 1, .window = &w.window, .nwindows = 1, .region = &w.region, .nregions = 1 };
	w.region = (struct profile_region){ .plain_samples = 1500 };
	return &w;
}

static double limit_of(struct world *w)
{
	struct limits l;

	limits_init(&l, &w->p);
	return limits_slope(&l, &w->region);
}

static void test_time_is_the_limit(void **state)
{
	struct world *w = world();
	double slack = 1.1 + 3 / sqrt(1500);

	(void)state;
	/* A tenth of the samples of 1.5 processors. */
	near(limit_of(w), 0.012 + 0.15 * slack);
	/* Half a second of waits in ten, beside. */
	w->region.plain_blocked = 500;
	near(limit_of(w), 0.012 + 0.20 * (1.1 + 3 / sqrt(2000)));
	/* Never more than one for one. */
	w->region.plain_samples = 15000;
	near(limit_of(w), 1.03);
}

static void test_what_waits_for_a_processor_would_do_more(void **state)
{
	struct world *w = world();

	(void)state;
	w->run.spent.runqueue = 15000;
	near(limit_of(w), 0.012 + 0.30 * (1.1 + 3 / sqrt(1500)));
	/* Windows tell more than samples do, or less. */
	w->window.queued_ns = 3e9;
	near(limit_of(w), 0.012 + 0.45 * (1.1 + 3 / sqrt(1500)));
	w->window.queued_ns = 0.1e9;
	near(limit_of(w), 0.012 + 0.30 * (1.1 + 3 / sqrt(1500)));
}

static void test_nothing_known_no_limit(void **state)
{
	struct world *w = world();

	(void)state;
	w->window.sampled_ns = 0;
	assert_true(isinf(limit_of(w)));
	w = world();
	w->region.plain_samples = 0;
	assert_true(isinf(limit_of(w)));
	w = world();
	w->region.scope = (char *)(uintptr_t) "class";
	assert_true(isinf(limit_of(w)));
	/* With a given region, baselines are changed. */
	w = world();
	w->run.given = true;
	assert_true(isinf(limit_of(w)));
	w = world();
	w->window.disturbed = true;
	assert_true(isinf(limit_of(w)));
}

static struct causal_level level;

static struct causal_effect effect(double slope, double se, double df)
{
	struct causal_effect e = { .level = &level, .nlevels = 1, .period_ns = 1e6 };
	struct estimate fit = { .value = slope, .se = se, .df = df };

	stats_estimate_finish(&fit);
	e.fit.slope = e.fit.cost = fit;
	e.fit.cost = (struct estimate){ .value = slope * 1e6, .se = se * 1e6, .df = df };
	stats_estimate_finish(&e.fit.cost);
	level = (struct causal_level){ .s = 0.5, .gain = { .value = slope / 2, .se = se / 2, .df = df } };
	stats_estimate_finish(&level.gain);
	return e;
}

static const struct limits quiet = { .busy = 1 };

static void test_intervals_are_cut(void **state)
{
	struct causal_effect e = effect(0.2, 0.3, 10);

	(void)state;
	limits_apply(&quiet, 0.1, &e);
	near(e.fit.slope.lo, -0.1);
	near(e.fit.slope.hi, 0.1);
	near(e.fit.slope.value, 0.1);
	near(e.fit.cost.hi, 0.1e6);
	near(level.gain.hi, 0.05);
	near(level.gain.lo, -0.05);
	/* An interval that is already narrow stays. */
	e = effect(0.05, 0.01, 10);
	limits_apply(&quiet, 0.1, &e);
	near(e.fit.slope.hi, 0.05 + stats_t95(10) * 0.01);
	near(e.fit.slope.value, 0.05);
}

/* The numbers are those of crc32_z in pigz, which has 0.5 % of the samples. */
static void test_chance_is_no_evidence(void **state)
{
	struct causal_effect e = effect(0.74, 0.22, 8);

	(void)state;
	limits_apply(&quiet, 0.02, &e);
	assert_true(e.fit.slope.hi <= 0.02 && e.fit.slope.lo <= e.fit.slope.value && e.fit.slope.value <= e.fit.slope.hi);
	assert_true(e.fit.slope.p > 0.5);
	/* An interval that is moved to the limit keeps its width: it is no more certain than before. */
	e = effect(0.5, 0.1, 8);
	limits_apply(&quiet, 0.3, &e);
	near(e.fit.slope.value, 0.3);
	near(e.fit.slope.hi, 0.3);
	near(e.fit.slope.lo, 0.3 - stats_t95(8) * 0.1);
}

static void test_evidence_is(void **state)
{
	struct causal_effect e = effect(0.74, 0.02, 30);

	(void)state;
	limits_apply(&quiet, 0.02, &e);
	near(e.fit.slope.value, 0.74);
	near(e.fit.slope.hi, 0.74 + stats_t95(30) * 0.02);
	e = effect(-0.74, 0.02, 30);
	limits_apply(&quiet, 0.02, &e);
	near(e.fit.slope.value, -0.74);
}

static void test_no_error_no_cut(void **state)
{
	struct causal_effect e = effect(0.74, INFINITY, 1);

	(void)state;
	limits_apply(&quiet, 0.02, &e);
	near(e.fit.slope.value, 0.74);
	assert_true(isinf(e.fit.slope.hi));
}

/*
 * A thread that has a processor for a third of the time that it wants it: the measured
 * share of a region is a third, too.
 */
static void test_others_hide_it(void **state)
{
	const struct limits busy = { .busy = 1, .queued = 2 / 3. };
	struct causal_effect e = effect(0.16, 0.02, 20);
	double hi = e.fit.slope.hi, lo = e.fit.slope.lo;

	(void)state;
	limits_apply(&busy, INFINITY, &e);
	near(e.fit.slope.hi, 3 * hi);
	near(e.fit.slope.lo, lo);
	near(e.fit.slope.value, 0.16);
	/* One of two threads queues behind the other one, too, which used 0.75 processors; others used 1.5. */
	{
		struct world *w = world();
		struct limits l;

		w->run.spent.runqueue = 5000;
		w->window.outside_ns = 1.5e9;
		limits_init(&l, &w->p);
		near(l.queued, 0.25 * 1.5 / 2.25);
		/* One thread alone queues behind others only. */
		w->window.sampled_ns = 0.75e9;
		limits_init(&l, &w->p);
		near(l.queued, 0.25);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_is_the_limit),
		cmocka_unit_test(test_what_waits_for_a_processor_would_do_more),
		cmocka_unit_test(test_nothing_known_no_limit),
		cmocka_unit_test(test_intervals_are_cut),
		cmocka_unit_test(test_chance_is_no_evidence),
		cmocka_unit_test(test_evidence_is),
		cmocka_unit_test(test_no_error_no_cut),
		cmocka_unit_test(test_others_hide_it),
	};

	return UNIT_MAIN(tests);
}
