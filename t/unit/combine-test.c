/* Experiments and replay: when they are averaged, when not, and which runs of replay count. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "analysis/combine.h"
#include "base/alloc.h"

enum { MOST = 8 };

/* Point 0, region 0; what replay says of some runs at 50 %, and experiments of all of them. */
struct world {
	struct profile p;
	struct profile_point point;
	struct profile_replayed replayed[MOST];
	struct causal_effect e;
	struct causal_level level;
	struct estimate measured, alone;
};

static struct world *world(double slope, double se)
{
	static struct world w;

	w = (struct world){ .e = CAUSAL_NO_EFFECT };
	w.p.replayed = w.replayed;
	w.point.clocked = NAN;
	w.p.point = &w.point;
	w.p.npoints = 1;
	w.e.fit.slope = w.e.fit.cost = (struct estimate){ .value = slope, .se = se, .lo = slope - 1.96 * se, .hi = slope + 1.96 * se, .df = 1e6, .p = 0.01 };
	w.e.period_ns = 1;
	w.level = (struct causal_level){ .s = 0.5, .gain = { .value = slope / 2, .se = se / 2, .df = 1e6 } };
	w.e.level = &w.level;
	w.e.nlevels = 1;
	return &w;
}

/* All models say the same. */
static struct profile_replayed *add(struct world *w, double gain, double se)
{
	struct profile_replayed *r = &w->replayed[w->p.nreplayed++];

	*r = (struct profile_replayed){ .s = 0.5, .gain = gain, .chance = se, .se = se, .trust = 1, .length_ns = 1000 };
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		r->model[k] = (struct replay_modelled){ .gain = gain, .weight = k == REPLAY_MONITOR ? 0.9 : 0.05 };
	return r;
}

static enum combined combine(struct world *w)
{
	return combine_apply(&w->p, 0, 0, &w->e, &w->measured, &w->alone);
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 0.01))
		fail_msg("%g instead of %g", got, want);
}

static void nothing_without_replay(void **state)
{
	struct world *w = world(0.4, 0.05);

	(void)state;
	assert_int_equal(combine(w), COMBINED_NOT);
	near(w->e.fit.slope.value, 0.4);
}

/* Each is weighted by its variance. */
static void both_are_averaged(void **state)
{
	struct world *w = world(0.5, 0.1);

	(void)state;
	add(w, 0.2, 0.005);
	assert_int_equal(combine(w), COMBINED_AGREES);
	near(w->alone.value, 0.4);
	near(w->e.fit.slope.value, 0.41);
	assert_true(w->e.fit.slope.hi - w->e.fit.slope.lo < 0.13);
	near(w->level.gain.value, 0.205);
}

/* The width of the interval if experiments say `measured`, with a standard error of 0.1, and replay 0.4. */
static double width_with(double measured)
{
	struct world *w = world(measured, 0.1);

	add(w, 0.2, 0.005);
	combine(w);
	return w->e.fit.slope.hi - w->e.fit.slope.lo;
}

/* By two and a half standard errors: the noisier one is rather wrong, but the other is less sure, too. */
static void apart_is_less_sure(void **state)
{
	struct world *w = world(0.65, 0.1);

	(void)state;
	add(w, 0.2, 0.005);
	assert_int_equal(combine(w), COMBINED_AGREES);
	assert_true(w->e.fit.slope.value > 0.4 && w->e.fit.slope.value < 0.5);
	assert_true(w->e.fit.slope.lo < 0.4);
	assert_true(w->e.fit.slope.hi - w->e.fit.slope.lo > 1.3 * width_with(0.4));
}

/* Experiments of which little is known say nothing against replay. */
static void noise_is_no_doubt(void **state)
{
	struct world *w = world(0.9, 0.3);

	(void)state;
	add(w, 0.2, 0.005);
	assert_int_equal(combine(w), COMBINED_AGREES);
	near(w->e.fit.slope.value, 0.41);
	assert_true(w->e.fit.slope.hi - w->e.fit.slope.lo < 0.16);
}

/* The reverse: replay knows that it knows little. */
static void a_replay_that_knows_nothing_takes_nothing_away(void **state)
{
	struct world *w = world(0.7, 0.05);

	(void)state;
	add(w, 0.03, 0.21);
	assert_int_equal(combine(w), COMBINED_AGREES);
	assert_true(w->e.fit.slope.value > 0.62);
	assert_true(w->e.fit.slope.hi - w->e.fit.slope.lo < 0.5);
}

/* Two threads of 100 and 80: 20 % at any speedup from 20 % on.  Replay has tried 25 and 50. */
static void a_knee_before_the_first_speedup_leaves_the_slope_to_experiments(void **state)
{
	struct world *w = world(0.96, 0.04);

	(void)state;
	add(w, 0.198, 0.003)->s = 0.25;
	add(w, 0.199, 0.003);
	w->level.s = 0.2;
	w->level.gain.value = 0.196;
	w->level.gain.se = 0.01;
	assert_int_equal(combine(w), COMBINED_AGREES);
	near(w->alone.value, 0.896); /* from 0.79 to 1 */
	assert_true(w->e.fit.slope.value > 0.93 && w->e.fit.slope.hi > 1);
	near(w->level.gain.value, 0.19);
	assert_true(w->level.gain.hi > 0.2);
}

static void far_apart_is_a_contradiction(void **state)
{
	struct world *w = world(0.9, 0.05);

	(void)state;
	add(w, 0.2, 0.005);
	assert_int_equal(combine(w), COMBINED_CONTRADICTS);
	assert_true(w->e.fit.slope.value > 0.4 && w->e.fit.slope.value < 0.65);
	assert_true(w->e.fit.slope.lo <= 0.4 && w->e.fit.slope.hi >= 0.9);
}

static void what_could_not_be_computed_does_not_count(void **state)
{
	struct world *w = world(0.5, 0.1);

	(void)state;
	add(w, NAN, 0.001);
	add(w, 0.05, 0.001)->point = 1;
	add(w, 0.05, 0.001)->region = 1;
	assert_int_equal(combine(w), COMBINED_NOT);
}

/* Runs that differ by more than chance have seen different phases. */
static void runs_that_differ_are_uncertain(void **state)
{
	struct world *w = world(0.4, 1);
	double alike, unlike;

	(void)state;
	add(w, 0.2, 0.005);
	add(w, 0.2, 0.005);
	combine(w);
	alike = w->alone.se;
	w = world(0.4, 1);
	add(w, 0.1, 0.005);
	add(w, 0.3, 0.005);
	combine(w);
	unlike = w->alone.se;
	near(w->alone.value, 0.4);
	near(unlike, 0.2);
	assert_true(alike < 0.04);
}

/* A part of a short run is one of its phases. */
static void whole_runs_count_alone(void **state)
{
	struct world *w = world(0.4, 1);

	(void)state;
	add(w, 0.45, 0.001);
	add(w, 0.2, 0.02)->whole = true;
	combine(w);
	near(w->alone.value, 0.4);
	w = world(0.4, 1);
	add(w, 0.45, 0.001);
	add(w, 0.2, 0.02)->whole = true;
	w->replayed[1].gain = NAN;
	combine(w);
	near(w->alone.value, 0.9);
}

/* One of four short runs has samples of the region, and knows it worse than the others know that they have none. */
static void short_runs_count_alike(void **state)
{
	struct world *w = world(0, 10);

	(void)state;
	add(w, 0.2, 0.1);
	for (int i = 0; i < 3; i++)
		add(w, 0, 0.01);
	combine(w);
	near(w->alone.value, 0.1);
	assert_true(w->alone.se > 0.05);
	/* One that is as long as all others together counts as much. */
	w->replayed[0].length_ns = 3000;
	combine(w);
	near(w->alone.value, 0.2);
}

static enum combined combine_with_warning(struct world *w, const char *what)
{
	struct profile_warning warning = { .what = (char *)(uintptr_t)what, .text = (char[]){ "" }, .times = 1 };

	w->p.warning = &warning;
	w->p.nwarnings = 1;
	return combine(w);
}

/* Where a warning says that experiments are wrong, replay counts alone. */
static void replay_replaces_wrong_experiments(void **state)
{
	static const char *const what[] = { "absolute-timer", "oversubscribed" };

	(void)state;
	for (size_t i = 0; i < sizeof what / sizeof what[0]; i++) {
		struct world *w = world(0.5, 0.04);

		add(w, 0.1, 0.02);
		assert_int_equal(combine_with_warning(w, what[i]), COMBINED_REPLACED);
		near(w->e.fit.slope.value, 0.2);
		near(w->level.gain.value, 0.1);
		near(w->measured.value, 0.5);
	}
}

/* Experiments were wrong of the shape, too; and of speedups that replay has not tried. */
static void the_curve_is_then_that_of_replay(void **state)
{
	struct profile_warning warning = { .what = (char[]){ "absolute-timer" }, .times = 1 };
	struct world *w = world(0.4, 0.05);
	struct causal_level level[2] = { w->level, w->level };

	(void)state;
	w->p.warning = &warning;
	w->p.nwarnings = 1;
	w->p.nruns = 1;
	level[1].s = 1;
	w->e.level = level;
	w->e.nlevels = 2;
	w->e.knee = w->e.knee_lo = w->e.knee_hi = 0.4;
	w->e.notes = CAUSAL_CONTENTION | CAUSAL_LOW_KNEE;
	add(w, 0.3, 0.01);
	add(w, 0.45, 0.01)->s = 0.75;
	assert_int_equal(combine(w), COMBINED_REPLACED);
	assert_true(isnan(w->e.knee));
	assert_int_equal(w->e.notes, 0);
	assert_int_equal(w->e.nlevels, 1);
	near(level[0].gain.value, 0.3);
}

/* One busy minute in an hour says nothing of the hour. */
static void a_warning_of_one_run_in_many_replaces_nothing(void **state)
{
	struct profile_warning warning = { .what = (char[]){ "absolute-timer" }, .times = 1 };
	struct world *w = world(0.4, 0.05);

	(void)state;
	w->p.warning = &warning;
	w->p.nwarnings = 1;
	w->p.nruns = 60;
	add(w, 0.2, 0.01);
	assert_int_equal(combine(w), COMBINED_AGREES);
}

/* Queues for processors make experiments less exact; a clock that goes on makes them wrong. */
static void a_replay_that_is_less_sure_replaces_none_where_threads_queue(void **state)
{
	struct world *w = world(0.5, 0.02);

	(void)state;
	add(w, 0.1, 0.1);
	assert_int_equal(combine_with_warning(w, "oversubscribed"), COMBINED_AGREES);
	assert_true(w->e.fit.slope.value > 0.45);
	w = world(0.5, 0.02);
	add(w, 0.1, 0.1);
	assert_int_equal(combine_with_warning(w, "absolute-timer"), COMBINED_REPLACED);
}

/* A clock that no visit waits for, by replay, does no harm. */
static void a_clock_that_nothing_waits_for_replaces_nothing(void **state)
{
	struct world *w = world(0.5, 0.04);

	(void)state;
	add(w, 0.25, 0.02);
	w->point.clocked = 0.05;
	assert_int_equal(combine_with_warning(w, "absolute-timer"), COMBINED_AGREES);
	w->point.clocked = 0.2;
	assert_int_equal(combine_with_warning(w, "absolute-timer"), COMBINED_REPLACED);
}

/* Then it is no reason for a warning, either; but it is if one point waits. */
static void a_warning_of_such_a_clock_is_dropped(void **state)
{
	struct profile p = PROFILE_INIT;
	struct profile_point point[2] = { { .clocked = 0.05 }, { .clocked = 0.2 } };

	(void)state;
	profile_warn(&p, "absolute-timer", "a clock", PROFILE_NONE, 1, false);
	profile_warn(&p, "spin", "a loop", PROFILE_NONE, 1, false);
	p.point = point;
	p.npoints = 2;
	profile_drop_clock_warning(&p);
	assert_true(profile_is_warned(&p, "absolute-timer"));
	p.npoints = 1;
	profile_drop_clock_warning(&p);
	assert_false(profile_is_warned(&p, "absolute-timer"));
	assert_true(profile_is_warned(&p, "spin"));
	p.point = NULL;
	p.npoints = 0;
	profile_release(&p);
}

static void not_where_threads_spin(void **state)
{
	struct profile_warning spin = { .what = (char[]){ "spin" }, .text = (char[]){ "" }, .times = 1 };
	struct world *w = world(0.5, 0.1);

	(void)state;
	add(w, 0.2, 0.005);
	w->p.warning = &spin;
	w->p.nwarnings = 1;
	assert_int_equal(combine(w), COMBINED_NOT);
}

/* Replay of a curve that is straight up to 50 %, and flat behind. */
static struct world *bent(void)
{
	struct world *w = world(0, 1);

	w->e = CAUSAL_NO_EFFECT;
	add(w, 0.2, 0.005)->s = 0.25;
	add(w, 0.4, 0.005)->s = 0.5;
	add(w, 0.42, 0.005)->s = 0.75;
	for (size_t i = 0; i < w->p.nreplayed; i++)
		w->replayed[i].measured_ns = 1000;
	return w;
}

static void without_experiments_replay_tells_all(void **state)
{
	struct world *w = bent();

	(void)state;
	assert_true(combine_replay_alone(&w->p, 0, 0, &w->e));
	assert_int_equal(w->e.fit.basis, CAUSAL_EVENTS);
	near(w->e.fit.slope.value, 0.8);
	assert_true(w->e.fit.slope.lo < 0.8 && w->e.fit.slope.hi > 0.8 && w->e.fit.slope.p < 0.001);
	near(w->e.fit.cost.value, 800);
	near(w->e.period_ns, 1000);
	assert_int_equal(w->e.nlevels, 3);
	near(w->e.level[2].s, 0.75);
	near(w->e.level[2].gain.value, 0.42);
	/* The line is as high as the flat part there. */
	near(w->e.knee, 0.525);
	near(w->e.knee_lo, 0.5);
	near(w->e.knee_hi, 0.75);
	causal_effect_release(&w->e);
}

/* Replay of three speedups, and the slope that follows. */
static struct estimate slope_of(const double gain[3], const double se[3])
{
	static const double s[3] = { 0.15, 0.5, 0.75 };
	struct world *w = world(0, 1);
	struct estimate slope;

	w->e = CAUSAL_NO_EFFECT;
	for (size_t i = 0; i < 3; i++)
		add(w, gain[i], se[i])->s = s[i];
	for (size_t i = 0; i < 3; i++)
		w->replayed[i].measured_ns = 1000;
	assert_true(combine_replay_alone(&w->p, 0, 0, &w->e));
	slope = w->e.fit.slope;
	causal_effect_release(&w->e);
	return slope;
}

static double half_of(struct estimate e)
{
	return (e.hi - e.lo) / 2;
}

/* Noise at the lowest speedup does not make a straight curve bent: the highest one tells the slope. */
static void a_noisy_first_speedup_does_not_hide_the_slope(void **state)
{
	static const double gain[] = { 0.011, 0.055, 0.082 }, se[] = { 0.0146, 0.0155, 0.0135 };
	struct estimate slope = slope_of(gain, se);

	(void)state;
	near(slope.value, 0.109333);
	assert_true(half_of(slope) < 0.06);
}

/* A curve that bends has the slope of its begin; where noise hides the bend, the interval is wide enough for both. */
static void a_bent_curve_has_the_slope_of_its_begin(void **state)
{
	static const double gain[] = { 0.15, 0.30, 0.31 }, sure[] = { 0.005, 0.01, 0.01 }, unsure[] = { 0.06, 0.06, 0.06 };
	struct estimate slope = slope_of(gain, sure);

	(void)state;
	near(slope.value, 1);
	assert_true(half_of(slope) < 0.12);
	slope = slope_of(gain, unsure);
	assert_true(slope.lo < 0.6 && slope.hi > 0.9);
}

/* Experiments know p50 with a large error, and nothing of p99; replay knows both.  The mean is not mixed up with them. */
static void percentiles_are_combined_too(void **state)
{
	struct world *w = world(0.4, 0.05);
	struct percentile_level *level = xcalloc(1, sizeof *level);
	struct percentile_effect e = percentile_unknown();

	(void)state;
	e.level = level;
	e.nlevels = 1;
	*level = (struct percentile_level){ .s = 0.5, .gain = { { .value = 0.1, .se = 0.2, .df = 4 }, STATS_UNKNOWN, STATS_UNKNOWN } };
	add(w, 0.2, 0.005)->what = REPLAY_MEAN;
	add(w, 0.25, 0.005)->what = REPLAY_P50;
	add(w, 0.15, 0.005)->what = REPLAY_P99;
	assert_int_equal(combine(w), COMBINED_AGREES);
	near(w->alone.value, 0.4);
	assert_true(combine_percentiles(&w->p, 0, 0, COMBINED_AGREES, &e));
	assert_true(fabs(level->gain[0].value - 0.25) < 0.01 && level->gain[0].lo > 0.2);
	assert_true(isnan(level->gain[1].value));
	near(level->gain[2].value, 0.15);
	near(e.slope[2].value, 0.3);
	/* A region without experiments has the speedups of replay. */
	percentile_effect_release(&e);
	e = percentile_unknown();
	assert_true(combine_percentiles(&w->p, 0, 0, COMBINED_ALONE, &e));
	assert_int_equal(e.nlevels, 1);
	near(e.level[0].gain[0].value, 0.25);
	assert_true(isnan(e.level[0].gain[1].value));
	percentile_effect_release(&e);
	assert_false(combine_percentiles(&w->p, 1, 0, COMBINED_ALONE, &e));
}

static void without_experiments_what_could_not_be_computed_says_nothing(void **state)
{
	struct world *w = bent();

	(void)state;
	for (size_t i = 0; i < w->p.nreplayed; i++)
		w->replayed[i].gain = NAN;
	assert_false(combine_replay_alone(&w->p, 0, 0, &w->e));
	assert_int_equal(w->e.nlevels, 0);
	assert_false(combine_replay_alone(&w->p, 0, 1, &w->e));
}

/* Experiments that see a knee at 40 %, of which the curve of both methods knows nothing at 75 %, or does. */
static void a_knee_that_replay_does_not_see_is_refuted(void **state)
{
	for (int straight = 0; straight < 2; straight++) {
		struct world *w = world(0.4, 0.05);

		add(w, 0.2, 0.005);
		add(w, straight ? 0.3 : 0.2, 0.005)->s = 0.75;
		w->e.knee = 0.4;
		w->e.knee_lo = 0.3;
		w->e.knee_hi = 0.5;
		w->e.notes = CAUSAL_CONTENTION | CAUSAL_PHASES;
		w->level = (struct causal_level){ .s = 0.75, .gain = { .value = 0.2, .se = 0.1, .df = 1e6 } };
		assert_int_equal(combine(w), COMBINED_AGREES);
		assert_int_equal(isnan(w->e.knee), straight);
		assert_int_equal(w->e.notes, straight ? CAUSAL_PHASES : CAUSAL_CONTENTION | CAUSAL_PHASES);
	}
	(void)state;
}

static void a_check_says_why_replay_does_not_count(void **state)
{
	struct profile_warning spin = { .what = (char[]){ "spin" }, .text = (char[]){ "" }, .times = 1 };
	struct world *w = bent();

	(void)state;
	assert_int_equal(combine_check(&w->p, 1).use, REPLAY_ABSENT);
	for (size_t i = 0; i < w->p.nreplayed; i++)
		w->replayed[i].model[REPLAY_MONITOR].check = 0.98;
	assert_int_equal(combine_check(&w->p, 0).use, REPLAY_USED);
	near(combine_check(&w->p, 0).ratio, 0.98);
	near(combine_check(&w->p, 0).period_ns, 1000);
	w->p.warning = &spin;
	w->p.nwarnings = 1;
	assert_int_equal(combine_check(&w->p, 0).use, REPLAY_SPINS);
	w->p.nwarnings = 0;
	for (size_t i = 0; i < w->p.nreplayed; i++)
		w->replayed[i].unseen = 0.3;
	assert_int_equal(combine_check(&w->p, 0).use, REPLAY_USED);
	near(combine_check(&w->p, 0).unseen, 0.3);
	for (size_t i = 0; i < w->p.nreplayed; i++)
		w->replayed[i] = (struct profile_replayed){ .s = 0.5, .gain = NAN, .se = NAN, .measured_ns = 1000,
							    .model[REPLAY_MONITOR] = { .weight = 1e-6, .check = 0.5 } };
	assert_int_equal(combine_check(&w->p, 0).use, REPLAY_UNTRUSTED);
	near(combine_check(&w->p, 0).ratio, 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_without_replay),
		cmocka_unit_test(both_are_averaged),
		cmocka_unit_test(apart_is_less_sure),
		cmocka_unit_test(noise_is_no_doubt),
		cmocka_unit_test(a_knee_before_the_first_speedup_leaves_the_slope_to_experiments),
		cmocka_unit_test(a_replay_that_knows_nothing_takes_nothing_away),
		cmocka_unit_test(far_apart_is_a_contradiction),
		cmocka_unit_test(what_could_not_be_computed_does_not_count),
		cmocka_unit_test(runs_that_differ_are_uncertain),
		cmocka_unit_test(whole_runs_count_alone),
		cmocka_unit_test(short_runs_count_alike),
		cmocka_unit_test(replay_replaces_wrong_experiments),
		cmocka_unit_test(the_curve_is_then_that_of_replay),
		cmocka_unit_test(a_warning_of_one_run_in_many_replaces_nothing),
		cmocka_unit_test(a_replay_that_is_less_sure_replaces_none_where_threads_queue),
		cmocka_unit_test(a_clock_that_nothing_waits_for_replaces_nothing),
		cmocka_unit_test(a_warning_of_such_a_clock_is_dropped),
		cmocka_unit_test(not_where_threads_spin),
		cmocka_unit_test(without_experiments_replay_tells_all),
		cmocka_unit_test(percentiles_are_combined_too),
		cmocka_unit_test(a_noisy_first_speedup_does_not_hide_the_slope),
		cmocka_unit_test(a_bent_curve_has_the_slope_of_its_begin),
		cmocka_unit_test(a_knee_that_replay_does_not_see_is_refuted),
		cmocka_unit_test(without_experiments_what_could_not_be_computed_says_nothing),
		cmocka_unit_test(a_check_says_why_replay_does_not_count),
	};

	return UNIT_MAIN(tests);
}
