/* The advice for a verdict: a command if one is enough, else another remedy. */
#include "unit.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "analysis/impact.h"

enum { RUN_NS = 1000000000 };

static struct profile_run runs[1000];
static struct profile_region regions[4];

/* A case, to be changed: one region of 30 % of the samples, two speedups, windows of one run of 10 s. */
struct world {
	struct profile profile;
	struct impact impact;
};

static struct world plain(void)
{
	struct world w = { .profile = { .run = runs, .nruns = 1, .region = regions, .nregions = 1 } };

	memset(runs, 0, sizeof runs);
	memset(regions, 0, sizeof regions);
	runs[0].windows_ns = 10ull * RUN_NS;
	runs[0].share_total = 1000;
	regions[0] = (struct profile_region){ .samples = 300, .tried = true, .windows = 20 };
	w.impact = (struct impact){ .region = &regions[0], .estimated = true, .bounded = true };
	w.impact.effect = CAUSAL_NO_EFFECT;
	w.impact.effect.n = 40;
	w.impact.effect.treated = 30;
	w.impact.effect.nlevels = 2;
	w.impact.effect.fit.basis = CAUSAL_WITHIN_RUN;
	return w;
}

static void set_half(struct world *w, double half)
{
	w->impact.effect.fit.slope = (struct estimate){ .value = 0, .lo = -half, .hi = half };
}

/* An interval of a slope of 0 that needs so many times the data: the wider, the more. */
static void set_times(struct world *w, double times)
{
	double lo = 0, hi = 10;

	for (int i = 0; i < 60; i++) {
		double half = (lo + hi) / 2;

		set_half(w, half);
		*(impact_times_needed(&w->impact) < fmin(times, 51) ? &lo : &hi) = half;
	}
	set_half(w, hi);
}

static void set_runs(struct world *w, size_t n, double seconds)
{
	w->profile.nruns = n;
	for (size_t i = 0; i < n; i++)
		runs[i].windows_ns = (uint64_t)(seconds * RUN_NS);
	w->impact.effect.fit.runs = n;
}

static void wants(const struct world *w, bool whole, const char *text)
{
	char *need = impact_need(&w->impact, &w->profile, whole);

	assert_string_equal(need, text);
	free(need);
}

static void longer(void **state)
{
	struct world w = plain();

	(void)state;
	set_times(&w, 4);
	wants(&w, false, "about 4 times as many windows (record with -d 40)");
	/* what is between windows takes time, too */
	runs[0].wall_ns = 15ull * RUN_NS;
	wants(&w, false, "about 4 times as many windows (record with -d 60)");
	/* a log that was cut short */
	runs[0].wall_ns = 0;
	runs[0].seen_ns = 14ull * RUN_NS;
	wants(&w, false, "about 4 times as many windows (record with -d 56)");
	runs[0].seen_ns = runs[0].windows_ns = 0;
	wants(&w, false, "about 4 times as many windows (a longer -d)");
	w.impact.effect.treated = 40;
	wants(&w, false, "baseline windows (a longer -d)");
	w.impact.effect.treated = 0;
	wants(&w, false, "windows with this region sped up that hold visits (a longer -d)");
}

/* Two per cent of the samples: the interval ends at the limit of the region, and the windows tell nothing. */
static void cut_intervals(void **state)
{
	struct world w = plain();

	(void)state;
	set_half(&w, 0.12);
	w.impact.slope_se = 0.06;
	assert_true(impact_times_needed(&w.impact) < 10);
	w.impact.slope_se = 0.7;
	assert_true(impact_times_needed(&w.impact) > 50);
}

/* With -n alone, the time of -d is divided among more runs: each would be too short. */
static void more_runs(void **state)
{
	struct world w = plain();

	(void)state;
	w.impact.effect.fit.basis = CAUSAL_RUNS;
	set_runs(&w, 5, 4);
	set_times(&w, 3);
	wants(&w, false, "about 15 runs (record with -d 60 -n 15)");
}

static void more_whole_runs(void **state)
{
	struct world w = plain();

	(void)state;
	set_runs(&w, 12, 0.5);
	set_times(&w, 4);
	wants(&w, true, "about 48 runs (-n 48)");
}

/* No command takes more than 10 minutes or 50 runs. */
static void no_impossible_command(void **state)
{
	struct world w = plain();

	(void)state;
	set_times(&w, 40);
	runs[0].windows_ns = 15ull * RUN_NS;
	wants(&w, false, "about 40 times as many windows (record with -d 600)");
	runs[0].windows_ns = 20ull * RUN_NS;
	wants(&w, false,
	      "about 40 times as many windows, 14 minutes: rather than record so long, try a larger region, or a quieter machine");
	set_times(&w, 60);
	wants(&w, false,
	      "more than 50 times as many windows: recording longer will hardly help; try a larger region, or a quieter machine");
}

static void no_impossible_runs(void **state)
{
	struct world w = plain();

	(void)state;
	set_runs(&w, 20, 0.5);
	set_times(&w, 28);
	wants(&w, true,
	      "about 560 runs, 5 minutes: rather than record so long, try a progress point with -P or ANDWEORC_PROGRESS, or a "
	      "quieter machine");
	/* few runs, but long ones */
	set_runs(&w, 8, 60);
	set_times(&w, 5);
	wants(&w, true,
	      "about 40 runs, 40 minutes: rather than record so long, try a progress point with -P or ANDWEORC_PROGRESS, or a "
	      "quieter machine");
	w.impact.effect.fit.basis = CAUSAL_RUNS;
	set_runs(&w, 9, 2);
	set_times(&w, 45);
	wants(&w, false, "about 405 runs, 14 minutes: rather than record so long, try a larger region, or a quieter machine");
}

/* After a recording of an hour, two hours may be advised. */
static void twice_is_always_possible(void **state)
{
	struct world w = plain();

	(void)state;
	runs[0].windows_ns = 3000ull * RUN_NS;
	set_times(&w, 2);
	wants(&w, false, "about 2 times as many windows (record with -d 6000)");
	set_runs(&w, 80, 30);
	wants(&w, true, "about 160 runs (-n 160)");
}

static void remedies_fit_the_case(void **state)
{
	struct world w = plain();

	(void)state;
	set_times(&w, 60);
	w.profile.nregions = 3;
	regions[1].tried = regions[2].tried = true;
	w.impact.effect.nlevels = 4;
	wants(&w, false,
	      "more than 50 times as many windows: recording longer will hardly help; try fewer regions with -r, or fewer speedups "
	      "with -s");
	regions[0].samples = 20;
	w.impact.aside.disturbed = 10;
	w.impact.effect.notes = CAUSAL_FEW_VISITS;
	wants(&w, false,
	      "more than 50 times as many windows: recording longer will hardly help; try a progress point that is passed more often, "
	      "fewer regions with -r, fewer speedups with -s, a larger region, or a quieter machine");
}

/* ---- does the advice help?  -------------------------------------------------- */

static void measure(gsl_rng *rng, struct world *w, double truth, double se, double tests)
{
	struct estimate e = { .value = truth + gsl_ran_gaussian(rng, se), .se = se, .df = 1000 };

	stats_estimate_finish(&e);
	w->impact.effect.fit.slope = e;
	w->impact.q = fmin(1, e.p * tests);
	impact_judge(&w->impact, &w->profile, false);
	free(w->impact.need);
	w->impact.need = NULL;
}

/* If the first recording gives no verdict, but advice: the share of cases in which the second one gives a verdict. */
static void advice_helps(void **state)
{
	static const double truths[] = { -0.2, 0, 0.03, 0.05, 0.1, 0.2, 0.4 }, errors[] = { 0.05, 0.1, 0.2 }, families[] = { 1, 6 };
	size_t reps = getenv("NEED_REPS") ? (size_t)atol(getenv("NEED_REPS")) : 1000;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double all = 0, resolved_all = 0;

	(void)state;
	gsl_rng_set(rng, 20261122);
	printf("# slope  se     tests  advised  times  resolved\n");
	for (size_t f = 0; f < 2; f++)
		for (size_t t = 0; t < sizeof truths / sizeof truths[0]; t++)
			for (size_t s = 0; s < 3; s++) {
				double advised = 0, sum = 0, resolved = 0, least;

				for (size_t i = 0; i < reps; i++) {
					struct world w = plain();
					double times;

					measure(rng, &w, truths[t], errors[s], families[f]);
					times = impact_times_needed(&w.impact);
					if (w.impact.verdict != VERDICT_NOT_ENOUGH_DATA || times > 50)
						continue;
					advised++;
					sum += times;
					measure(rng, &w, truths[t], errors[s] / sqrt(times), families[f]);
					resolved += w.impact.verdict != VERDICT_NOT_ENOUGH_DATA;
				}
				printf("# %+.2f  %.2f   %.0f      %.3f    %5.1f   %.3f\n", truths[t], errors[s], families[f], advised / (double)reps,
				       sum / advised, resolved / advised);
				all += advised;
				resolved_all += resolved;
				/* halfway between nothing and what is worth an effort, nothing is told easily */
				least = fabs(truths[t]) >= 0.2 ? 0.9 : truths[t] > 0 && truths[t] < 0.1 ? 0.4 : 0.6;
				assert_true(advised < 100 || resolved / advised > least - 3 * sqrt(0.16 / advised));
			}
	printf("# of all: %.3f\n", resolved_all / all);
	assert_true(resolved_all / all > 0.8);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longer),
		cmocka_unit_test(cut_intervals),
		cmocka_unit_test(more_runs),
		cmocka_unit_test(more_whole_runs),
		cmocka_unit_test(no_impossible_command),
		cmocka_unit_test(no_impossible_runs),
		cmocka_unit_test(twice_is_always_possible),
		cmocka_unit_test(remedies_fit_the_case),
		cmocka_unit_test(advice_helps),
	};

	return UNIT_MAIN(tests);
}
