/*
 * compare: compares two runs of the same scripts, over the same visits or spans, so that
 * errors common to both cancel.
 */
#include "replay/replay_parts.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

enum {
	BLOCKS = 20, /* blocks of visits or spans, for the standard error */
	LINE_LEAST = 4, /* parts, to fit a line to */
	BEYOND_LEAST = 2, /* spans that are longer than a percentile */
};

/* The run to compare with: the one without a question and with the same assumption, or, for the check (no run), the recording. */
static const struct run *reference(const struct replay *r, const struct run *run, enum replay_model model, size_t b)
{
	if (!run)
		return &r->script[b].recorded;
	return run[b].open ? &r->script[b].assumed[run[b].open] : &r->script[b].base[model];
}

static const struct run *questioned(const struct replay *r, const struct run *run, enum replay_model model, size_t b)
{
	return run ? &run[b] : &r->script[b].kept[model];
}

static double chance(const double *change, double base)
{
	double square = 0;

	for (size_t k = 0; k < REPLICATES; k++)
		square += change[k] * change[k];
	return sqrt(square / REPLICATES) / base;
}

/* ---- visits ------------------------------------------------------------------------------- */

/* Parts of the time, by block or by burst. */
struct parts {
	double base[BLOCKS], ns[BLOCKS];
	double taken[BLOCKS]; /* part of all processor time in it that the question removes */
	bool late[BLOCKS]; /* in the second half of its burst */
	size_t n, fitted;  /* fitted: 1 after make_alike */
};

/* The standard error of the ratio of sums, from the scatter of blocks. */
static double scatter(const struct parts *p)
{
	double base = 0, ns = 0, square = 0;

	for (size_t i = 0; i < p->n; i++) {
		base += p->base[i];
		ns += p->ns[i];
	}
	if (p->n < 2 + p->fitted || base <= 0)
		return 0;
	for (size_t i = 0; i < p->n; i++) {
		double e = p->ns[i] - ns / base * p->base[i];

		square += e * e;
	}
	return sqrt(square * (double)p->n / (double)(p->n - 1 - p->fitted)) / base;
}

/* How much larger the error of a normal distribution would have to be for the same interval, as so few blocks tell it. */
static double of_few(const struct parts *p)
{
	double df = (double)p->n - 1 - (double)p->fitted;

	return df >= 1 ? gsl_cdf_tdist_Pinv(0.975, df) / gsl_cdf_ugaussian_Pinv(0.975) : 1;
}

/*
 * The change of the ratio after the burst, estimated from its halves: a faster stage of
 * a pipeline first fills the queue behind it.
 */
static double trend(const struct parts *p)
{
	double base[2] = { 0 }, ns[2] = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		base[p->late[i]] += p->base[i];
		ns[p->late[i]] += p->ns[i];
	}
	return base[0] > 0 && base[1] > 0 ? (ns[1] / base[1] - ns[0] / base[0]) / 2 : 0;
}

struct sums {
	double base, ns, base_weight, weight, change[REPLICATES];
	size_t count;
	struct parts parts, bursts; /* bursts: the first BLOCKS */
};

static double part_taken(const struct visit *from, const struct visit *to)
{
	double computed = to->computed_ns - from->computed_ns;

	return computed > 0 ? (to->taken_ns - from->taken_ns) / computed : 0;
}

/*
 * Corrects parts as if the question removed the same part of the processor time in each: by the line that fits
 * their gains best.
 */
static void make_alike(struct parts *p)
{
	double base = 0, ns = 0, taken = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < p->n; i++) {
		base += p->base[i];
		ns += p->ns[i];
		taken += p->taken[i] * p->base[i];
	}
	if (p->n < LINE_LEAST || base <= 0)
		return;
	for (size_t i = 0; i < p->n; i++) {
		double x = p->taken[i] - taken / base;

		xx += x * x * p->base[i];
		xy += x * (p->ns[i] - ns / base * p->base[i]);
	}
	for (size_t i = 0; i < p->n && xx > 0; i++)
		p->ns[i] -= xy / xx * (p->taken[i] - taken / base) * p->base[i];
	p->fitted = 1;
}

static void add_visits(struct sums *sum, const struct visit *base, const struct visit *asked, size_t n, size_t blocks)
{
	if (n < 2)
		return;
	sum->base += base[n - 1].at_ns - base[0].at_ns;
	sum->ns += asked[n - 1].at_ns - asked[0].at_ns;
	for (size_t i = 1; i < n; i++) {
		sum->base_weight += base[i].weight;
		sum->weight += asked[i].weight;
	}
	for (size_t k = 0; k < REPLICATES; k++)
		sum->change[k] += (double)asked[n - 1].change[k] - (double)asked[0].change[k];
	for (size_t i = 0; i < blocks && sum->parts.n < BLOCKS; i++) {
		size_t from = (n - 1) * i / blocks, to = (n - 1) * (i + 1) / blocks;

		sum->parts.base[sum->parts.n] = base[to].at_ns - base[from].at_ns;
		sum->parts.late[sum->parts.n] = 2 * i >= blocks;
		sum->parts.taken[sum->parts.n] = part_taken(&asked[from], &asked[to]);
		sum->parts.ns[sum->parts.n++] = asked[to].at_ns - asked[from].at_ns;
	}
	if (sum->bursts.n < BLOCKS) {
		sum->bursts.taken[sum->bursts.n] = part_taken(&asked[0], &asked[n - 1]);
		sum->bursts.base[sum->bursts.n] = base[n - 1].at_ns - base[0].at_ns;
		sum->bursts.ns[sum->bursts.n++] = asked[n - 1].at_ns - asked[0].at_ns;
	}
	sum->count += n;
}

/* Blocks for each burst. */
static size_t blocks_each(const struct replay *r, size_t n)
{
	size_t each = r->nscripts < BLOCKS ? BLOCKS / r->nscripts : 1;

	return n - 1 < each ? n - 1 : each;
}

static struct compared finish(const struct replay *r, const struct sums *sum)
{
	struct compared c = { .count = sum->count, .base_ns = NAN, .ns = NAN, .gain = NAN, .se = NAN };
	double by_work;

	if (!(sum->base > 0) || !(sum->base_weight > 0) || !(sum->weight > 0))
		return c;
	c.base_ns = sum->base / sum->base_weight;
	c.ns = sum->ns / sum->weight;
	c.gain = 1 - c.ns / c.base_ns;
	c.by_samples = chance(sum->change, sum->base);
	for (size_t k = 0; k < REPLICATES; k++)
		c.change[k] = -sum->change[k] / sum->base;
	/*
	 * Parts of a burst differ with phases of the program.  If bursts differ more than
	 * their parts, they were in different phases.  If there is no trend, chance makes what looks like one as large as the
	 * scatter, on average; so the greater of both counts.
	 */
	by_work = fmax(of_few(&sum->parts) * scatter(&sum->parts), scatter(&sum->bursts));
	c.se = r->whole ? c.by_samples : hypot(c.by_samples, fmax(by_work, fabs(trend(&sum->parts))));
	return c;
}

struct compared compare_visits(const struct replay *r, const struct run *run, enum replay_model model, size_t point, bool known)
{
	struct sums sum = { 0 };

	for (size_t b = 0; b < r->nscripts; b++) {
		const struct run *base = reference(r, run, model, b), *asked = questioned(r, run, model, b);
		size_t n = smaller(base->visits[point], asked->visits[point]), first = r->script[b].first_visit[point];

		if (n >= 2 && !asked->failed && !base->failed)
			add_visits(&sum, base->visit + first, asked->visit + first, n, blocks_each(r, n));
	}
	if (known) {
		make_alike(&sum.parts);
		make_alike(&sum.bursts);
	}
	return finish(r, &sum);
}

double measured_period(const struct replay *r, size_t point)
{
	double ns = 0, weight = 0;

	for (size_t b = 0; b < r->nscripts; b++) {
		const struct visit *v = r->script[b].recorded.visit + r->script[b].first_visit[point];
		size_t n = r->script[b].recorded.visits[point];

		if (n < 2)
			continue;
		ns += v[n - 1].at_ns - v[0].at_ns;
		for (size_t i = 1; i < n; i++)
			weight += v[i].weight;
	}
	return weight > 0 ? ns / weight : NAN;
}

struct compared compare_whole(const struct replay *r, const struct run *run, enum replay_model model)
{
	struct sums sum = { .base_weight = 1, .weight = 1, .count = r->nscripts };

	for (size_t b = 0; b < r->nscripts; b++) {
		const struct run *base = reference(r, run, model, b), *asked = questioned(r, run, model, b);

		if (asked->failed || base->failed)
			continue;
		sum.base += base->stop_ns;
		sum.ns += asked->stop_ns;
		for (size_t k = 0; k < REPLICATES; k++)
			sum.change[k] += (double)asked->stop_change[k];
	}
	return finish(r, &sum);
}

/* ---- spans ----------------------------------------------------------------------------------- */

struct pair {
	double base, ns;
	size_t at; /* in the order of the recording */
	const float *change;
};

static int by_base(const void *va, const void *vb)
{
	const struct pair *a = va, *b = vb;

	return (a->base > b->base) - (a->base < b->base);
}

static int by_ns(const void *va, const void *vb)
{
	const struct pair *a = va, *b = vb;

	return (a->ns > b->ns) - (a->ns < b->ns);
}

/* The spans that ended in both runs. */
static struct pair *pairs_of(const struct replay *r, const struct run *run, enum replay_model model, size_t point, size_t *n)
{
	struct pair *pair = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t b = 0; b < r->nscripts; b++) {
		const struct run *base = reference(r, run, model, b), *asked = questioned(r, run, model, b);

		for (size_t i = 0; i < asked->nspans && !asked->failed; i++) {
			const struct span *x = &base->span[i], *y = &asked->span[i];
			double base_ns = x->end_ns - x->begin_ns, ns = y->end_ns - y->begin_ns;

			/* Of a span between two threads, the simulation may not have had both ends, or in the wrong order. */
			if (r->script[b].span_point[i] != point || !(base_ns >= 0) || !(ns >= 0))
				continue;
			pair = xgrow(pair, *n, &cap, sizeof(*pair));
			pair[*n] = (struct pair){ .base = base_ns, .ns = ns, .at = *n, .change = y->change };
			(*n)++;
		}
	}
	return pair;
}

static struct compared mean_of(const struct replay *r, const struct pair *pair, size_t n)
{
	struct sums sum = { .count = n, .base_weight = (double)n, .weight = (double)n };
	size_t blocks = n < BLOCKS ? n : BLOCKS;

	sum.parts.n = blocks;
	for (size_t i = 0; i < n; i++) {
		size_t block = pair[i].at * blocks / n;

		sum.base += pair[i].base;
		sum.ns += pair[i].ns;
		sum.parts.base[block] += pair[i].base;
		sum.parts.ns[block] += pair[i].ns;
		for (size_t k = 0; k < REPLICATES; k++)
			sum.change[k] += (double)pair[i].change[k];
	}
	return finish(r, &sum);
}

/* The gain at the percentile, with the chance of shares from neighbours in rank. */
static struct compared rank_of(const struct replay *r, struct pair *pair, size_t n, double part, double base_ns)
{
	size_t at = (size_t)ceil(part * (double)n), near = n / 50 + 1, from, to;
	struct sums sum = { .count = n, .base_weight = 1, .weight = 1 };

	at = at ? at - 1 : 0;
	from = at > near ? at - near : 0;
	to = at + near + 1 < n ? at + near + 1 : n;
	qsort(pair, n, sizeof(*pair), by_ns);
	sum.base = base_ns;
	sum.ns = pair[at].ns;
	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < REPLICATES; k++)
			sum.change[k] += (double)pair[i].change[k] / (double)(to - from);
	return finish(r, &sum);
}

static double base_rank(struct pair *pair, size_t n, double part)
{
	size_t at = (size_t)ceil(part * (double)n);

	qsort(pair, n, sizeof(*pair), by_base);
	return pair[at ? at - 1 : 0].base;
}

/* The standard error by the choice of spans: each block is left out in turn. */
static double rank_jackknife(const struct replay *r, const struct pair *pair, size_t n, double part)
{
	struct pair *some = xcalloc(n + 1, sizeof(*some));
	double gain[BLOCKS], mean = 0, square = 0;

	for (size_t block = 0; block < BLOCKS; block++) {
		double base;
		size_t kept = 0;

		for (size_t i = 0; i < n; i++)
			if (pair[i].at * BLOCKS / n != block)
				some[kept++] = pair[i];
		base = base_rank(some, kept, part);
		gain[block] = rank_of(r, some, kept, part, base).gain;
		mean += gain[block] / BLOCKS;
	}
	for (size_t block = 0; block < BLOCKS; block++)
		square += (gain[block] - mean) * (gain[block] - mean);
	free(some);
	return sqrt(square * (BLOCKS - 1) / BLOCKS);
}

void compare_spans(const struct replay *r, const struct run *run, enum replay_model model, size_t point, struct compared out[REPLAY_WHATS])
{
	static const struct {
		enum replay_what what;
		double part;
	} ranks[] = { { REPLAY_P50, 0.50 }, { REPLAY_P95, 0.95 }, { REPLAY_P99, 0.99 } };
	size_t n;
	struct pair *pair = pairs_of(r, run, model, point, &n);

	out[REPLAY_MEAN] = mean_of(r, pair, n);
	for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
		struct compared *c = &out[ranks[i].what];
		double by_blocks;

		*c = (struct compared){ .count = n, .base_ns = NAN, .ns = NAN, .gain = NAN, .se = NAN };
		if ((1 - ranks[i].part) * (double)n < BEYOND_LEAST || n < 2 * BLOCKS)
			continue;
		by_blocks = rank_jackknife(r, pair, n, ranks[i].part);
		*c = rank_of(r, pair, n, ranks[i].part, base_rank(pair, n, ranks[i].part));
		c->se = hypot(c->se, by_blocks);
	}
	free(pair);
}
