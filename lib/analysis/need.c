/*
 * need: advice for a verdict: a command to run, if it is practical; if not, a remedy
 * that helps more than time.
 *
 * If the plot has little room, it shows only the text in the last parentheses, so only
 * a command may be in parentheses.
 */
#include "analysis/impact.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "base/alloc.h"
#include "base/buf.h"

/* Longer recordings are not advised, unless the present one was half as long already. */
static const double MOST_TIMES = 50, MOST_RUNS = 50, MOST_SECONDS = 600;

/* From this share of lost windows on, the loss is mentioned. */
static const double PART_SET_ASIDE = 0.1;

/* Per cent of the samples: the gain of a smaller region is lost in the noise. */
static const double SMALL_SHARE = 5;

enum { MOST_REMEDIES = 5 };

/* The present amount of data, and the amount that would be enough. */
struct extent {
	double times, runs, seconds; /* seconds: 0 when it is not known */
	bool whole;
};

/* Seconds with two digits, rounded up: advice, not arithmetic. */
static double round_up(double x)
{
	double unit = x > 10 ? pow(10, floor(log10(x)) - 1) : 1;

	return ceil(x / unit) * unit;
}

/* The advice leads to a verdict in so many of 100 cases. */
static const double POWER = 0.93;

/* Number of possible true values that are tried, over so many standard errors to each side of the estimate. */
enum { PLACES = 25 };
static const double REACH = 3;

/*
 * The chance of a verdict where the truth is `truth`, with standard error se.
 * There is no verdict for an estimate that is not significant and whose interval
 * reaches the slope from which an effect is worth an effort.  `factor` is Student's for
 * significance, which many tests make greater than that of the interval.
 */
static double chance_at(double truth, double se, double factor)
{
	double harmful = fmin(-VERDICT_MODERATE_SLOPE, -factor * se);
	double from = fmax(VERDICT_MODERATE_SLOPE - STATS_NORMAL_95 * se, harmful), to = factor * se;

	return from < to ? 1 - gsl_cdf_ugaussian_P((to - truth) / se) + gsl_cdf_ugaussian_P((from - truth) / se) : 1;
}

/* The same for `times` as much data, averaged over possible true values around the present estimate. */
static double chance_of_verdict(const struct estimate *slope, double se, double factor, double times)
{
	double sum = 0, weights = 0;

	for (int i = 0; i < PLACES; i++) {
		double z = REACH * (2.0 * i / (PLACES - 1) - 1), weight = exp(-z * z / 2);

		sum += weight * chance_at(slope->value + z * se, se / sqrt(times), factor);
		weights += weight;
	}
	return sum / weights;
}

double impact_times_needed(const struct impact *im)
{
	const struct estimate *slope = &im->effect.fit.slope;
	double p = im->q > 0 && slope->p > 0 ? VERDICT_Q * fmin(1, slope->p / im->q) : VERDICT_Q;
	double factor = gsl_cdf_ugaussian_Qinv(p / 2), least = 2, most = MOST_TIMES + 1;
	/* an interval may be cut at the limit of the region, and then does not show how little the windows tell */
	double se = fmax((slope->hi - slope->lo) / 2 / STATS_NORMAL_95, isfinite(im->slope_se) ? im->slope_se : 0);

	while (least < most) {
		double half = floor((least + most) / 2);

		if (chance_of_verdict(slope, se, factor, half) >= POWER)
			most = half;
		else
			least = half + 1;
	}
	return least;
}

static bool is_too_much(double needed, double most, double times)
{
	return needed > fmax(most, 2 * needed / times);
}

static bool hardly_helps(const struct extent *x)
{
	return x->times > MOST_TIMES || is_too_much(x->runs, MOST_RUNS, x->times) || is_too_much(x->seconds, MOST_SECONDS, x->times);
}

static size_t count_tried(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nregions; i++)
		n += p->region[i].tried;
	return n;
}

static bool is_small(const struct impact *im, const struct profile *p)
{
	double cpu = impact_share(p, im->region), blocked = impact_blocked_share(p, im->region);

	return cpu < SMALL_SHARE && (isnan(blocked) || blocked < SMALL_SHARE);
}

/* The remedy for this case; never empty. */
static size_t find_remedies(const struct impact *im, const struct profile *p, bool whole, const char *remedy[MOST_REMEDIES])
{
	const struct profile_set_aside *aside = &im->aside;
	double lost = (double)(aside->disturbed + aside->slow);
	bool small = is_small(im, p);
	size_t n = 0;

	if (whole)
		remedy[n++] = "a progress point with -P or ANDWEORC_PROGRESS";
	else if (im->effect.notes & CAUSAL_FEW_VISITS)
		remedy[n++] = "a progress point that is passed more often";
	if (count_tried(p) > 1)
		remedy[n++] = "fewer regions with -r";
	if (im->effect.nlevels > 2)
		remedy[n++] = "fewer speedups with -s";
	if (small || !n)
		remedy[n++] = "a larger region";
	if (lost > PART_SET_ASIDE * ((double)im->effect.n + lost) || n == 1)
		remedy[n++] = "a quieter machine";
	return n;
}

static void add_amount(struct buf *b, const struct extent *x)
{
	if (x->times > MOST_TIMES)
		buf_addf(b, "more than %.0f times as many %s", MOST_TIMES, x->whole ? "runs" : "windows");
	else if (x->whole || x->runs > 0)
		buf_addf(b, "about %.0f runs", x->runs);
	else
		buf_addf(b, "about %.0f times as many windows", x->times);
	if (x->times <= MOST_TIMES && x->seconds >= 120)
		buf_addf(b, ", %.0f minutes", ceil(x->seconds / 60));
}

static char *other_ways(const struct impact *im, const struct profile *p, const struct extent *x)
{
	const char *remedy[MOST_REMEDIES];
	size_t n = find_remedies(im, p, x->whole, remedy);
	struct buf b = BUF_INIT;

	add_amount(&b, x);
	buf_adds(&b, x->times > MOST_TIMES ? ": recording longer will hardly help; try " : ": rather than record so long, try ");
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : ", or ", remedy[i]);
	return buf_detach(&b);
}

/*
 * The time that -d counts: windows, and the time before and between them.  A log that was
 * cut short does not tell when it ended.
 */
static double recorded_seconds(const struct profile *p)
{
	double ns = 0;

	for (size_t r = 0; r < p->nruns; r++) {
		const struct profile_run *run = &p->run[r];

		ns += fmax((double)run->wall_ns, fmax((double)run->seen_ns, (double)run->windows_ns));
	}
	return ns / 1e9;
}

/* Advice of more runs of the program, each of which is a window. */
static char *need_of_runs(const struct impact *im, const struct profile *p)
{
	const struct causal_effect *e = &im->effect;
	struct extent x = { .whole = true };

	if (!e->treated)
		return xasprintf("runs with this region sped up (a longer -d, or a greater -n)");
	if (e->treated == e->n)
		return xasprintf("baseline runs (a longer -d, or a greater -n)");
	if (!im->bounded)
		return xasprintf("8 runs or more of this region and of baselines, at two speedups or more (there are %zu)", e->n);
	x.times = impact_times_needed(im);
	/* regions share the added time */
	x.runs = ceil((double)p->nruns * x.times);
	x.seconds = recorded_seconds(p) * x.times;
	if (hardly_helps(&x))
		return other_ways(im, p, &x);
	return xasprintf("about %.0f runs (-n %.0f)", x.runs, x.runs);
}

static char *need_of(const struct impact *im, const struct profile *p)
{
	const struct causal_effect *e = &im->effect;
	struct extent x = { .whole = false };

	if (!e->treated)
		return xasprintf("windows with this region sped up that hold visits (a longer -d)");
	if (e->treated == e->n)
		return xasprintf("baseline windows (a longer -d)");
	if (!im->bounded)
		return xasprintf("8 windows or more, at two speedups or more (there are %zu)", e->n);
	x.times = impact_times_needed(im);
	x.seconds = recorded_seconds(p) * x.times;
	if (e->fit.basis == CAUSAL_RUNS)
		x.runs = ceil((double)e->fit.runs * x.times);
	if (hardly_helps(&x))
		return other_ways(im, p, &x);
	/* -n alone would divide the same time among more runs */
	if (x.runs > 0 && x.seconds > 0)
		return xasprintf("about %.0f runs (record with -d %.0f -n %.0f)", x.runs, round_up(x.seconds), x.runs);
	if (x.runs > 0)
		return xasprintf("about %.0f runs (-n %.0f)", x.runs, x.runs);
	if (x.seconds > 0)
		return xasprintf("about %.0f times as many windows (record with -d %.0f)", x.times, round_up(x.seconds));
	return xasprintf("about %.0f times as many windows (a longer -d)", x.times);
}

/* More data of the same kind would not help. */
static char *need_of_agreement(const struct impact *im)
{
	return xasprintf("a reason why the two methods contradict each other: an impact of %.2f (%.2f to %.2f) by experiments, %.2f by replay of "
			 "the recorded events", im->measured.value, im->measured.lo, im->measured.hi, im->replayed.value);
}

char *impact_need(const struct impact *im, const struct profile *p, bool whole)
{
	if (im->combined == COMBINED_CONTRADICTS)
		return need_of_agreement(im);
	return whole ? need_of_runs(im, p) : need_of(im, p);
}
