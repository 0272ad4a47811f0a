/*
 * Programs without progress points: each run is one window.  Does a 95 %
 * interval hold the truth 95 times in 100, from 12 runs on?
 *
 * Runs are planned as the recorder plans them, over all runs of a recording:
 * block by block, each region at each speedup once, baselines spread among
 * them.  Seeded; COVERAGE_REPS=4000 in the environment prints the table of
 * EVIDENCE.md.
 */
#include "unit.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "estimate/causal.h"
#include "recorder/schedule.h"

enum { MOST = 1000 };

static const unsigned LEVELS[] = { 15, 30, 50, 75 };
enum { NLEVELS = sizeof LEVELS / sizeof LEVELS[0] };

struct program {
	const char *name;
	size_t runs, regions;
	double slope;     /* of the first region; others have no effect */
	double noise;     /* of a run's time, relative */
	double skew;      /* share of runs with an unseen disturbance, slower by 20 % and more */
	double between;   /* sd of the slope from run to run */
	double trend;     /* growth of a run's time from the first run to the last */
	double drift;     /* the machine's, relative, with a correlation of 0.9 from run to run */
	double knee;      /* 0 = none */
	bool wide;        /* 10 runs or fewer are the region's or baselines, or noise has long tails: intervals are too wide */
};

static double gain(const struct program *p, double slope, double s)
{
	return slope * (p->knee > 0 && s > p->knee ? p->knee : s);
}

static double run_time(gsl_rng *rng, const struct program *p, double at, double drift, double s)
{
	double slope = p->slope + gsl_ran_gaussian(rng, p->between);
	double speed = (1 + p->trend * at) * (1 + drift) * (1 + gsl_ran_gaussian(rng, p->noise));

	if (gsl_rng_uniform(rng) < p->skew)
		speed *= 1 + gsl_ran_pareto(rng, 2, 0.2);
	return 1e9 * speed * (1 - gain(p, slope, s));
}

/* The result of one recording for the first region; returns the number of windows. */
static size_t simulate(gsl_rng *rng, const struct program *p, struct causal_obs *obs)
{
	double drift = gsl_ran_gaussian(rng, p->drift);
	struct schedule schedule;
	size_t n = 0;

	schedule_init(&schedule, gsl_rng_get(rng));
	for (size_t run = 0, block = 1; run < p->runs; block++) {
		struct trial *trial;
		size_t ntrials = schedule_block(&schedule, p->regions, LEVELS, NLEVELS, 1, &trial);

		for (size_t i = 0; i < ntrials && run < p->runs; i++, run++) {
			bool ours = trial[i].region == 0, baseline = trial[i].region == (size_t)TRIAL_BASELINE;
			double s = ours ? trial[i].pct / 100.0 : 0;
			double time = run_time(rng, p, (double)run / (double)p->runs, drift, s);

			if (ours || baseline)
				obs[n++] = (struct causal_obs){ .block = block, .start_ns = (double)run, .whole = true, .s = s,
								.count = 1, .time_ns = time };
			drift = 0.9 * drift + gsl_ran_gaussian(rng, p->drift * sqrt(1 - 0.81));
		}
		free(trial);
	}
	return n;
}

struct score {
	double covered, levels, bias, sd, width, knees, failed, notes;
};

/* Part of the curve's intervals that hold the truth. */
static double levels_covered(const struct program *p, const struct causal_effect *e)
{
	double covered = 0;

	for (size_t i = 0; i < e->nlevels; i++) {
		double truth = gain(p, p->slope, e->level[i].s);

		covered += e->level[i].gain.lo <= truth && truth <= e->level[i].gain.hi;
	}
	return covered / (double)e->nlevels;
}

static struct score judge(const struct program *p, size_t reps)
{
	static struct causal_obs obs[MOST];
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct score score = { 0 };
	double sum = 0, squares = 0, good = 0;

	gsl_rng_set(rng, 20251121);
	for (size_t r = 0; r < reps; r++) {
		struct causal_effect e;
		size_t n = simulate(rng, p, obs);

		if (!causal_effect(obs, n, &e) || !isfinite(e.fit.slope.se)) {
			score.failed++;
			causal_effect_release(&e);
			continue;
		}
		good++;
		assert_int_equal(e.fit.basis, CAUSAL_RUNS);
		assert_int_equal(e.notes & CAUSAL_FEW_VISITS, 0);
		score.covered += e.fit.slope.lo <= p->slope && p->slope <= e.fit.slope.hi;
		score.levels += levels_covered(p, &e);
		score.width += e.fit.slope.hi - e.fit.slope.lo;
		score.knees += !isnan(e.knee);
		score.notes += (e.notes & ~(unsigned)CAUSAL_ONE_LEVEL) != 0;
		sum += e.fit.slope.value;
		squares += e.fit.slope.value * e.fit.slope.value;
		causal_effect_release(&e);
	}
	score.covered /= good;
	score.levels /= good;
	score.width /= good;
	score.knees /= good;
	score.notes /= good;
	score.failed /= (double)reps;
	score.bias = sum / good - p->slope;
	score.sd = sqrt(fmax(0, squares / good - (sum / good) * (sum / good)));
	gsl_rng_free(rng);
	return score;
}

static const struct program PROGRAMS[] = {
	{ "12 runs", 12, 1, 0.4, .noise = 0.02 },
	{ "20 runs", 20, 1, 0.4, .noise = 0.02 },
	{ "30 runs", 30, 1, 0.4, .noise = 0.02 },
	{ "60 runs", 60, 1, 0.4, .noise = 0.02 },
	{ "200 runs", 200, 1, 0.4, .noise = 0.02 },
	{ "no effect, 30 runs", 30, 1, 0, .noise = 0.02 },
	{ "slope 0.95, 30 runs", 30, 1, 0.95, .noise = 0.02 },
	{ "noise 10 %, 30 runs", 30, 1, 0.4, .noise = 0.1 },
	{ "noise 10 %, 200 runs", 200, 1, 0.4, .noise = 0.1 },
	{ "slope varies, 12 runs", 12, 1, 0.4, .noise = 0.02, .between = 0.05 },
	{ "slope varies, 60 runs", 60, 1, 0.4, .noise = 0.02, .between = 0.05 },
	{ "slope varies, 200 runs", 200, 1, 0.4, .noise = 0.02, .between = 0.05 },
	{ "trend 20 %, 12 runs", 12, 1, 0.4, .noise = 0.02, .trend = 0.2 },
	{ "trend 20 %, 60 runs", 60, 1, 0.4, .noise = 0.02, .trend = 0.2 },
	{ "trend 20 %, 200 runs", 200, 1, 0.4, .noise = 0.02, .trend = 0.2 },
	{ "drift 5 %, 12 runs", 12, 1, 0.4, .noise = 0.02, .drift = 0.05 },
	{ "drift 5 %, 30 runs", 30, 1, 0.4, .noise = 0.02, .drift = 0.05 },
	{ "drift 5 %, 200 runs", 200, 1, 0.4, .noise = 0.02, .drift = 0.05 },
	{ "5 % of runs hit, 30 runs", 30, 1, 0.4, .noise = 0.02, .skew = 0.05, .wide = true },
	{ "5 % of runs hit, 200 runs", 200, 1, 0.4, .noise = 0.02, .skew = 0.05 },
	{ "3 regions, 20 runs", 20, 3, 0.4, .noise = 0.02, .drift = 0.02, .wide = true },
	{ "3 regions, 60 runs", 60, 3, 0.4, .noise = 0.02, .drift = 0.02 },
	{ "3 regions, 200 runs", 200, 3, 0.4, .noise = 0.02, .drift = 0.02 },
	{ "6 regions, 30 runs", 30, 6, 0.4, .noise = 0.02, .drift = 0.02, .trend = 0.1, .wide = true },
	{ "6 regions, 60 runs", 60, 6, 0.4, .noise = 0.02, .drift = 0.02, .trend = 0.1 },
	{ "6 regions, 120 runs", 120, 6, 0.4, .noise = 0.02, .drift = 0.02, .trend = 0.1 },
	{ "6 regions, 200 runs", 200, 6, 0.4, .noise = 0.02, .drift = 0.02, .trend = 0.1 },
	{ "knee at 50 %, 60 runs", 60, 1, 0.8, .noise = 0.02, .knee = 0.5 },
	{ "knee at 30 %, 200 runs", 200, 1, 0.8, .noise = 0.02, .knee = 0.3 },
};

static void test_coverage(void **state)
{
	const char *reps_text = getenv("COVERAGE_REPS");
	size_t reps = reps_text ? strtoul(reps_text, NULL, 10) : 600;
	/* 92 to 98 % is required; the rest is the error of so few repetitions */
	double chance = 2 * sqrt(0.95 * 0.05 / (double)reps);

	(void)state;
	printf("# %-26s %8s %8s %8s %8s %8s %8s %8s %8s\n", "program", "covered", "levels", "bias", "sd", "width", "knees", "notes",
	       "failed");
	for (size_t i = 0; i < sizeof PROGRAMS / sizeof PROGRAMS[0]; i++) {
		const struct program *p = &PROGRAMS[i];
		struct score s = judge(p, reps);

		printf("# %-26s %8.3f %8.3f %+8.4f %8.4f %8.4f %8.3f %8.3f %8.3f\n", p->name, s.covered, s.levels, s.bias, s.sd, s.width,
		       s.knees, s.notes, s.failed);
		assert_true(s.covered > 0.92 - chance);
		assert_true(s.covered < (p->wide ? 0.995 : 0.98) + chance);
		assert_true(s.levels > 0.92 - chance);
		assert_true(fabs(s.bias) < 0.002 + 4 * s.sd / sqrt((double)reps));
		assert_true(s.failed < 0.01);
		assert_true(p->knee > 0 ? s.knees > 0.95 : s.knees < 0.02);
		assert_true(s.notes < 0.05);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_coverage) };

	return UNIT_MAIN(tests);
}
