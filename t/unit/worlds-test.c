/*
 * From logs to impacts, in worlds whose truth is known: does a 95 % interval hold
 * it 95 times in 100, are knees found where they are and nowhere else, and how
 * many of the effects that are claimed are there?
 *
 * Intervals are widened by the systematic error of virtual speedups (systematic.h).
 * Most worlds here have no such error, so their intervals are taken without that;
 * worlds called `imitated` have it, and their intervals are those of the report.
 *
 * Logs are written as the recorder writes them, and analyzed as andweorc-analyze
 * does.  Seeded, so the numbers are the same everywhere.  With WORLDS_REPS=1000 in
 * the environment it prints the tables of EVIDENCE.md; as a test it repeats each
 * case less often and accepts what that many repetitions can tell apart.  Without
 * LONG in the environment, it leaves out worlds that differ from others in numbers only.
 */
#include "unit.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "analysis/impact.h"
#include "base/buf.h"
#include "estimate/systematic.h"

static const unsigned LEVELS[] = { 25, 50, 75, 100 };
enum { NLEVELS = sizeof LEVELS / sizeof LEVELS[0], BASELINES = 3, MOST_REGIONS = 20, MOST_TRIALS = BASELINES + MOST_REGIONS * NLEVELS };

static const double WINDOW_NS = 1e8;

struct world {
	const char *name;
	bool similar;          /* to another one: only with LONG */
	unsigned runs, blocks; /* blocks of each run */
	unsigned regions;      /* the first has the effect; 0 = 1 */
	unsigned effects;      /* regions that have it; 0 = 1 */
	double slope;
	double knee;           /* 0 = none */
	double after;          /* slope beyond it */
	double between;        /* sd of the slope from run to run */
	double noise;          /* of the machine's speed from window to window; correlated by rho */
	double rho;
	double trend;          /* growth of times over a run */
	double hit;            /* share of windows with an unseen disturbance, 2 to 20 times slower */
	double phase;          /* windows of an active phase; the region is active in a fifth of the time, 0 = always */
	double idle;           /* time of a visit in idle phases, of that in active ones; 0 = 1 */
	bool uneven;           /* visits take twice as long in one run as in another */
	bool biased;           /* as EVIDENCE.md says */
	double rms;            /* few windows: only the error of the slope is checked, against this limit; 0 = everything is */
	bool imitated;         /* measurements have the error of systematic.h, the same in all runs */
};

struct sim {
	gsl_rng *rng;
	const struct world *w;
	struct buf log;
	unsigned id;
	double clock, drift, work, machine, slope;
	double off;            /* of the slope that is measured, from the true one; in all runs */
};

static const double ACTIVE = 0.2;

/* Of the time of a visit: it varies by an eighth. */
enum { SHAPE = 64 };

static double idle_of(const struct world *w)
{
	return w->idle > 0 ? w->idle : 1;
}

/* Phases go by work done: a program that is faster is through them sooner. */
static bool is_active(const struct sim *s)
{
	double active = s->w->phase * WINDOW_NS / 2e6, idle = active * (1 - ACTIVE) / ACTIVE / idle_of(s->w);

	return !(s->w->phase > 0) || fmod(s->work, active + idle) < active;
}

static double gain_of(const struct world *w, double slope, double s)
{
	return w->knee > 0 && s > w->knee ? slope * w->knee + w->after * (s - w->knee) : slope * s;
}

struct outcome {
	double count, time, active;
};

static struct outcome visit_for_a_while(struct sim *s, double speed, bool ours, double part)
{
	struct outcome o = { 0 };

	while (o.time < WINDOW_NS) {
		bool active = is_active(s);
		double mean = 2e6 * speed * (active ? 1 : idle_of(s->w)), time;

		if (active && ours)
			mean *= 1 - gain_of(s->w, s->slope, part);
		time = gsl_ran_gamma(s->rng, SHAPE, mean / SHAPE);
		o.time += time;
		o.active += active ? time : 0;
		o.count++;
		s->work++;
	}
	return o;
}

static double share_of(const struct world *w, unsigned region)
{
	return region <= (w->effects ? w->effects : 1) ? 0.5 : 0.3;
}

static void window(struct sim *s, unsigned run, unsigned block, unsigned region, unsigned pct)
{
	const struct world *w = s->w;
	bool hit = gsl_rng_uniform(s->rng) < w->hit, ours = region > 0 && region <= (w->effects ? w->effects : 1);
	double speed = s->machine * (1 + s->drift) * (hit ? 2 * pow(10, gsl_rng_uniform(s->rng)) : 1);
	struct outcome o = visit_for_a_while(s, speed, ours, pct / 100.0);
	double samples = gsl_ran_poisson(s->rng, o.time / 1e6);
	double part = share_of(w, region) * (ours ? o.active / o.time : 1);

	s->id++;
	buf_addf(&s->log, "experiment\tid=%u\trun=%u\tblock=%u\tregion=", s->id, run, block);
	if (pct)
		buf_addf(&s->log, "%u", region);
	else
		buf_addc(&s->log, '-');
	buf_addf(&s->log, "\tspeedup_pct=%u\tstart_ns=%.0f\twall_ns=%.0f\tsamples=%.0f\tregion_samples=%u\n", pct, s->clock, o.time, samples,
		 pct ? gsl_ran_binomial(s->rng, part, (unsigned)samples) : 0);
	buf_addf(&s->log, "visits\texperiment=%u\tpoint=p\tkind=throughput\tcount=%.0f\tvirtual_ns=%.0f\n", s->id, o.count, o.time);
	s->clock += o.time;
	s->drift = w->rho * s->drift + gsl_ran_gaussian(s->rng, w->noise * sqrt(1 - w->rho * w->rho));
	s->machine *= 1 + w->trend / (w->blocks * (BASELINES + NLEVELS));
}

static void one_run(struct sim *s, unsigned run)
{
	const struct world *w = s->w;
	unsigned regions = w->regions ? w->regions : 1;

	s->machine = (1 + gsl_ran_gaussian(s->rng, 0.03)) * (w->uneven && run % 2 ? 2 : 1);
	s->slope = w->slope + s->off + gsl_ran_gaussian(s->rng, w->between);
	s->drift = gsl_ran_gaussian(s->rng, w->noise);
	s->work = gsl_ran_flat(s->rng, 0, 1e7);
	s->clock = 0;
	buf_addf(&s->log, "run\tid=%u\tcommand=sim\tperiod_ns=1000000\tstarted_ns=%u\n", run, run);
	for (unsigned b = 1; b <= w->blocks; b++) {
		unsigned trial[MOST_TRIALS] = { 0 }, n = BASELINES;

		for (unsigned r = 1; r <= regions; r++)
			for (unsigned l = 0; l < NLEVELS; l++)
				trial[n++] = r * 1000 + LEVELS[l];
		gsl_ran_shuffle(s->rng, trial, n, sizeof *trial);
		for (unsigned i = 0; i < n; i++)
			window(s, run, b, trial[i] / 1000, trial[i] % 1000);
	}
	for (unsigned r = 1; r <= regions; r++)
		buf_addf(&s->log, "share\trun=%u\tregion=%u\tsamples=%.0f\ttotal=10000\n", run, r,
			 10000 * share_of(w, r) * (w->phase > 0 && r == 1 ? ACTIVE : 1));
	buf_addf(&s->log, "end\trun=%u\tstatus=exit:0\n", run);
}

static void simulate(struct sim *s)
{
	buf_clear(&s->log);
	if (s->w->imitated)
		s->off = gsl_ran_gaussian(s->rng, systematic_relative(0, false) * s->w->slope) + gsl_ran_gaussian(s->rng, systematic_slope);
	buf_adds(&s->log, "andweorc\tversion=1\n");
	s->id = 0;
	for (unsigned r = 1; r <= (s->w->regions ? s->w->regions : 1); r++)
		buf_addf(&s->log, "region\tid=%u\tscope=function\tmodule=1\tranges=0x%x-0x%x\tfunction=f%u\n", r, 16 * r, 16 * r + 8, r);
	for (unsigned run = 1; run <= s->w->runs; run++)
		one_run(s, run);
}

static double truth(const struct world *w)
{
	return w->slope * (w->phase > 0 ? ACTIVE : 1);
}

struct score {
	double reps, covered, sum, squares, width, knees, knee_held, knee_width, discoveries, false_part, down, refused;
};

static bool is_discovery(const struct impact *im)
{
	return im->verdict != VERDICT_NONE && im->verdict != VERDICT_NOT_ENOUGH_DATA;
}

static bool is_real(const struct world *w, const struct impact *im)
{
	return truth(w) != 0 && strtoul(im->region->function + 1, NULL, 10) <= (w->effects ? w->effects : 1);
}

/* The interval to judge: the one that is shown, or the same without the allowance. */
static struct estimate interval_of(const struct world *w, const struct impact *im)
{
	struct estimate shown = im->effect.fit.slope, e = shown;

	if (w->imitated)
		return shown;
	e.se = im->slope_se;
	stats_estimate_finish(&e);
	/* a slope that may be higher than was seen has an end of another kind */
	if (im->effect.notes & CAUSAL_LOW_KNEE)
		e.hi = shown.hi;
	return e;
}

static void add_score(struct score *score, const struct world *w, const struct impact_point *p)
{
	double discoveries = 0, wrong = 0;

	/* where more than three in ten windows are slow, that is no accident, and nothing counts less */
	if (w->rms > 0 && w->hit > 0 && !p->aside.downweighted) {
		score->refused++;
		return;
	}
	score->reps++;
	score->down += (double)p->aside.downweighted / (double)(p->windows + p->aside.dropped);
	for (size_t i = 0; i < p->nimpacts; i++) {
		const struct impact *im = &p->impact[i];
		const struct causal_effect *e = &im->effect;
		struct estimate slope = interval_of(w, im);

		assert_true(im->bounded || w->rms > 0);
		discoveries += is_discovery(im);
		wrong += is_discovery(im) && !is_real(w, im);
		if (strcmp(im->region->function, "f1") != 0)
			continue;
		score->covered += slope.lo <= truth(w) && truth(w) <= slope.hi;
		score->sum += slope.value;
		score->squares += slope.value * slope.value;
		score->width += slope.hi - slope.lo;
		score->knees += !isnan(e->knee);
		score->knee_held += e->knee_lo <= w->knee && w->knee <= e->knee_hi;
		score->knee_width += isnan(e->knee) ? 0 : e->knee_hi - e->knee_lo;
	}
	score->discoveries += discoveries;
	score->false_part += wrong > 0 ? wrong / discoveries : 0;
}

static void analyze(struct score *score, struct sim *s)
{
	struct profile p = PROFILE_INIT;
	struct analysis a;

	simulate(s);
	unit_stdin(s->log.s, s->log.len);
	assert_true(profile_load(&p, "-"));
	profile_finish(&p);
	analysis_init(&a, &p, NULL, 0);
	assert_int_equal(a.npoints, 1);
	add_score(score, s->w, &a.point[0]);
	analysis_release(&a);
	profile_release(&p);
}

static struct score judge(const struct world *w, unsigned reps)
{
	struct sim s = { .rng = gsl_rng_alloc(gsl_rng_mt19937), .w = w, .log = BUF_INIT };
	struct score score = { 0 };

	gsl_rng_set(s.rng, 20261121);
	for (unsigned i = 0; i < reps; i++)
		analyze(&score, &s);
	gsl_rng_free(s.rng);
	buf_release(&s.log);
	return score;
}

/* A machine as CI.md's: noise of 4 % that is correlated, slopes that vary by 0.03 from run to run. */
#define TYPICAL .slope = 0.4, .between = 0.03, .noise = 0.04, .rho = 0.6

static const struct world WORLDS[] = {
	{ .name = "2 runs", .runs = 2, .blocks = 6, .slope = 0.4, .noise = 0.04, .rho = 0.6 },
	{ .name = "3 runs", .runs = 3, .blocks = 6, TYPICAL },
	{ .name = "5 runs", .runs = 5, .blocks = 6, TYPICAL },
	{ .name = "10 runs", .similar = true, .runs = 10, .blocks = 6, TYPICAL },
	{ .name = "20 runs", .runs = 20, .blocks = 6, TYPICAL },
	{ .name = "5 runs, uneven", .similar = true, .runs = 5, .blocks = 6, TYPICAL, .uneven = true },
	{ .name = "5 runs, drift", .runs = 5, .blocks = 6, .slope = 0.4, .between = 0.03, .noise = 0.1, .rho = 0.95, .trend = 0.3 },
	{ .name = "1 run, hit 0", .similar = true, .runs = 1, .blocks = 30, .slope = 0.4 },
	{ .name = "1 run, hit 5 %", .runs = 1, .blocks = 30, .slope = 0.4, .hit = 0.05 },
	{ .name = "1 run, hit 20 %", .runs = 1, .blocks = 30, .slope = 0.4, .hit = 0.2 },
	{ .name = "5 runs, hit 0", .similar = true, .runs = 5, .blocks = 6, .slope = 0.4 },
	{ .name = "5 runs, hit 5 %", .runs = 5, .blocks = 6, .slope = 0.4, .hit = 0.05 },
	{ .name = "5 runs, hit 20 %", .runs = 5, .blocks = 6, .slope = 0.4, .hit = 0.2 },
	/* three to six windows for each region and speedup */
	{ .name = "3 blocks, 6 regions, hit 0", .runs = 1, .blocks = 3, .regions = 6, .slope = 0.4, .rms = 0.02 },
	{ .name = "3 blocks, 6 regions, hit 20 %", .runs = 1, .blocks = 3, .regions = 6, .slope = 0.4, .hit = 0.2, .rms = 0.03 },
	{ .name = "4 blocks, 3 regions, hit 20 %", .similar = true, .runs = 1, .blocks = 4, .regions = 3, .slope = 0.4, .hit = 0.2, .rms = 0.05 },
	{ .name = "6 blocks, hit 20 %", .runs = 1, .blocks = 6, .slope = 0.4, .hit = 0.2, .rms = 0.05 },
	{ .name = "4 blocks, slope 0.8, hit 20 %", .runs = 1, .blocks = 4, .regions = 3, .slope = 0.8, .hit = 0.2, .rms = 0.03 },
	{ .name = "4 blocks, noise, hit 20 %", .similar = true, .runs = 1, .blocks = 4, .regions = 3, .slope = 0.4, .noise = 0.04, .rho = 0.6, .hit = 0.2, .rms = 0.06 },
	{ .name = "4 blocks, harmful, hit 20 %", .runs = 1, .blocks = 4, .regions = 3, .slope = -0.5, .hit = 0.2, .rms = 0.1 },
	{ .name = "4 blocks, knee, hit 20 %", .runs = 1, .blocks = 4, .regions = 3, .slope = 0.8, .knee = 0.5, .hit = 0.2, .rms = 0.2 },
	{ .name = "4 blocks, falls, hit 20 %", .runs = 1, .blocks = 4, .regions = 3, .slope = 0.4, .knee = 0.5, .after = -1, .hit = 0.2, .rms = 0.3 },
	{ .name = "4 blocks, falls, hit 0", .runs = 1, .blocks = 4, .regions = 3, .slope = 0.4, .knee = 0.5, .after = -1, .rms = 0.3 },
	{ .name = "phases of 0.3", .runs = 5, .blocks = 20, .slope = 0.8, .phase = 0.3, .biased = true },
	{ .name = "phases of 2", .similar = true, .runs = 5, .blocks = 20, .slope = 0.8, .phase = 2, .biased = true },
	{ .name = "phases of 15", .similar = true, .runs = 5, .blocks = 40, .slope = 0.8, .phase = 15, .biased = true },
	{ .name = "phases of 60", .runs = 5, .blocks = 100, .slope = 0.8, .phase = 60, .biased = true },
	{ .name = "phases of 0.3, idle fast", .similar = true, .runs = 5, .blocks = 20, .slope = 0.8, .phase = 0.3, .idle = 0.25, .biased = true },
	{ .name = "phases of 5, idle fast", .runs = 5, .blocks = 20, .slope = 0.8, .phase = 5, .idle = 0.25, .biased = true },
	{ .name = "phases of 60, idle fast", .similar = true, .runs = 5, .blocks = 100, .slope = 0.8, .phase = 60, .idle = 0.25, .biased = true },
	{ .name = "phases of 5, idle slow", .runs = 5, .blocks = 20, .slope = 0.8, .phase = 5, .idle = 4, .biased = true },
	{ .name = "phases of 60, idle slow", .similar = true, .runs = 5, .blocks = 100, .slope = 0.8, .phase = 60, .idle = 4, .biased = true },
	{ .name = "knee at 30 %, 2 runs", .similar = true, .runs = 2, .blocks = 6, TYPICAL, .knee = 0.3 },
	{ .name = "knee at 40 %, 2 runs", .similar = true, .runs = 2, .blocks = 6, TYPICAL, .knee = 0.4 },
	{ .name = "knee at 50 %, 2 runs", .runs = 2, .blocks = 6, TYPICAL, .knee = 0.5 },
	{ .name = "knee at 60 %, 2 runs", .similar = true, .runs = 2, .blocks = 6, TYPICAL, .knee = 0.6 },
	{ .name = "knee at 40 %, 5 runs", .runs = 5, .blocks = 6, TYPICAL, .knee = 0.4 },
	{ .name = "knee at 50 %, 5 runs", .similar = true, .runs = 5, .blocks = 6, TYPICAL, .knee = 0.5 },
	{ .name = "knee at 40 %, 20 runs", .similar = true, .runs = 20, .blocks = 6, TYPICAL, .knee = 0.4 },
	{ .name = "knee at 60 %, 20 runs", .runs = 20, .blocks = 6, TYPICAL, .knee = 0.6 },
	{ .name = "falls, 5 runs", .runs = 5, .blocks = 6, TYPICAL, .knee = 0.4, .after = -0.4 },
	{ .name = "20 regions, 3 matter", .runs = 5, .blocks = 3, .slope = 0.4, .between = 0.03, .regions = 20, .effects = 3 },
	{ .name = "1 run, imitated", .runs = 1, .blocks = 30, .slope = 0.4, .imitated = true },
	{ .name = "3 runs, imitated", .similar = true, .runs = 3, .blocks = 6, TYPICAL, .imitated = true },
	{ .name = "20 runs, imitated", .runs = 20, .blocks = 6, TYPICAL, .imitated = true },
	{ .name = "20 regions, none", .runs = 5, .blocks = 3, .slope = 0, .noise = 0.04, .rho = 0.6, .regions = 20 },
};

static double part(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void print_score(const struct world *w, const struct score *s)
{
	double mean = s->sum / s->reps;

	printf("# %-26s %8.3f %+8.4f %8.4f %8.4f %8.3f %8.3f %8.3f %8.2f %8.3f %8.3f\n", w->name, s->covered / s->reps, mean - truth(w),
	       sqrt(s->squares / s->reps - mean * mean), s->width / s->reps, s->knees / s->reps, part(s->knee_held, s->knees),
	       part(s->knee_width, s->knees), s->discoveries / s->reps, s->false_part / s->reps, s->down / s->reps);
	fflush(stdout);
}

/* For few windows: the slope is about right, and only disturbed windows count less. */
static void check_few(const struct world *w, const struct score *s)
{
	double bias = s->sum / s->reps - truth(w), var = s->squares / s->reps - pow(s->sum / s->reps, 2);

	if (s->refused > 0.15 * (s->reps + s->refused))
		fail_msg("%s: nothing counts less in %.0f of %.0f", w->name, s->refused, s->reps + s->refused);
	if (hypot(bias, sqrt(fmax(0, var))) > w->rms)
		fail_msg("%s: rms error %.4f", w->name, hypot(bias, sqrt(fmax(0, var))));
	if (fabs(s->down / s->reps - w->hit) > 0.1 * w->hit + 0.001)
		fail_msg("%s: %.3f of the windows count less", w->name, s->down / s->reps);
}

/* As issued: 93 to 97 %, knees in fewer than 7 % of straight lines and in 90 % of knees, 5 % false discoveries. */
static void check_score(const struct world *w, const struct score *s)
{
	/* the error of so few repetitions */
	double chance = 3 * sqrt(0.95 * 0.05 / s->reps), many = 3 * sqrt(0.9 * 0.1 / s->reps);

	if (w->rms > 0) {
		check_few(w, s);
		return;
	}
	/* an interval from one or two runs says nothing of what varies between them */
	if (!w->biased && (w->runs > 2 || !(w->between > 0))) {
		assert_true(s->covered / s->reps > 0.93 - chance);
		assert_true(s->covered / s->reps < 0.97 + chance);
	}
	if (w->knee > 0) {
		assert_true(s->knees / s->reps > 0.9 - many);
		assert_true(s->knee_held / s->knees > 0.93 - chance);
	} else {
		assert_true(s->knees / s->reps < 0.07 + chance);
	}
	assert_true(s->false_part / s->reps < 0.05 + chance);
	/* a phase is never taken for a disturbance, and a disturbance nearly always is */
	if (w->hit > 0)
		assert_true(fabs(s->down / s->reps / w->hit - 1) < 0.1);
	else
		assert_true(s->down / s->reps < 0.001);
}

static void test_worlds(void **state)
{
	const char *reps_text = getenv("WORLDS_REPS"), *only = getenv("WORLDS_ONLY");
	unsigned reps = reps_text ? (unsigned)strtoul(reps_text, NULL, 10) : 40;

	(void)state;
	printf("# %-26s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "world", "covered", "bias", "sd", "width", "knees", "held", "width",
	       "claims", "false", "down");
	for (size_t i = 0; i < sizeof WORLDS / sizeof WORLDS[0]; i++) {
		struct score s;

		if (only ? !strstr(WORLDS[i].name, only) : WORLDS[i].similar && !reps_text && !getenv("LONG"))
			continue;
		s = judge(&WORLDS[i], reps);
		print_score(&WORLDS[i], &s);
		check_score(&WORLDS[i], &s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_worlds) };

	return UNIT_MAIN(tests);
}
