/*
 * Percentiles: of known histograms, their change with an interval that covers it,
 * and tables that do not grow with the input.
 *
 *     COVERAGE_REPS=2000 percentile-test     prints how often intervals hold the truth
 */
#include "unit.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "bucket.h"
#include "analysis/percentile.h"
#include "profile/profile.h"

static void near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.12g instead of %.12g", got, want);
}

static void add_length(struct lengths_table *t, const struct lengths_of *name, double ns)
{
	struct lengths_bucket b = { .bucket = bucket_of((int64_t)ns), .count = 1 };

	lengths_table_add(t, name, &b, 1);
}

/* 1, 2, ... 1000 us for baselines, half of that for the region. */
static struct lengths_table uniform(void)
{
	struct lengths_table t = { 0 };

	for (int i = 0; i < 8000; i++) {
		struct lengths_of base = { .region = PROFILE_NONE, .block = (uint64_t)i % 8, .run = 7 };
		struct lengths_of fast = { .region = 3, .s = 0.5, .block = (uint64_t)i % 8, .run = 7 };
		double ns = 1000.0 * (i / 8 + 1);

		add_length(&t, &base, ns);
		add_length(&t, &fast, ns / 2);
	}
	return t;
}

static void of_known_lengths(void **state)
{
	struct lengths_table t = uniform();
	struct percentile_effect e;
	double base[PERCENTILES];

	(void)state;
	assert_true(percentile_effect(&t, 0, 3, 1, &e));
	percentile_base(&t, 0, base);
	for (size_t i = 0; i < PERCENTILES; i++) {
		double want = percentile_pct[i] * 10000.0;

		near(base[i], want, want * 0.01);
		near(e.base_ns[i], base[i], 0);
		near(e.level[0].gain[i].value, 0.5, 0.01);
		near(e.slope[i].value, 1, 0.02);
		assert_true(e.slope[i].lo <= e.slope[i].value && e.slope[i].hi >= e.slope[i].value);
	}
	assert_int_equal(e.nlevels, 1);
	assert_int_equal(e.units, 8);
	percentile_effect_release(&e);
	assert_false(percentile_effect(&t, 1, 3, 1, &e));
	lengths_table_release(&t);
}

/* Four windows are enough for a number, but not for p99; another region has no result. */
static void too_few(void **state)
{
	struct lengths_table t = { 0 };
	struct percentile_effect e;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct lengths_of base = { .region = PROFILE_NONE, .block = (uint64_t)i % 2, .run = 7 };
		struct lengths_of fast = { .region = 3, .s = 0.5, .block = (uint64_t)i % 2, .run = 7 };

		add_length(&t, &base, 1e6 + i);
		add_length(&t, &fast, 5e5 + i);
	}
	assert_true(percentile_effect(&t, 0, 3, 1, &e));
	near(e.slope[0].value, 1, 0.05);
	assert_true(isinf(e.slope[0].lo) && isinf(e.slope[0].hi));
	near(e.slope[1].value, 1, 0.05);
	assert_true(isnan(e.slope[2].value));
	percentile_effect_release(&e);
	assert_true(percentile_effect(&t, 0, 4, 1, &e));
	assert_int_equal(e.nlevels, 0);
	percentile_effect_release(&e);
	lengths_table_release(&t);
}

/* Levels beyond the knee are no part of the slope. */
static void up_to_the_knee(void **state)
{
	struct lengths_table t = { 0 };
	struct percentile_effect e;

	(void)state;
	for (int i = 0; i < 3000; i++)
		for (int l = 0; l < 4; l++) {
			double s = 0.25 * l, useful = s < 0.25 ? s : 0.25;
			struct lengths_of name = { .region = l ? 3 : PROFILE_NONE, .s = s, .block = (uint64_t)i % 10 };

			add_length(&t, &name, 1e6 * (1 - useful) * (1 + i / 3000.0));
		}
	assert_true(percentile_effect(&t, 0, 3, 0.3, &e));
	near(e.slope[1].value, 1, 0.03);
	percentile_effect_release(&e);
	assert_true(percentile_effect(&t, 0, 3, 1, &e));
	assert_true(e.slope[1].value < 0.7);
	percentile_effect_release(&e);
	lengths_table_release(&t);
}

/* ---- tables ------------------------------------------------------------------------ */

static uint64_t count_of(const struct lengths_table *t)
{
	uint64_t all = 0;

	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->of[i].sum.n; k++) {
			assert_true(k == 0 || t->of[i].sum.at[k - 1].bucket < t->of[i].sum.at[k].bucket);
			all += t->of[i].sum.at[k].count;
		}
	return all;
}

/* Runs of many blocks, whose lengths are all over the place. */
static void add_all(struct lengths_table *t, unsigned runs, unsigned blocks, unsigned stride)
{
	struct lengths_bucket b[500];

	for (unsigned first = 0; first < stride; first++)
		for (unsigned i = first; i < runs * blocks; i += stride) {
			struct lengths_of name = { .region = i % 3, .run = (i / blocks) * 0x9e3779b97f4a7c15u, .block = i % blocks };

			for (unsigned k = 0; k < 500; k++)
				b[k] = (struct lengths_bucket){ .bucket = 4 * k + i % 4, .count = 1 + i % 3 };
			lengths_table_add(t, &name, b, 500);
		}
}

static void check_bounded(unsigned runs, unsigned blocks, unsigned want)
{
	struct lengths_table t = { 0 }, other = { 0 };
	uint64_t all = 0;

	add_all(&t, runs, blocks, 1);
	add_all(&other, runs, blocks, 7);
	for (unsigned i = 0; i < runs * blocks; i++)
		all += 500 * (1 + i % 3);
	assert_int_equal(count_of(&t), all);
	assert_int_equal(count_of(&other), all);
	assert_int_equal(t.shared, want);
	assert_int_equal(other.shared, want);
	assert_int_equal(t.n, other.n);
	assert_int_equal(t.buckets, other.buckets);
	assert_true(t.buckets <= LENGTHS_MOST || t.shared == SHARED_RUNS);
	lengths_table_release(&t);
	lengths_table_release(&other);
}

static void tables_are_bounded(void **state)
{
	(void)state;
	check_bounded(10, 10, SHARED_NOTHING);
	check_bounded(2, 3000, SHARED_NEIGHBOURS);
	check_bounded(300, 70, SHARED_BLOCKS);
	check_bounded(3000, 2, SHARED_RUNS);
}

/* ---- coverage ------------------------------------------------------------------------ */

struct program {
	const char *name;
	unsigned runs, blocks, spans; /* in a window */
	double gain;                  /* of all lengths, at 50 % */
	double rho;                   /* from one span's length to the next one's */
	double between;               /* sd of the gain between runs */
};

struct counts {
	unsigned covered[PERCENTILES], bounded[PERCENTILES];
	double width[PERCENTILES];
};

/* Lognormal lengths, each like the one before it by rho: queues do that. */
static void add_window(gsl_rng *rng, struct lengths_table *t, const struct lengths_of *name, const struct program *p, double factor,
		       double *z)
{
	for (unsigned i = 0; i < p->spans; i++) {
		*z = p->rho * *z + gsl_ran_gaussian(rng, sqrt(1 - p->rho * p->rho));
		add_length(t, name, 1e6 * factor * exp(0.7 * *z));
	}
}

static void try_once(gsl_rng *rng, const struct program *p, struct counts *c)
{
	struct lengths_table t = { 0 };
	struct percentile_effect e;
	double z = 0;

	for (unsigned r = 0; r < p->runs; r++) {
		double gain = p->gain + (p->between > 0 ? gsl_ran_gaussian(rng, p->between) : 0);

		for (unsigned b = 0; b < p->blocks; b++) {
			struct lengths_of base = { .region = PROFILE_NONE, .run = r, .block = b };
			struct lengths_of fast = { .region = 1, .s = 0.5, .run = r, .block = b };

			add_window(rng, &t, &base, p, 1, &z);
			add_window(rng, &t, &fast, p, 1 - gain, &z);
		}
	}
	assert_true(percentile_effect(&t, 0, 1, 1, &e));
	for (size_t i = 0; i < PERCENTILES; i++) {
		const struct estimate *g = &e.level[0].gain[i];

		if (!isfinite(g->lo))
			continue;
		c->bounded[i]++;
		c->covered[i] += g->lo <= p->gain && p->gain <= g->hi;
		c->width[i] += g->hi - g->lo;
	}
	percentile_effect_release(&e);
	lengths_table_release(&t);
}

static void intervals_cover(void **state)
{
	static const struct program programs[] = {
		{ "20 blocks of 50 spans", 1, 20, 50, 0.2, 0, 0 },
		{ "20 blocks, no effect", 1, 20, 50, 0, 0, 0 },
		{ "60 blocks, queueing", 1, 60, 50, 0.2, 0.8, 0 },
		{ "3 runs of 10 blocks", 3, 10, 50, 0.2, 0.5, 0 },
		{ "20 blocks of 200 spans", 1, 20, 200, 0.2, 0.5, 0 },
		{ "5 runs, effect varies", 5, 10, 100, 0.2, 0.5, 0.03 },
		{ "20 runs, effect varies", 20, 5, 50, 0.2, 0.5, 0.03 },
	};
	const char *text = getenv("COVERAGE_REPS");
	unsigned reps = text ? (unsigned)atoi(text) : 100;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	(void)state;
	gsl_rng_set(rng, 12);
	for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
		const struct program *p = &programs[i];
		struct counts c = { 0 };

		for (unsigned r = 0; r < reps; r++)
			try_once(rng, p, &c);
		for (size_t q = 0; q < PERCENTILES; q++) {
			double part = c.bounded[q] ? (double)c.covered[q] / c.bounded[q] : NAN;

			if (text)
				printf("# %-26s p%d   covered %.3f   width %.4f   without %.3f\n", p->name, percentile_pct[q], part,
				       c.width[q] / c.bounded[q], 1 - (double)c.bounded[q] / reps);
			/* By chance: 95 % less four standard errors of so few. */
			if (c.bounded[q] > reps / 2)
				assert_true(part > 0.95 - 4 * sqrt(0.95 * 0.05 / reps) - (q == 2 ? 0.05 : 0.02));
		}
	}
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_known_lengths),   cmocka_unit_test(too_few),         cmocka_unit_test(up_to_the_knee),
		cmocka_unit_test(tables_are_bounded), cmocka_unit_test(intervals_cover),
	};

	return UNIT_MAIN(tests);
}
