/*
 * Does a 95 % interval contain the truth 95 times in 100 even if the recorder plans
 * windows, and its end, by earlier results?  And how much earlier does such a recording
 * end?
 *
 * Recordings are planned by the recorder's own code, block by block.  Seeded;
 * COVERAGE_REPS=1000 in the environment prints the table of EVIDENCE.md.
 */
#include "unit.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "recorder/adapt.h"

enum { REGIONS = 6, MOST = 6000 };

static const unsigned LEVELS[] = { 15, 30, 50, 75 };
enum { NLEVELS = sizeof LEVELS / sizeof LEVELS[0] };

struct program {
	const char *name;
	double slope[REGIONS]; /* the highest first */
	double noise;          /* of a window, relative */
	double drift;          /* the machine's, relative, with a correlation of 0.9 from window to window */
	double skew;           /* share of windows with an unseen disturbance, slower by 20 % and more */
	double between;        /* sd of slopes from run to run */
	double knee;           /* of the first region; 0 = none */
	double phase;          /* windows for which the first region is idle, and then active; 0 = always active */
	size_t runs, windows;  /* of each run, at the most; 0 runs: one */
	double until;          /* 0: all windows are made */
	bool brief;            /* among the few that each `make check` repeats */
	bool biased;           /* by its nature; EVIDENCE.md says why */
};

/* The result of a recording. */
struct outcome {
	struct causal_effect effect[REGIONS];
	bool ok[REGIONS];
	size_t windows;
	bool reached;
};

/* A region counts by the time that it is active in. */
static double truth(const struct program *p, size_t r)
{
	return r == 0 && p->phase > 0 ? p->slope[0] / 2 : p->slope[r];
}

static double gain(const struct program *p, const double *slope, size_t r, double s, size_t window)
{
	if (r == 0 && p->phase > 0 && fmod((double)window, 2 * p->phase) < p->phase)
		return 0;
	return slope[r] * (r == 0 && p->knee > 0 && s > p->knee ? p->knee : s);
}

struct machine {
	gsl_rng *rng;
	const struct program *p;
	double drift;
	double slope[REGIONS]; /* in this run */
	size_t window;
};

static double window_time(struct machine *m, const struct trial *t)
{
	const struct program *p = m->p;
	double s = t->pct / 100.0, speed = (1 + m->drift) * (1 + gsl_ran_gaussian(m->rng, p->noise));

	if (gsl_rng_uniform(m->rng) < p->skew)
		speed *= 1 + gsl_ran_pareto(m->rng, 2, 0.2);
	m->drift = 0.9 * m->drift + gsl_ran_gaussian(m->rng, p->drift * sqrt(1 - 0.81));
	if (t->region == (size_t)TRIAL_BASELINE)
		return speed;
	return speed * (1 - gain(p, m->slope, t->region, s, m->window));
}

static void one_block(struct machine *m, struct adapt *a, size_t run, uint64_t block, const struct trial *trial, size_t n)
{
	for (size_t i = 0; i < n; i++, m->window++) {
		struct causal_obs o = { .run = run, .block = block, .start_ns = (double)m->window, .s = trial[i].pct / 100.0, .count = 40 };

		o.time_ns = 40 * window_time(m, &trial[i]);
		evidence_add(&a->evidence, "p", trial[i].region == (size_t)TRIAL_BASELINE ? 0 : (unsigned)trial[i].region + 1, &o);
	}
}

static void simulate(gsl_rng *rng, const struct program *p, bool adaptive, struct outcome *out)
{
	static const unsigned id[REGIONS] = { 1, 2, 3, 4, 5, 6 };
	size_t runs = p->runs ? p->runs : 1;
	struct adapt a = { .levels = LEVELS, .nlevels = NLEVELS, .width = p->until > 0 ? p->until : 0.02, .over_runs = runs >= 3 };
	struct machine m = { .rng = rng, .p = p, .drift = gsl_ran_gaussian(rng, p->drift) };
	struct schedule schedule;
	static struct causal_obs obs[MOST];
	uint64_t block = 0;

	*out = (struct outcome){ 0 };
	schedule_init(&schedule, gsl_rng_get(rng));
	for (size_t run = 0; run < runs && !out->reached; run++) {
		for (size_t r = 0; r < REGIONS; r++)
			m.slope[r] = p->slope[r] + (p->slope[r] > 0 ? gsl_ran_gaussian(rng, p->between) : 0);
		for (m.window = 0; m.window < p->windows && !out->reached;) {
			struct trial *trial;
			size_t n = adaptive ? adapt_block(&a, &schedule, id, REGIONS, &trial) :
					      schedule_block(&schedule, REGIONS, LEVELS, NLEVELS, 1, &trial);

			one_block(&m, &a, run, ++block, trial, n);
			free(trial);
			adapt_judge(&a, id, REGIONS);
			out->reached = p->until > 0 && a.enough;
		}
	}
	out->windows = a.evidence.n;
	for (size_t r = 0; r < REGIONS; r++)
		out->ok[r] = causal_effect(obs, evidence_of(&a.evidence, (unsigned)r + 1, obs), &out->effect[r]);
	adapt_release(&a);
}

struct score {
	double covered, bias, sd, width;     /* of the first region */
	double others, worst_bias; /* of all others: covered; the greatest mean error */
	double windows, reached, failed;
};

static void add_others(struct score *s, const struct program *p, const struct outcome *o, double *bias)
{
	for (size_t r = 1; r < REGIONS; r++) {
		const struct estimate *e = &o->effect[r].fit.slope;

		if (!o->ok[r] || !isfinite(e->se)) {
			s->failed++;
			continue;
		}
		s->others += (e->lo <= truth(p, r) && truth(p, r) <= e->hi) / (REGIONS - 1.0);
		bias[r] += e->value - truth(p, r);
	}
}

static struct score judge(const struct program *p, bool adaptive, size_t reps)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct score s = { 0 };
	double sum = 0, squares = 0, bias[REGIONS] = { 0 };

	gsl_rng_set(rng, 20251121);
	for (size_t i = 0; i < reps; i++) {
		struct outcome o;
		const struct estimate *e = &o.effect[0].fit.slope;

		simulate(rng, p, adaptive, &o);
		add_others(&s, p, &o, bias);
		s.covered += e->lo <= truth(p, 0) && truth(p, 0) <= e->hi;
		s.width += e->hi - e->lo;
		s.windows += (double)o.windows;
		s.reached += o.reached;
		sum += e->value - truth(p, 0);
		squares += pow(e->value - truth(p, 0), 2);
		for (size_t r = 0; r < REGIONS; r++)
			causal_effect_release(&o.effect[r]);
	}
	s.covered /= (double)reps;
	s.others /= (double)reps;
	s.width /= (double)reps;
	s.windows /= (double)reps;
	s.reached /= (double)reps;
	s.failed /= (double)reps;
	s.bias = sum / (double)reps;
	s.sd = sqrt(squares / (double)reps - s.bias * s.bias);
	for (size_t r = 1; r < REGIONS; r++)
		if (fabs(bias[r]) / (double)reps > fabs(s.worst_bias))
			s.worst_bias = bias[r] / (double)reps;
	gsl_rng_free(rng);
	return s;
}

static const struct program PROGRAMS[] = {
	{ "one leader", .brief = true, .slope = { 0.6, 0.1 }, .noise = 0.03, .windows = 240 },
	{ "two leaders", { 0.4, 0.4, 0.1 }, .noise = 0.03, .windows = 240 },
	{ "descending", .brief = true, .slope = { 0.5, 0.3, 0.2, 0.1, 0.05 }, .noise = 0.03, .windows = 240 },
	{ "nothing", { 0 }, .noise = 0.03, .windows = 240 },
	{ "drift 5 %", { 0.5, 0.3, 0.2 }, .noise = 0.03, .drift = 0.05, .windows = 240 },
	{ "5 % of windows hit", { 0.5, 0.3, 0.2 }, .noise = 0.03, .skew = 0.05, .windows = 240 },
	{ "idle at first, 120", { 0.6, 0.1 }, .noise = 0.03, .phase = 120, .windows = 240, .biased = true },
	{ "idle by turns, 10", { 0.6, 0.1 }, .noise = 0.03, .phase = 10, .windows = 240, .biased = true },
	{ "knee at 50 %", { 0.8, 0.1 }, .noise = 0.02, .knee = 0.5, .windows = 240 },
	{ "5 runs, slopes vary", { 0.5, 0.3, 0.2 }, .noise = 0.03, .between = 0.03, .runs = 5, .windows = 100 },
	{ "until 2, one leader", .brief = true, .slope = { 0.6, 0.1 }, .noise = 0.03, .windows = 2000, .until = 0.02 },
	{ "until 4, one leader", { 0.6, 0.1 }, .noise = 0.03, .windows = 2000, .until = 0.04 },
	{ "until 8, one leader", { 0.6, 0.1 }, .noise = 0.03, .windows = 2000, .until = 0.08 },
	{ "until 4, two leaders", { 0.4, 0.4, 0.1 }, .noise = 0.03, .windows = 2000, .until = 0.04 },
	{ "until 4, descending", { 0.5, 0.3, 0.2, 0.1, 0.05 }, .noise = 0.03, .windows = 2000, .until = 0.04 },
	{ "until 4, nothing", .brief = true, .slope = { 0 }, .noise = 0.03, .windows = 2000, .until = 0.04 },
	{ "until 4, drift 5 %", .brief = true, .slope = { 0.5, 0.3, 0.2 }, .noise = 0.03, .drift = 0.05, .windows = 2000, .until = 0.04 },
	{ "until 4, 5 % hit", { 0.5, 0.3, 0.2 }, .noise = 0.03, .skew = 0.05, .windows = 3000, .until = 0.04 },
	{ "until 4, knee", { 0.8, 0.1 }, .noise = 0.02, .knee = 0.5, .windows = 2000, .until = 0.04 },
	{ "until 4, 20 runs", .brief = true, .slope = { 0.5, 0.3, 0.2 }, .noise = 0.03, .between = 0.03, .runs = 20, .windows = 60, .until = 0.04 },
};

static void assert_honest(const struct program *p, const struct score *s, size_t reps)
{
	/* the error of so few repetitions */
	double chance = 2.5 * sqrt(0.95 * 0.05 / (double)reps);

	assert_true(s->failed == 0);
	assert_true(p->until > 0 ? s->reached > 0.97 : s->reached == 0);
	if (p->biased)
		return;
	assert_true(s->covered > 0.92 - chance);
	assert_true(s->others > 0.92 - chance);
	assert_true(fabs(s->bias) < 0.003 + 4 * s->sd / sqrt((double)reps));
}

static void test_coverage(void **state)
{
	const char *reps_text = getenv("COVERAGE_REPS");
	size_t reps = reps_text ? strtoul(reps_text, NULL, 10) : 60;

	(void)state;
	printf("# %-22s %-8s %8s %8s %8s %8s %8s %8s %8s\n", "program", "design", "covered", "bias", "sd", "width", "others", "bias",
	       "windows");
	for (size_t i = 0; i < sizeof PROGRAMS / sizeof PROGRAMS[0]; i++) {
		const struct program *p = &PROGRAMS[i];
		struct score s[2];

		if (!reps_text && !p->brief)
			continue;
		for (int adaptive = 0; adaptive < 2; adaptive++) {
			s[adaptive] = judge(p, adaptive, reps);
			printf("# %-22s %-8s %8.3f %+8.4f %8.4f %8.4f %8.3f %+8.4f %8.1f\n", p->name, adaptive ? "adaptive" : "fixed",
			       s[adaptive].covered, s[adaptive].bias, s[adaptive].sd, s[adaptive].width, s[adaptive].others,
			       s[adaptive].worst_bias, s[adaptive].windows);
			assert_honest(p, &s[adaptive], reps);
		}
		/* the purpose of the design; if noise has long tails, one recording can dominate a mean width */
		assert_true(p->until > 0 ? s[1].windows < s[0].windows :
					   p->biased || p->runs || p->skew > 0 || s[1].width < s[0].width);
	}
}

static size_t count(const struct trial *t, size_t n, size_t region)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += t[i].region == region;
	return sum;
}

/* Windows of a region that gains as told, and baselines. */
static void tell(struct adapt *a, unsigned id, double slope, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double s = LEVELS[i % NLEVELS] / 100.0, wobble = i % 3 * 0.001;
		struct causal_obs base = { .block = i / NLEVELS, .start_ns = (double)i, .count = 40, .time_ns = 40 + wobble };
		struct causal_obs o = base;

		o.s = s;
		o.time_ns *= 1 - slope * s;
		o.start_ns += 0.5;
		evidence_add(&a->evidence, "p", 0, &base);
		evidence_add(&a->evidence, "p", id, &o);
	}
}

static void test_attention(void **state)
{
	static const unsigned id[] = { 7, 3, 9, 5 };
	struct adapt a = { .levels = LEVELS, .nlevels = NLEVELS, .width = 1e-6 };
	struct schedule schedule;
	struct trial *t;
	size_t n, idle = 0, useful = 0;

	(void)state;
	schedule_init(&schedule, 1);
	tell(&a, 7, 0.5, 24);
	tell(&a, 3, 0.2, 24);
	tell(&a, 9, 0, 24);
	adapt_judge(&a, id, 3);
	assert_int_equal(a.region[7].role, ADAPT_LEADER);
	assert_int_equal(a.region[3].role, ADAPT_USEFUL);
	assert_int_equal(a.region[9].role, ADAPT_IDLE);
	assert_false(a.enough);
	for (int i = 0; i < 300; i++) {
		n = adapt_block(&a, &schedule, id, 3, &t);
		assert_int_equal(count(t, n, 0), 6);
		assert_true(count(t, n, (size_t)TRIAL_BASELINE) >= 3);
		useful += count(t, n, 1);
		idle += count(t, n, 2);
		free(t);
	}
	/* no region starves: a pair in every other block, one in every third */
	assert_true(useful >= 240 && useful <= 360);
	assert_true(idle >= 70 && idle <= 130);

	/* a new region may be the leader, and one without an effect is idle */
	n = adapt_block(&a, &schedule, id, 4, &t);
	assert_int_equal(count(t, n, 0), 4);
	assert_int_equal(count(t, n, 3), 4);
	free(t);
	tell(&a, 5, 0, 24);
	a.width = 0.1;
	adapt_judge(&a, id, 4);
	assert_int_equal(a.region[5].role, ADAPT_IDLE);
	assert_true(a.enough);

	/* over runs, one run is never enough */
	a.over_runs = true;
	a.judged = 0;
	adapt_judge(&a, id, 4);
	assert_false(a.enough);
	adapt_release(&a);
}

static void test_without_anything(void **state)
{
	static const unsigned id[] = { 1 };
	struct adapt a = { .levels = LEVELS, .nlevels = 0, .width = 0.02 };
	struct schedule schedule;
	struct trial *t;

	(void)state;
	schedule_init(&schedule, 1);
	adapt_judge(&a, id, 0);
	assert_false(a.enough);
	assert_int_equal(adapt_block(&a, &schedule, id, 0, &t), 1);
	free(t);
	adapt_judge(&a, id, 1);
	assert_int_equal(adapt_block(&a, &schedule, id, 1, &t), 1);
	assert_int_equal(t[0].region, (size_t)TRIAL_BASELINE);
	free(t);
	adapt_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attention),
		cmocka_unit_test(test_without_anything),
		cmocka_unit_test(test_coverage),
	};

	return UNIT_MAIN(tests);
}
