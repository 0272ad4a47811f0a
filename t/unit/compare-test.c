/*
 * Comparisons of simulated programs: does a program compared with itself stay
 * unchanged, and is one region that got slower found, and only that one?
 *
 * A run is simulated by its result for each region: the cost, with an error from the
 * windows inside the run (`inside`, in units of the period), an error that differs from
 * run to run as code placement does (`spread`, relative), and the speed of the machine,
 * of which both sides of a block share one part (`drift`), and not the other (`noise`).
 * Seeded; DIFF_REPS=10000 in the environment prints the table of EVIDENCE.md.
 */
#include "unit.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "base/alloc.h"
#include "diff/comparisons.h"
#include "diff/gate.h"
#include "diff/shrinkage.h"

enum { REGIONS = 8, MOST_RUNS = 256 };

static const double PERIOD = 2e6;

/* Time that the program spends in regions, one after the other; the rest has no region. */
static const double SHARE[REGIONS] = { 0.3, 0.2, 0.15, 0.1, 0.08, 0.05, 0.03, 0.01 };

struct world {
	const char *name;
	size_t runs;
	double inside, spread, drift, noise;
	bool blocks;
	double uneven; /* the errors of regions differ: standard deviation of their logarithms */
	double factor; /* of the cost of the first region in head */
	double moved;  /* from the first region to the second in head: part of a visit */
};

static double error_of(const struct world *w, size_t region)
{
	/* fixed places of a normal distribution, so that which region is noisy does not change */
	static const double z[REGIONS] = { 0.4, -0.9, 1.4, -0.1, -1.4, 0.9, 0.1, -0.4 };

	return w->inside * exp(w->uneven * z[region]);
}

struct program {
	struct side side;
	struct found_point found;
	struct finding finding[REGIONS];
	struct side_point point;
};

static void program_init(struct program *p)
{
	static char name[] = "round", scope[] = "function", verdict[] = "high";
	static char label[REGIONS][2] = { "a", "b", "c", "d", "e", "f", "g", "h" };

	*p = (struct program){ .found = { .name = name, .period_ns = PERIOD } };
	p->point.found = &p->found;
	p->point.region = xcalloc(REGIONS, sizeof *p->point.region);
	p->point.nregions = REGIONS;
	for (size_t r = 0; r < REGIONS; r++) {
		p->finding[r] = (struct finding){ .region = label[r], .function = label[r], .symbol = label[r], .scope = scope,
			.verdict = verdict, .line = NAN, .function_line = NAN };
		p->point.region[r].found = &p->finding[r];
		p->point.region[r].all.at = xcalloc(MOST_RUNS, sizeof(struct replicate));
	}
	p->point.runs.at = xcalloc(MOST_RUNS, sizeof(struct replicate));
	p->side.point = &p->point;
	p->side.npoints = 1;
}

static void program_release(struct program *p)
{
	for (size_t r = 0; r < REGIONS; r++)
		replicates_release(&p->point.region[r].all);
	replicates_release(&p->point.runs);
	free(p->point.region);
}

static void add_run(gsl_rng *rng, const struct world *w, struct program *p, size_t run, double speed, bool head)
{
	static char block[MOST_RUNS][24];
	double period = PERIOD, visits = 2000, cost[REGIONS];
	struct replicate one = { .order = (double)run, .df = 10 };

	snprintf(block[run], sizeof block[run], "%zu", run);
	one.block = w->blocks ? block[run] : NULL;
	for (size_t r = 0; r < REGIONS; r++) {
		double moved = !head || r > 1 ? 0 : r ? w->moved : -w->moved;

		cost[r] = PERIOD * (SHARE[r] + moved) * (1 + gsl_ran_gaussian(rng, w->spread)) * (head && !r ? w->factor : 1);
		period += cost[r] - PERIOD * SHARE[r];
	}
	period *= speed * (1 + gsl_ran_gaussian(rng, w->inside / 3));
	one.sum.ratio = (struct causal_ratio){ .n0 = visits, .d0 = visits * period };
	one.se[QUANTITY_PERIOD] = w->inside / 3;
	p->point.runs.at[p->point.runs.n++] = one;
	for (size_t r = 0; r < REGIONS; r++) {
		struct replicates *to = &p->point.region[r].all;
		double c = cost[r] * speed + PERIOD * gsl_ran_gaussian(rng, error_of(w, r));

		one.sum.ratio.den = 1e9;
		one.sum.ratio.num = -c / period * one.sum.ratio.den;
		one.sum.windows = 30;
		one.sum.baselines = 10;
		one.se[QUANTITY_COST] = PERIOD * error_of(w, r);
		to->at[to->n++] = one;
	}
}

static void simulate(gsl_rng *rng, const struct world *w, struct program *base, struct program *head)
{
	base->point.runs.n = head->point.runs.n = 0;
	for (size_t r = 0; r < REGIONS; r++)
		base->point.region[r].all.n = head->point.region[r].all.n = 0;
	for (size_t run = 0; run < w->runs; run++) {
		double block = 1 + gsl_ran_gaussian(rng, w->drift);
		double other = w->blocks ? block : 1 + gsl_ran_gaussian(rng, w->drift);

		add_run(rng, w, base, run, block * (1 + gsl_ran_gaussian(rng, w->noise)), false);
		add_run(rng, w, head, run, other * (1 + gsl_ran_gaussian(rng, w->noise)), true);
	}
}

struct score {
	double false_changed;  /* comparisons with the verdict `changed` for a region, or the point, that has not changed */
	double false_any;      /* changed, likely or minor */
	double found, noticed; /* the region is changed; changed or likely */
	double headline;       /* the point is changed or likely */
	double covered;        /* intervals of costs that hold the truth */
	double unchanged;      /* regions that did not change, and are known not to have */
};

static struct score judge(const struct world *w, size_t reps)
{
	static const struct comparisons_options options = { .margin_pct = 2 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct program base, head;
	struct score s = { 0 };

	gsl_rng_set(rng, 20251121);
	program_init(&base);
	program_init(&head);
	for (size_t i = 0; i < reps; i++) {
		bool same = w->factor == 1, wrong = false, any = false;
		struct comparisons c;
		struct point_pair *p;

		simulate(rng, w, &base, &head);
		comparisons_init(&c, &base.side, &head.side, &options);
		assert_int_equal(c.n, 1);
		p = &c.point[0];
		assert_int_equal(p->npairs, REGIONS);
		s.headline += p->change <= CHANGE_LIKELY;
		wrong = same && p->change == CHANGE_CHANGED;
		any = same && p->change <= CHANGE_MINOR;
		for (size_t r = 0; r < REGIONS; r++) {
			const struct pair *pair = &p->pair[r];
			bool ours = !same && !strcmp(pair->base->found->region, "a");
			double truth = ours ? PERIOD * SHARE[0] * (w->factor - 1) : 0;

			s.covered += pair->cost.difference.lo <= truth && truth <= pair->cost.difference.hi;
			if (ours) {
				s.found += pair->change == CHANGE_CHANGED;
				s.noticed += pair->change <= CHANGE_LIKELY;
			} else {
				wrong = wrong || pair->change == CHANGE_CHANGED;
				any = any || pair->change <= CHANGE_MINOR;
				s.unchanged += pair->change == CHANGE_UNCHANGED;
			}
		}
		s.false_changed += wrong;
		s.false_any += any;
		comparisons_release(&c);
	}
	s.false_changed /= (double)reps;
	s.false_any /= (double)reps;
	s.found /= (double)reps;
	s.noticed /= (double)reps;
	s.headline /= (double)reps;
	s.covered /= (double)reps * REGIONS;
	s.unchanged /= (double)reps * (REGIONS - (w->factor != 1));
	program_release(&base);
	program_release(&head);
	gsl_rng_free(rng);
	return s;
}

static const struct world WORLDS[] = {
	{ "same, 5 blocks", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1 },
	{ "same, 3 blocks", 3, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1 },
	{ "same, 10 blocks", 10, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1 },
	{ "same, 5 + 5 runs", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .factor = 1 },
	{ "same, quiet", 5, .inside = 0.003, .spread = 0.003, .drift = 0.01, .noise = 0.002, .blocks = true, .factor = 1 },
	{ "same, loud", 5, .inside = 0.05, .spread = 0.05, .drift = 0.1, .noise = 0.03, .blocks = true, .factor = 1 },
	{ "same, placement rules", 5, .inside = 0.003, .spread = 0.08, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1 },
	{ "same, uneven errors", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .uneven = 1, .factor = 1 },
	{ "10 % slower, quiet", 5, .inside = 0.005, .spread = 0.005, .drift = 0.03, .noise = 0.003, .blocks = true, .factor = 1.1 },
	{ "10 % slower", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1.1 },
	{ "10 % slower, 10 blocks", 10, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1.1 },
	{ "20 % slower", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1.2 },
	{ "20 % slower, 5 + 5 runs", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .factor = 1.2 },
	{ "20 % slower, uneven errors", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .uneven = 1, .factor = 1.2 },
	{ "30 % slower", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1.3 },
	{ "30 % faster", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 0.7 },
};

static size_t repetitions(void)
{
	return getenv("DIFF_REPS") ? (size_t)atol(getenv("DIFF_REPS")) : 400;
}

/* The most that a part of `rate` comes to by chance, but for one case in a thousand. */
static double at_most(double rate, size_t reps)
{
	return rate + 3.1 * sqrt(rate * (1 - rate) / (double)reps);
}

static void check_world(const struct world *w, const struct score *s, size_t reps)
{
	/* 10 % of this region are 3 % of a visit, with errors of 1 %: the headline finds it, and ten blocks find the region */
	bool hard = w->factor < 1.15 && w->factor > 1 && w->inside > 0.005 && w->runs < 10;
	bool uneven = w->uneven > 0;

	if (s->false_changed > at_most(0.05, reps) || s->covered < 0.945 - 0.02)
		fail_msg("%s: %.3f falsely changed, %.3f covered", w->name, s->false_changed, s->covered);
	if (w->factor != 1 && !hard && !uneven && s->noticed < 0.9)
		fail_msg("%s: noticed in %.3f", w->name, s->noticed);
	if (w->factor != 1 && w->blocks && s->headline < 0.9)
		fail_msg("%s: headline in %.3f", w->name, s->headline);
}

static void simulations(void **state)
{
	double false_changed = 0, worlds = 0;
	size_t reps = repetitions();

	(void)state;
	printf("# comparison                  falsely: changed  any     found  noticed  headline  covered  unchanged\n");
	for (size_t i = 0; i < sizeof WORLDS / sizeof WORLDS[0]; i++) {
		struct score s = judge(&WORLDS[i], reps);

		printf("# %-28s      %.4f   %.4f  %.3f  %.3f    %.3f     %.3f    %.3f\n", WORLDS[i].name, s.false_changed, s.false_any, s.found,
		       s.noticed, s.headline, s.covered, s.unchanged);
		check_world(&WORLDS[i], &s, reps);
		if (WORLDS[i].factor == 1) {
			false_changed += s.false_changed;
			worlds++;
		}
	}
	printf("# A/A: false 'changed' in %.2f %% of %.0f comparisons\n", 100 * false_changed / worlds, worlds * (double)reps);
	assert_true(false_changed / worlds < 0.05);
}

/* ---- cost that moves -------------------------------------------------------------------- */

/* A program that does the same in two other places. */
static const struct world SHIFTS[] = {
	{ "6 %, errors 1 %", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1, .moved = 0.06 },
	{ "6 %, errors 1.5 %", 5, .inside = 0.015, .spread = 0.01, .drift = 0.03, .noise = 0.003, .blocks = true, .factor = 1, .moved = 0.06 },
	{ "6 %, errors 2 %", 5, .inside = 0.02, .spread = 0.01, .drift = 0.03, .noise = 0.003, .blocks = true, .factor = 1, .moved = 0.06 },
	{ "6 %, errors 3 %", 5, .inside = 0.03, .spread = 0.01, .drift = 0.03, .noise = 0.003, .blocks = true, .factor = 1, .moved = 0.06 },
	{ "6 %, 3 blocks", 3, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.003, .blocks = true, .factor = 1, .moved = 0.06 },
	{ "6 %, 12 blocks", 12, .inside = 0.02, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1, .moved = 0.06 },
	{ "10 %, errors 2 %", 5, .inside = 0.02, .spread = 0.01, .drift = 0.03, .noise = 0.003, .blocks = true, .factor = 1, .moved = 0.1 },
	{ "10 %, uneven errors", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .uneven = 1, .factor = 1, .moved = 0.1 },
};

struct shift_score {
	double calm;     /* the point is known to be unchanged */
	double both;     /* both regions changed, or likely did */
	double shifted;  /* of these, the part that is seen to be one shift */
	double gated;    /* the gate `regression` is met */
	double contrary; /* ... and the point is known to be unchanged */
};

static void score_shift(struct shift_score *s, const struct report *r)
{
	bool calm = false, gated = gate_count(r, GATE_REGRESSION) > 0;
	size_t changed = 0, shifted = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct row *row = &r->row[i];

		if (row->kind == ROW_POINT)
			calm = row->change == CHANGE_UNCHANGED;
		if (row->kind != ROW_REGION || (strcmp(row->text[TEXT_REGION], "a") != 0 && strcmp(row->text[TEXT_REGION], "b") != 0))
			continue;
		changed += row->change <= CHANGE_LIKELY;
		shifted += row->real[REAL_SHIFT] > 0;
	}
	s->calm += calm;
	s->both += changed == 2;
	s->shifted += shifted == 2;
	s->gated += gated;
	s->contrary += gated && calm;
}

static struct shift_score judge_shift(const struct world *w, size_t reps)
{
	static const struct comparisons_options options = { .margin_pct = 2 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct program base, head;
	struct shift_score s = { 0 };

	gsl_rng_set(rng, 20261122);
	program_init(&base);
	program_init(&head);
	for (size_t i = 0; i < reps; i++) {
		struct report r = REPORT_INIT;

		simulate(rng, w, &base, &head);
		assert_true(comparisons_report(&r, &base.side, &head.side, &options));
		score_shift(&s, &r);
		report_release(&r);
	}
	s.shifted /= s.both > 0 ? s.both : 1;
	s.calm /= (double)reps;
	s.both /= (double)reps;
	s.gated /= (double)reps;
	s.contrary /= (double)reps;
	program_release(&base);
	program_release(&head);
	gsl_rng_free(rng);
	return s;
}

static void shifts(void **state)
{
	size_t reps = repetitions();

	(void)state;
	printf("# cost that moves          point unchanged  both seen  as a shift  gate  contrary to the point\n");
	for (size_t i = 0; i < sizeof SHIFTS / sizeof SHIFTS[0]; i++) {
		struct shift_score s = judge_shift(&SHIFTS[i], reps);

		printf("# %-24s           %.3f      %.3f       %.3f %.3f  %.3f\n", SHIFTS[i].name, s.calm, s.both, s.shifted, s.gated, s.contrary);
		if (s.contrary > 0)
			fail_msg("%s: the gate contradicts the headline in %.3f", SHIFTS[i].name, s.contrary);
		if (s.both > 0.8 && s.shifted < 0.85)
			fail_msg("%s: a shift in %.3f only", SHIFTS[i].name, s.shifted);
	}
}

/* ---- how many blocks would tell ------------------------------------------------------------ */

static const struct world OPEN[] = {
	{ "same, errors 1 %", 5, .inside = 0.01, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1 },
	{ "same, errors 2 %", 5, .inside = 0.02, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1 },
	{ "same, errors 3 %", 5, .inside = 0.03, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1 },
	{ "same, errors 5 %", 5, .inside = 0.05, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1 },
	{ "same, errors 10 %", 5, .inside = 0.1, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1 },
	{ "same, uneven errors", 5, .inside = 0.02, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .uneven = 0.5, .factor = 1 },
	{ "10 % slower, errors 2 %", 5, .inside = 0.02, .spread = 0.01, .drift = 0.03, .noise = 0.005, .blocks = true, .factor = 1.1 },
};

/* An undecided region that is advised; MOST_RUNS or more: no such. */
static size_t advised_region(gsl_rng *rng, const struct point_pair *p, const struct comparisons_options *o, size_t *needed)
{
	struct change_rule rule = comparisons_region_rule(p, o);
	size_t first = gsl_rng_uniform_int(rng, REGIONS);

	for (size_t i = 0; i < REGIONS; i++) {
		const struct pair *pair = &p->pair[(first + i) % REGIONS];

		if (pair->change != CHANGE_INCONCLUSIVE)
			continue;
		*needed = change_needs(&pair->cost, pair->q, &rule);
		return *needed ? (first + i) % REGIONS : REGIONS;
	}
	return REGIONS;
}

/*
 * The share of comparisons with advice, its mean, and the share in which a comparison of so
 * many blocks gives a verdict.
 */
static void follow(const struct world *w, size_t reps, double out[3])
{
	static const struct comparisons_options options = { .margin_pct = 2 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct program base, head;
	double advised = 0, blocks = 0, told = 0;

	gsl_rng_set(rng, 20261123);
	program_init(&base);
	program_init(&head);
	for (size_t i = 0; i < reps; i++) {
		struct world more = *w;
		struct comparisons c;
		size_t region;

		simulate(rng, w, &base, &head);
		comparisons_init(&c, &base.side, &head.side, &options);
		region = advised_region(rng, &c.point[0], &options, &more.runs);
		comparisons_release(&c);
		if (region == REGIONS)
			continue;
		advised++;
		blocks += (double)more.runs;
		simulate(rng, &more, &base, &head);
		comparisons_init(&c, &base.side, &head.side, &options);
		told += c.point[0].pair[region].change != CHANGE_INCONCLUSIVE;
		comparisons_release(&c);
	}
	out[0] = advised / (double)reps;
	out[1] = blocks / advised;
	out[2] = told / advised;
	program_release(&base);
	program_release(&head);
	gsl_rng_free(rng);
}

static void needs(void **state)
{
	size_t reps = repetitions() / 4;

	(void)state;
	printf("# as advised                advised  blocks  told\n");
	for (size_t i = 0; i < sizeof OPEN / sizeof OPEN[0]; i++) {
		double out[3], advised;

		follow(&OPEN[i], reps, out);
		advised = out[0] * (double)reps;
		printf("# %-26s  %.3f  %6.1f  %.3f\n", OPEN[i].name, out[0], out[1], out[2]);
		/*
		 * In a world that is too noisy for advice, the few comparisons with advice
		 * are those whose errors seem half as large as they are.
		 */
		if (advised > 20 && out[0] > 0.05 && out[2] < 0.8 - 3 * sqrt(0.16 / advised))
			fail_msg("%s: as advised, and it tells in %.3f", OPEN[i].name, out[2]);
	}
}

/* ---- the rule -------------------------------------------------------------------------- */

static struct comparison comparison_of(double value, double se)
{
	struct comparison c = { .design = DESIGN_PAIRED, .over_runs = true, .units = 5, .difference = { .value = value, .se = se, .df = 4 } };

	stats_estimate_finish(&c.difference);
	return c;
}

static void verdicts(void **state)
{
	const struct change_rule rule = { .margin = 2 };
	struct comparison c;

	(void)state;
	c = comparison_of(5, 1); /* 2.2 to 7.8 */
	assert_int_equal(change_judge(&c, 0.01, &rule), CHANGE_CHANGED);
	assert_int_equal(change_judge(&c, 0.06, &rule), CHANGE_INCONCLUSIVE);
	c = comparison_of(-5, 1);
	assert_int_equal(change_judge(&c, 0.01, &rule), CHANGE_CHANGED);
	c = comparison_of(4, 1); /* 1.2 to 6.8 */
	assert_int_equal(change_judge(&c, 0.01, &rule), CHANGE_LIKELY);
	c = comparison_of(1, 0.1);
	assert_int_equal(change_judge(&c, 0.01, &rule), CHANGE_MINOR);
	assert_int_equal(change_judge(&c, 0.2, &rule), CHANGE_UNCHANGED);
	c = comparison_of(0, 0.9); /* 90 %: -1.92 to 1.92 */
	assert_int_equal(change_judge(&c, 1, &rule), CHANGE_UNCHANGED);
	assert_int_equal(change_needs(&c, 1, &rule), 0);
	c = comparison_of(0, 0.95); /* -2.03 to 2.03 */
	assert_int_equal(change_judge(&c, 1, &rule), CHANGE_INCONCLUSIVE);
	/* (1.65 + 1.65) 0.95 are 2 with 2.45 times the runs, more with few degrees of freedom */
	assert_int_equal(change_needs(&c, 1, &rule), 15);
	c = comparison_of(0, 2);
	assert_int_equal(change_needs(&c, 1, &rule), 57);
	c = comparison_of(1.9, 2); /* whatever it was found to be */
	assert_int_equal(change_needs(&c, 1, &rule), 57);
	c = comparison_of(0, 5);
	assert_int_equal(change_needs(&c, 1, &rule), 0);
	c.over_runs = false;
	assert_int_equal(change_judge(&c, 0, &rule), CHANGE_INSUFFICIENT);
	assert_int_equal(change_needs(&c, 0, &rule), COMPARE_MIN_RUNS);
	c = comparison_of(5, INFINITY);
	assert_int_equal(change_judge(&c, NAN, &rule), CHANGE_INSUFFICIENT);
	c = comparison_of(0, 0); /* the same runs */
	assert_int_equal(change_judge(&c, 1, &rule), CHANGE_UNCHANGED);
}

/* Cost 100, and 30 more in head; each block has a machine of its own, which drowns the change unless blocks are compared. */
static struct replicate replicate_of(const char *block, double order, double speed, double cost)
{
	struct replicate r = { .block = block, .order = order, .df = 5, .se = { 0.01, 0.1, 10 } };

	r.sum.ratio = (struct causal_ratio){ .num = -cost * speed / 1000, .den = 1, .n0 = 100, .d0 = 100000 };
	r.sum.windows = 20;
	r.sum.baselines = 5;
	return r;
}

static void designs(void **state)
{
	static const char *const block[] = { "1", "2", "3", "4" };
	static const double speed[] = { 1, 3, 0.5, 2 };
	struct replicate base[4], head[5];
	struct replicates b = { .at = base, .n = 4 }, h = { .at = head, .n = 5 };
	struct comparison c;

	(void)state;
	for (int i = 0; i < 4; i++) {
		base[i] = replicate_of(block[i], 2 * i, speed[i], 100);
		head[i] = replicate_of(block[i], 2 * i + 1, speed[i], 130);
	}
	head[4] = replicate_of("9", 11, 50, 130); /* without a partner */
	compare(&b, &h, QUANTITY_COST, &c);
	assert_int_equal(c.design, DESIGN_PAIRED);
	assert_int_equal(c.units, 4);
	assert_int_equal(c.head_runs, 4);
	assert_true(fabs(c.difference.value - 30 * 6.5 / 4) < 1e-9);
	assert_true(c.difference.lo < 30 && c.difference.df == 3);
	b.n = 2; /* two blocks in common, and too few runs for more */
	compare(&b, &h, QUANTITY_COST, &c);
	assert_int_equal(c.design, DESIGN_WITHIN);
	assert_false(c.over_runs);
	b.n = 4;
	for (int i = 0; i < 4; i++)
		base[i].block = NULL;
	compare(&b, &h, QUANTITY_COST, &c);
	assert_int_equal(c.design, DESIGN_WELCH);
	assert_true(c.over_runs && c.difference.lo < 0);
	b.n = 0;
	compare(&b, &h, QUANTITY_COST, &c);
	assert_int_equal(c.design, DESIGN_NONE);
	assert_true(isnan(c.mde));
}

/* A run with hardly a window is joined with the next rather than counted as much as it. */
static void weak_runs_are_joined(void **state)
{
	struct replicate base[4], head[4];
	struct replicates b = { .at = base, .n = 4 }, h = { .at = head, .n = 4 };
	struct comparison c;

	(void)state;
	for (int i = 0; i < 4; i++) {
		base[i] = replicate_of(NULL, i, 1, 100);
		head[i] = replicate_of(NULL, i, 1, 100 + i);
	}
	head[1] = replicate_of(NULL, 1, 1, 900);
	head[1].sum.ratio.num *= 0.01;
	head[1].sum.ratio.den *= 0.01;
	head[1].sum.windows = 3;
	compare(&b, &h, QUANTITY_COST, &c);
	assert_int_equal(c.design, DESIGN_WELCH);
	assert_int_equal(c.units, 3);
	assert_true(c.head.value < 106 && c.head.value > 101);
}

static void errors_are_shared(void **state)
{
	struct estimate e[4];
	struct estimate *all[4] = { &e[0], &e[1], &e[2], &e[3] };

	(void)state;
	for (int i = 0; i < 4; i++) {
		e[i] = (struct estimate){ .value = 1, .se = i ? 1 : 0.01, .df = 4 };
		stats_estimate_finish(&e[i]);
	}
	e[3].se = 50;
	shrink_errors(all, 2);
	assert_true(e[0].se == 0.01 && e[0].df == 4);
	shrink_errors(all, 4);
	assert_true(e[0].se > 0.01);           /* small by luck */
	assert_true(e[3].se == 50);            /* never lowered */
	for (int i = 0; i < 4; i++) {
		assert_true(e[i].df >= 4 && e[i].df <= 16);
		e[i] = (struct estimate){ .value = 1, .se = 2, .df = 4 };
	}
	shrink_errors(all, 4);
	/* all the same: as if they were one sample */
	assert_true(e[1].df == 16 && e[1].se >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),
		cmocka_unit_test(designs),
		cmocka_unit_test(weak_runs_are_joined),
		cmocka_unit_test(errors_are_shared),
		cmocka_unit_test(shifts),
		cmocka_unit_test(needs),
		cmocka_unit_test(simulations),
	};

	return UNIT_MAIN(tests);
}
