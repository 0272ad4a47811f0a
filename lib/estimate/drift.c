#include "estimate/drift.h"

#include <math.h>

static const double CERTAIN_P = 0.01;

struct sums {
	double n, d;
	size_t windows;
};

static struct sums sum_of(const struct causal_obs *obs, size_t n)
{
	struct sums t = { .windows = n };

	for (size_t i = 0; i < n; i++) {
		t.n += obs[i].count;
		t.d += obs[i].time_ns;
	}
	return t;
}

static double squares(const struct causal_obs *obs, size_t n, double period, double scale)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += obs[i].count * pow((obs[i].time_ns / obs[i].count - period) / scale, 2);
	return sum;
}

/* Sums over runs, of periods relative to the mean of their run. */
struct drift {
	double between, within; /* squares: of blocks about their run, of windows about their block */
	double freedom_between, freedom_within;
	double visits;          /* effective windows of a block, times freedom_between */
};

static void add_run(struct drift *d, const struct causal_obs *obs, size_t n)
{
	struct sums run = sum_of(obs, n);
	double period = run.d / run.n, blocks = 0, squared = 0;

	for (size_t i = 0, j; i < n; i = j) {
		struct sums b;

		for (j = i; j < n && obs[j].block == obs[i].block; j++)
			;
		b = sum_of(obs + i, j - i);
		blocks++;
		squared += b.n * b.n;
		d->between += b.n * pow(b.d / b.n / period - 1, 2);
		d->within += squares(obs + i, j - i, b.d / b.n, period);
	}
	d->freedom_between += blocks - 1;
	d->freedom_within += (double)n - blocks;
	d->visits += run.n - squared / run.n;
}

double drift_of(const struct causal_obs *obs, size_t n)
{
	struct drift d = { 0 };
	double between, within;

	for (size_t i = 0, j; i < n && !obs[i].whole; i = j) {
		for (j = i; j < n && obs[j].run == obs[i].run; j++)
			;
		add_run(&d, obs + i, j - i);
	}
	if (!(d.freedom_between >= 3 && d.freedom_within >= 3))
		return NAN;
	between = d.between / d.freedom_between;
	within = d.within / d.freedom_within;
	/* without noise, all that there is is drift */
	if (within > 0 && stats_f_p(between / within, d.freedom_between, d.freedom_within) > CERTAIN_P)
		return 0;
	return sqrt(fmax(0, between - within) / (d.visits / d.freedom_between));
}
