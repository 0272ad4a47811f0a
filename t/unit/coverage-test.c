/*
 * Does a 95 % interval hold the truth 95 times in 100, and is the estimate
 * unbiased?  Programs are simulated visit by visit: a window opens at a visit
 * and closes at the first visit at or after its deadline, as the recorder's do.
 *
 * Seeded, so the numbers are the same everywhere.  With COVERAGE_REPS=2000 in
 * the environment it prints the table of EVIDENCE.md; as a test it repeats each
 * case less often and accepts what that many repetitions can tell apart.
 */
#include "unit.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "estimate/causal.h"

enum { MOST = 2000, BASELINES = 2 };

static const double LEVELS[] = { 0.25, 0.5, 0.75, 1 };
enum { NLEVELS = sizeof LEVELS / sizeof LEVELS[0], SWEEP = NLEVELS + BASELINES };

struct program {
	const char *name;
	size_t runs, windows; /* per run */
	double slope;
	double visits;       /* per window, about */
	double cv;           /* of the time between visits */
	double drift, rho;   /* of the machine, from window to window: relative size, correlation */
	double disturbed;    /* share of windows with an unnoticed disturbance */
	double phase;        /* windows of one phase; in every other phase the region is idle, visits take 3 times as long; 0 = none */
	double between;      /* sd of the slope from run to run */
	double knee;         /* 0 = none */
};

static double visit_time(gsl_rng *rng, double mean, double cv)
{
	double shape = 1 / (cv * cv);

	return cv > 0 ? gsl_ran_gamma(rng, shape, mean / shape) : mean;
}

/* Phases go by work done, not by the clock: a program that is faster is through them sooner. */
static bool is_idle(const struct program *p, double work)
{
	double active = p->phase * p->visits, idle = active / 3;

	return p->phase > 0 && fmod(work, active + idle) >= active;
}

static void one_window(gsl_rng *rng, const struct program *p, struct causal_obs *o, double speed, double slope, double *work)
{
	double useful = p->knee > 0 && o->s > p->knee ? p->knee : o->s;

	while (o->time_ns < p->visits) {
		double period = speed * (is_idle(p, *work) ? 3 : 1 - useful * slope);

		o->time_ns += visit_time(rng, fmax(period, 0.02), p->cv);
		o->count++;
		*work += 1;
	}
}

/* Fills obs with one experiment of the whole design; returns its size. */
static size_t simulate(gsl_rng *rng, const struct program *p, struct causal_obs *obs)
{
	size_t n = 0;

	for (size_t run = 0; run < p->runs; run++) {
		double slope = p->slope + gsl_ran_gaussian(rng, p->between), drift = gsl_ran_gaussian(rng, p->drift);
		double machine = 1 + gsl_ran_gaussian(rng, p->runs > 1 ? 0.03 : 0);
		double work = p->visits * p->phase * gsl_ran_flat(rng, 0, 4);

		for (size_t w = 0; w < p->windows;) {
			double s[SWEEP] = { 0 };

			for (size_t i = 0; i < NLEVELS; i++)
				s[i] = LEVELS[i];
			gsl_ran_shuffle(rng, s, SWEEP, sizeof *s);
			for (size_t i = 0; i < SWEEP && w < p->windows; i++, w++) {
				double speed = machine * (1 + drift);

				if (gsl_rng_uniform(rng) < p->disturbed)
					speed *= 1 + gsl_ran_pareto(rng, 2, 0.2);
				obs[n] = (struct causal_obs){ .run = run, .block = w / SWEEP, .start_ns = (double)w, .s = s[i] };
				one_window(rng, p, &obs[n++], speed, slope, &work);
				drift = p->rho * drift + gsl_ran_gaussian(rng, p->drift * sqrt(1 - p->rho * p->rho));
			}
		}
	}
	return n;
}

/* In real time, the idle phase takes its share whatever the region does. */
static double truth(const struct program *p)
{
	return p->phase > 0 ? p->slope / 2 : p->slope;
}

struct score {
	double covered, bias, sd, width, knees, failed;
};

static struct program with_defaults(struct program p)
{
	p.runs = p.runs ? p.runs : 1;
	p.windows = p.windows ? p.windows : 100;
	p.visits = p.visits > 0 ? p.visits : 40;
	p.cv = p.cv > 0 ? p.cv : 0.5;
	return p;
}

static struct score judge(const struct program *p, size_t reps)
{
	static struct causal_obs obs[MOST];
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct score score = { 0 };
	double sum = 0, squares = 0, good = 0;

	gsl_rng_set(rng, 20240607);
	for (size_t r = 0; r < reps; r++) {
		struct causal_effect e;
		size_t n = simulate(rng, p, obs);

		if (!causal_effect(obs, n, &e) || !isfinite(e.fit.slope.se)) {
			score.failed++;
			causal_effect_release(&e);
			continue;
		}
		good++;
		score.covered += e.fit.slope.lo <= truth(p) && truth(p) <= e.fit.slope.hi;
		score.width += e.fit.slope.hi - e.fit.slope.lo;
		score.knees += !isnan(e.knee);
		sum += e.fit.slope.value;
		squares += e.fit.slope.value * e.fit.slope.value;
		causal_effect_release(&e);
	}
	score.covered /= good;
	score.width /= good;
	score.knees /= good;
	score.failed /= (double)reps;
	score.bias = sum / good - truth(p);
	score.sd = sqrt(fmax(0, squares / good - (sum / good) * (sum / good)));
	gsl_rng_free(rng);
	return score;
}

/* runs, windows, visits and cv that are 0 are 1, 100, 40 and 0.5. */
static const struct program PROGRAMS[] = {
	{ .name = "8 windows", .slope = 0.4, .windows = 8 },
	{ .name = "15 windows", .slope = 0.4, .windows = 15 },
	{ .name = "30 windows", .slope = 0.4, .windows = 30 },
	{ .name = "60 windows", .slope = 0.4, .windows = 60 },
	{ .name = "100 windows", .slope = 0.4 },
	{ .name = "400 windows", .slope = 0.4, .windows = 400 },
	{ .name = "no effect", .slope = 0 },
	{ .name = "whole program", .slope = 0.95 },
	{ .name = "5 visits a window", .slope = 0.4, .visits = 5, .cv = 1 },
	{ .name = "1 visit a window", .slope = 0.4, .visits = 1, .cv = 1, .windows = 400 },
	{ .name = "drift 10 %, rho 0.6", .slope = 0.4, .drift = 0.1, .rho = 0.6 },
	{ .name = "drift 10 %, rho 0.95", .slope = 0.4, .drift = 0.1, .rho = 0.95 },
	{ .name = "drift 10 %, rho 0.95, 30 w", .slope = 0.4, .drift = 0.1, .rho = 0.95, .windows = 30 },
	{ .name = "phases of 4 windows", .slope = 0.4, .phase = 4 },
	{ .name = "phases of 15 windows", .slope = 0.4, .phase = 15 },
	{ .name = "phases of 15, 400 w", .slope = 0.4, .phase = 15, .windows = 400 },
	{ .name = "phases of 60, 400 w", .slope = 0.4, .phase = 60, .windows = 400 },
	{ .name = "5 % disturbed unseen", .slope = 0.4, .disturbed = 0.05 },
	{ .name = "20 % disturbed unseen", .slope = 0.4, .disturbed = 0.2 },
	{ .name = "2 runs", .slope = 0.4, .runs = 2, .windows = 60 },
	{ .name = "3 runs", .slope = 0.4, .runs = 3, .windows = 40 },
	{ .name = "5 runs, slope varies", .slope = 0.4, .runs = 5, .windows = 40, .between = 0.05 },
	{ .name = "10 runs, slope varies", .slope = 0.4, .runs = 10, .windows = 40, .between = 0.05, .drift = 0.05, .rho = 0.6 },
	{ .name = "40 runs of 4 windows", .slope = 0.4, .runs = 40, .windows = 4 },
	{ .name = "30 runs of 6 windows", .slope = 0.4, .runs = 30, .windows = 6, .between = 0.05 },
	{ .name = "knee at 50 %", .slope = 0.8, .knee = 0.5 },
	{ .name = "knee at 30 %", .slope = 0.8, .knee = 0.3 },
	{ .name = "knee at 30 %, 400 windows", .slope = 0.8, .knee = 0.3, .windows = 400 },
};

static void test_coverage(void **state)
{
	const char *reps_text = getenv("COVERAGE_REPS");
	size_t reps = reps_text ? strtoul(reps_text, NULL, 10) : 300;
	/* 93 to 97 % is required; the rest is the error of so few repetitions */
	double chance = 3 * sqrt(0.95 * 0.05 / (double)reps);

	(void)state;
	printf("# %-28s %8s %8s %8s %8s %8s %8s\n", "program", "covered", "bias", "sd", "width", "knees", "failed");
	for (size_t i = 0; i < sizeof PROGRAMS / sizeof PROGRAMS[0]; i++) {
		struct program p = with_defaults(PROGRAMS[i]);
		struct score s = judge(&p, reps);

		printf("# %-28s %8.3f %+8.4f %8.4f %8.4f %8.3f %8.3f\n", p.name, s.covered, s.bias, s.sd, s.width, s.knees, s.failed);
		if (p.phase > 0) {
			/* biased, as EVIDENCE.md says: the less, the longer the phases */
			assert_true(p.phase < SWEEP || fabs(s.bias) < 0.045 + 3 * s.sd / sqrt((double)reps));
			continue;
		}
		assert_true(s.failed < 0.02);
		assert_true(s.covered > 0.93 - chance);
		assert_true(s.covered < 0.98 + chance);
		if (!(p.knee > 0))
			assert_true(fabs(s.bias) < 0.01 + 3 * s.sd / sqrt((double)reps));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_coverage) };

	return UNIT_MAIN(tests);
}
