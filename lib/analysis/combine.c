#include "analysis/combine.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/replayed.h"

static const double CONTRADICTION = 3; /* standard errors of the difference, from which on the interval holds both results, and the report says so */
static const double KNOWN_DF = 1e6;    /* degrees of freedom of a standard error that is not from a few values */

/*
 * Added to the standard error of replay.  For 220 values of 20 programs (make accuracy;
 * observed for 5 s each, on a quiet machine) nothing had to be added; with 0.005 and 0.03, 217
 * intervals contain the truth.  Other machines were worse.  With 0.02 instead of 0.03, both methods
 * together miss as many of 250 truths (20 s, a quiet machine); the half width is 1.98 instead of 2.08.
 */
static const double OFF_GAIN = 0.005, OFF_RELATIVE = 0.02;

/*
 * How often each method is off by more than it knows, and the standard deviation of that, as a slope; see `set_cases`.  It is
 * at least half of what the standard errors leave unexplained of the difference of the two, so that a great one is never beyond
 * explanation.
 *
 * If it were at least half of the whole difference, a replay that knows nothing would widen the interval of experiments.
 * Of 126 values of 16 programs with libraries that lock without a system call (20 s), the mean error was 2.31, and is 2.27;
 * mean half the width 5.3, and is 5.05; as many are missed.  t/workload: no difference.
 */
static const double MEASURED_OFF = 0.1, REPLAY_OFF = 0.0125, OFF = 0.15, EXPLAINED = 2;

enum { BISECTIONS = 40 };

/* A gain of so many standard errors is one; a curve that rises by less than this part of its first slope is flat. */
static const double SURELY = 3, ALMOST_FLAT = 0.1;

/*
 * Waits with an unknown end, all threads together, relative to the length of the bursts.  From here on, replay knows no more than
 * experiments.  Threads that wait by yielding queue for processors, and nothing tells whom they wait for.  For a pipeline of
 * crossbeam's channels (1.7), the mean error is 4.2 by replay alone, and 1.0 by both methods; for t/workload/threads3 (0.3), both
 * methods are worse than replay.
 */
static const double UNSEEN_MOST = 1;

/* Ratio of standard errors; see experiments_err. */
static const double LESS_SURE = 1.5;

/* If a curve rises beyond its knee by so many standard errors, there is no knee. */
static const double REFUTED = 2;

/* The part of the standard error of a gain that gains at other speedups do not have, too; see line_error. */
static const double OWN = 0.5;

/* The gain at a speedup, by replay of all runs. */
struct replayed {
	double s, gain, se;
};

/* The runs' answers at a speedup. */
struct level {
	double s;
	struct replayed_sum sum;
};

bool combine_spins(const struct profile *p)
{
	return profile_is_warned(p, "spin");
}

static bool is_believed(const struct profile_replayed *r)
{
	return r->se > 0 && !isnan(r->gain);
}

/* what: a percentile; or REPLAY_MEAN, for the period and the time of a whole run, too. */
static bool is_used(const struct profile_replayed *r, size_t point, size_t region, enum replay_what what)
{
	return r->point == point && r->region == region && (r->what == what || (what == REPLAY_MEAN && profile_is_mean(r))) && is_believed(r);
}

static void add_to_level(struct level *level, size_t *n, const struct profile_replayed *r)
{
	size_t i = 0;

	while (i < *n && level[i].s != r->s)
		i++;
	if (i == PROFILE_LEVELS)
		return;
	if (i == *n)
		level[(*n)++] = (struct level){ .s = r->s };
	replayed_add(&level[i].sum, r);
}

static struct replayed mean_of_level(const struct level *level)
{
	double gain = replayed_gain(&level->sum), off = hypot(OFF_GAIN, OFF_RELATIVE * gain);

	return (struct replayed){ .s = level->s, .gain = gain, .se = hypot(replayed_se(&level->sum), off) };
}

/* Sorted by speedup.  None if threads wait by spinning. */
static size_t replayed_of(const struct profile *p, size_t point, size_t region, enum replay_what what, struct replayed out[PROFILE_LEVELS])
{
	struct level level[PROFILE_LEVELS];
	size_t n = 0, last = combine_spins(p) ? 0 : p->nreplayed;

	for (size_t i = 0; i < last; i++)
		if (is_used(&p->replayed[i], point, region, what))
			add_to_level(level, &n, &p->replayed[i]);
	for (size_t i = 0; i < n; i++) {
		struct replayed one = mean_of_level(&level[i]);
		size_t k = i;

		for (; k > 0 && out[k - 1].s > one.s; k--)
			out[k] = out[k - 1];
		out[k] = one;
	}
	return n;
}

static struct replayed between(const struct replayed *a, const struct replayed *b, double part)
{
	return (struct replayed){
		.s = a->s + part * (b->s - a->s), .gain = a->gain + part * (b->gain - a->gain), .se = a->se + part * (b->se - a->se),
	};
}

/*
 * The knee comes before the first speedup that replay has tried: the curve is flat from there on.
 * Two threads that do 100 and 80 at a time (t/workload/fastslow) gain 19.8 % at 25 % and at
 * 75 %.  The line from 0 to the first would say 15.8 at 20 %, where 19.8 is right.
 */
static bool has_early_knee(const struct replayed *r, size_t n)
{
	return n > 1 && r[0].gain > SURELY * r[0].se && (r[1].gain - r[0].gain) / (r[1].s - r[0].s) < ALMOST_FLAT * r[0].gain / r[0].s;
}

/* Before such a knee a gain is between that line and the speedup itself, or `most`. */
static void doubt_line(struct replayed *at, double most)
{
	double half = fmax(0, fmin(at->s, most) - at->gain) / 2;

	at->gain += half;
	at->se = hypot(at->se, half);
}

/* Between two speedups, on the line between them.  False beyond the greatest. */
static bool at_speedup(const struct replayed *r, size_t n, double s, struct replayed *out)
{
	struct replayed before = { 0 };

	for (size_t i = 0; i < n; i++) {
		double part = (s - before.s) / (r[i].s - before.s);

		if (s <= r[i].s) {
			*out = between(&before, &r[i], part);
			if (i == 0 && has_early_knee(r, n))
				doubt_line(out, r[0].gain);
			return true;
		}
		before = r[i];
	}
	return false;
}

/*
 * How much the line from 0 to `at`, one of r, may err as the slope before the knee: by its standard error, and by the difference
 * to the lines to lower speedups, as the curve may bend between them.  Most of a standard error is common to all speedups, and so
 * not in the difference of two lines.
 *
 * For 324 regions of 82 programs (20 s, two recordings of most), the mean error of the slope is 0.042, mean half the width 0.074,
 * and 0.93 of the intervals contain the truth.  With OWN of 0: 0.042, 0.076, 0.95, and lines of the demo that are straight have up to
 * 1.5 times the width.  With 1: 0.043, 0.073, 0.93.  When the greatest speedup counted of which the slope was within 0.02 and a
 * tenth of the first one's: 0.045, 0.076, 0.91, and a noisy first level gave a line of 0.10 an interval of -0.14 to 0.19.
 */
static double line_error(const struct replayed *r, const struct replayed *at)
{
	double bent = 0, se = at->se / at->s;

	for (; r < at; r++) {
		double apart = at->gain / at->s - r->gain / r->s, own = OWN * r->se / r->s;

		bent = fmax(bent, apart * apart - own * own);
	}
	return sqrt(se * se + bent);
}

/* The speedup whose line tells the slope before the knee best. */
static const struct replayed *straightest(const struct replayed *r, size_t n)
{
	const struct replayed *best = r;

	for (const struct replayed *at = r + 1; at < r + n; at++)
		if (line_error(r, at) < line_error(r, best))
			best = at;
	return best;
}

/* An estimate of which the standard error is known. */
static struct estimate known(double value, double se)
{
	struct estimate e = { .value = value, .se = se, .df = KNOWN_DF };

	stats_estimate_finish(&e);
	return e;
}

/* The point that the slope up to the knee is taken from. */
static struct replayed rise_of(const struct replayed *r, size_t n)
{
	const struct replayed *best = straightest(r, n);
	struct replayed rise = *best;

	rise.se = line_error(r, best) * rise.s;
	if (has_early_knee(r, n))
		doubt_line(&rise, INFINITY);
	return rise;
}

static struct estimate slope_of(const struct replayed *r)
{
	return known(r->gain / r->s, r->se / r->s);
}

/* As if the standard error were known. */
static double known_se(const struct estimate *e)
{
	return e->se * stats_t95(e->df) / STATS_NORMAL_95;
}

static bool are_apart(double apart, double measured_se, double replay_se)
{
	return fabs(apart) > CONTRADICTION * hypot(measured_se, replay_se);
}

static bool contradicts(const struct estimate *measured, const struct estimate *replayed)
{
	return isfinite(measured->se) && are_apart(measured->value - replayed->value, known_se(measured), replayed->se);
}

/*
 * Does a warning of the log say why experiments are wrong, where replay is not?  Where
 * threads queue for processors, the order in which they get them is that of real time.  Replay simulates the
 * scheduler.  Of 19 regions of 7 such programs (make accuracy, 20 s, 50 %), it was off by 1.8 points and missed 2 truths;
 * averaged with experiments, by 2.7, and missed 6.
 *
 * A replay that knows much less than experiments, and does not contradict them, is averaged with them all the same.  Of 66
 * values of 11 programs that queue, the mean error is 1.71 with that, and 1.79 without; mean half the width 3.9 and 5.1
 * points; 10 and 9 are missed.  With LESS_SURE of 1 and 3: 1.75 and 1.75 points, 3.6 and 4.1, 10 and 10.
 */
static bool experiments_err(const struct profile *p, size_t point, const struct estimate *measured, const struct estimate *replayed)
{
	if (profile_waits_for_clock(p, point))
		return true;
	return profile_is_warned(p, "oversubscribed") && !(combine_check(p, point).unseen > UNSEEN_MOST) &&
	       (contradicts(measured, replayed) || !(replayed->se > LESS_SURE * known_se(measured)));
}

void combine_average(struct estimate *e, double value, double se)
{
	double measured = isfinite(e->se) && e->se > 0 ? 1 / (known_se(e) * known_se(e)) : 0, computed = 1 / (se * se);

	e->value = (measured > 0 ? measured * e->value : 0) + computed * value;
	e->value /= measured + computed;
	e->se = 1 / sqrt(measured + computed);
	e->df = KNOWN_DF;
	stats_estimate_finish(e);
}

/* ---- one number of two ------------------------------------------------------------- */

/*
 * Each method may be off by more than it knows, experiments more often than replay.  The difference of both tells how
 * likely that is.  Experiments that are just noisy do not put a precise replay in doubt; if the two contradict each other, the
 * interval holds both.
 *
 * There are four cases: neither is off, one is, both are.  Each has a probability, after the difference is known, and a
 * normal distribution of what is true.
 */
enum { MEASURED_IS_OFF = 1, REPLAY_IS_OFF = 2, CASES = 4 };

struct cases {
	double chance[CASES], from[CASES], sd[CASES]; /* `from`: the mean, from replay's value */
};

/* `off`: standard deviation of what a method does not know, where it is off. */
static void set_cases(struct cases *c, double apart, double measured_se, double replay_se, double off)
{
	double sum = 0, most = measured_se * measured_se + replay_se * replay_se + 2 * off * off;

	for (int i = 0; i < CASES; i++) {
		double m = measured_se * measured_se + (i & MEASURED_IS_OFF ? off * off : 0);
		double r = replay_se * replay_se + (i & REPLAY_IS_OFF ? off * off : 0);
		double before = (i & MEASURED_IS_OFF ? MEASURED_OFF : 1 - MEASURED_OFF) * (i & REPLAY_IS_OFF ? REPLAY_OFF : 1 - REPLAY_OFF);

		/* Relative to the widest one, so that not all of them are 0. */
		c->chance[i] = before / sqrt(m + r) * exp(-apart * apart / 2 * (1 / (m + r) - 1 / most));
		c->from[i] = apart * r / (m + r);
		c->sd[i] = sqrt(m * r / (m + r));
		sum += c->chance[i];
	}
	for (int i = 0; i < CASES; i++)
		c->chance[i] /= sum;
}

/* The probability of mean - half .. mean + half. */
static double probability(const struct cases *c, double mean, double half)
{
	double sum = 0;

	for (int i = 0; i < CASES; i++) {
		double at = (mean - c->from[i]) / c->sd[i], reach = half / c->sd[i];

		sum += c->chance[i] * (gsl_cdf_ugaussian_P(at + reach) - gsl_cdf_ugaussian_P(at - reach));
	}
	return sum;
}

/* Half the width of the interval around the mean with a probability of 95 %, which is less than `most`. */
static double half_width(const struct cases *c, double mean, double most)
{
	double least = 0;

	for (int i = 0; i < BISECTIONS; i++) {
		double half = (least + most) / 2;

		if (probability(c, mean, half) < 0.95)
			least = half;
		else
			most = half;
	}
	return most;
}

/*
 * Makes one estimate of both: the estimate of e, and a value.  speedup: of what it is the gain; a slope is the gain at 1.
 * contradict: both contradict each other at another speedup of the region, or in all of them together.
 */
typedef void merge_fn(struct estimate *e, double value, double se, double speedup, bool contradict);

static void average(struct estimate *e, double value, double se, double speedup, bool contradict)
{
	double own = known_se(e), apart = e->value - value, mean = 0, half;
	double unexplained = fmax(0, fabs(apart) - EXPLAINED * hypot(own, se)), off = hypot(OFF * speedup, unexplained / 2);
	struct cases c;

	if (!(own > 0) || isinf(own)) {
		*e = known(value, se);
		return;
	}
	set_cases(&c, apart, own, se, off);
	for (int i = 0; i < CASES; i++)
		mean += c.chance[i] * c.from[i];
	half = half_width(&c, mean, fabs(apart) + 8 * (own + se + off));
	if (contradict || are_apart(apart, own, se))
		half = fmax(half, fmax(fabs(mean) + se, fabs(apart - mean) + own));
	*e = known(value + mean, half / STATS_NORMAL_95);
}

static void replace(struct estimate *e, double value, double se, double speedup, bool contradict)
{
	(void)speedup;
	(void)contradict;
	*e = known(value, se);
}

static void forget_shape(struct causal_effect *e)
{
	e->knee = e->knee_lo = e->knee_hi = NAN;
	e->notes &= ~(unsigned)(CAUSAL_CONTENTION | CAUSAL_LOW_KNEE | CAUSAL_NONLINEAR);
}

/*
 * Experiments in a program with phases may seem to have a knee; the curve of both methods
 * together rises beyond it all the same.
 */
static void refute_knee(struct causal_effect *e, const struct estimate *slope)
{
	const struct causal_level *last = e->nlevels ? &e->level[e->nlevels - 1] : NULL;

	if (isnan(e->knee) || !last || last->s <= e->knee)
		return;
	if (last->gain.value - REFUTED * last->gain.se <= slope->value * e->knee)
		return;
	forget_shape(e);
}

/* The knee, where the curve turns flat behind the levels that are on one line; it lies where the line is as high as the flat part. */
static void set_knee(const struct replayed *r, size_t n, const struct replayed *before, struct causal_effect *e)
{
	const struct replayed *after = before + 1;
	double slope = before->gain / before->s;

	if (after == r + n || !(slope > 0) || (after->gain - before->gain) / (after->s - before->s) > CAUSAL_KNEE_AFTER * slope)
		return;
	e->rise = before->s;
	e->knee_lo = before->s;
	e->knee_hi = after->s;
	e->knee = fmin(after->s, fmax(before->s, after->gain / slope));
	/* No line is known before it: it lies between there and where all that is gained were saved at once. */
	if (before == r && has_early_knee(r, n)) {
		e->knee_lo = fmin(before->gain, before->s);
		e->knee_hi = before->s;
		e->knee = (e->knee_lo + e->knee_hi) / 2;
	}
}

/* Replay alone says how the curve goes, and up to which speedup. */
static void take_shape(struct causal_effect *e, const struct replayed *r, size_t n)
{
	forget_shape(e);
	e->rise = 1;
	set_knee(r, n, straightest(r, n), e);
	while (e->nlevels && e->level[e->nlevels - 1].s > r[n - 1].s)
		e->nlevels--;
}

enum combined combine_apply(const struct profile *p, size_t point, size_t region, struct causal_effect *e,
			    struct estimate *measured, struct estimate *replayed)
{
	struct replayed r[PROFILE_LEVELS], at, rise;
	size_t n = replayed_of(p, point, region, REPLAY_MEAN, r);
	merge_fn *merge;
	bool contradict;

	if (n == 0)
		return COMBINED_NOT;
	*measured = e->fit.slope;
	rise = rise_of(r, n);
	*replayed = slope_of(&rise);
	contradict = contradicts(measured, replayed);
	merge = experiments_err(p, point, measured, replayed) ? replace : average;
	merge(&e->fit.slope, replayed->value, replayed->se, 1, contradict);
	merge(&e->fit.cost, replayed->value * e->period_ns, replayed->se * e->period_ns, e->period_ns, contradict);
	for (size_t i = 0; i < e->nlevels; i++)
		if (at_speedup(r, n, e->level[i].s, &at))
			merge(&e->level[i].gain, at.gain, at.se, at.s, contradict);
	if (merge == replace) {
		take_shape(e, r, n);
		return COMBINED_REPLACED;
	}
	if (rise.s == r[n - 1].s)
		refute_knee(e, &e->fit.slope);
	return contradict ? COMBINED_CONTRADICTS : COMBINED_AGREES;
}

/* Percentiles that experiments do not know, at the speedups of replay. */
static void add_percentile_levels(struct percentile_effect *e, const struct replayed *r, size_t n)
{
	e->level = xcalloc(n, sizeof *e->level);
	e->nlevels = n;
	for (size_t l = 0; l < n; l++) {
		e->level[l].s = r[l].s;
		for (size_t i = 0; i < PERCENTILES; i++)
			e->level[l].gain[i] = STATS_UNKNOWN;
	}
}

bool combine_percentiles(const struct profile *p, size_t point, size_t region, enum combined how, struct percentile_effect *e)
{
	merge_fn *merge = how == COMBINED_REPLACED ? replace : average;
	bool any = false;

	for (size_t i = 0; i < PERCENTILES; i++) {
		struct replayed r[PROFILE_LEVELS], rise, at;
		size_t n = replayed_of(p, point, region, (enum replay_what)(REPLAY_P50 + i), r);

		if (n == 0)
			continue;
		if (e->nlevels == 0)
			add_percentile_levels(e, r, n);
		rise = rise_of(r, n);
		merge(&e->slope[i], rise.gain / rise.s, rise.se / rise.s, 1, how == COMBINED_CONTRADICTS);
		for (size_t l = 0; l < e->nlevels; l++)
			if (at_speedup(r, n, e->level[l].s, &at))
				merge(&e->level[l].gain[i], at.gain, at.se, at.s, how == COMBINED_CONTRADICTS);
		any = true;
	}
	return any;
}

/* ---- is replay credible?  --------------------------------------------------------------- */

struct replay_check combine_check(const struct profile *p, size_t point)
{
	struct replay_check check = { REPLAY_ABSENT, NAN, NAN, NAN };
	double ratio = 0, unseen = 0, period = 0;
	bool believed = false;
	size_t n = 0;

	for (size_t i = 0; i < p->nreplayed; i++)
		believed = believed || (p->replayed[i].point == point && profile_is_mean(&p->replayed[i]) && is_believed(&p->replayed[i]));
	for (size_t i = 0; i < p->nreplayed; i++) {
		const struct profile_replayed *r = &p->replayed[i];

		if (r->point != point || !profile_is_mean(r) || !(r->measured_ns > 0) || (believed && !is_believed(r)))
			continue;
		ratio += r->model[replay_leader(r->model)].check;
		unseen += r->unseen;
		period += r->measured_ns;
		n++;
	}
	if (n == 0)
		return check;
	check.ratio = ratio / (double)n;
	check.unseen = unseen / (double)n;
	check.period_ns = period / (double)n;
	check.use = combine_spins(p) ? REPLAY_SPINS : believed ? REPLAY_USED : REPLAY_UNTRUSTED;
	return check;
}

/* ---- single runs ------------------------------------------------------------------ */

/* For the line through the origin, by least squares. */
struct line {
	double gains, errors, squares;
};

void combine_replay_runs(const struct profile *p, size_t point, size_t region, double most, struct estimate *slope)
{
	struct line *line = xcalloc(p->nruns + 1, sizeof *line);

	for (size_t i = combine_spins(p) ? p->nreplayed : 0; i < p->nreplayed; i++) {
		const struct profile_replayed *r = &p->replayed[i];

		if (r->s > most || !is_used(r, point, region, REPLAY_MEAN))
			continue;
		line[r->run].gains += r->s * r->gain;
		line[r->run].errors += r->s * hypot(r->chance, OFF_GAIN);
		line[r->run].squares += r->s * r->s;
	}
	for (size_t i = 0; i < p->nruns; i++)
		slope[i] = line[i].squares > 0 ? known(line[i].gains / line[i].squares, line[i].errors / line[i].squares) : (struct estimate){ .value = NAN };
	free(line);
}

/* ---- without experiments ---------------------------------------------------------- */

bool combine_replay_alone(const struct profile *p, size_t point, size_t region, struct causal_effect *e)
{
	struct replayed r[PROFILE_LEVELS], rise;
	size_t n = replayed_of(p, point, region, REPLAY_MEAN, r);
	double period = combine_check(p, point).period_ns;

	if (n == 0 || !(period > 0))
		return false;
	rise = rise_of(r, n);
	e->period_ns = period;
	e->fit = (struct causal_slope){ .slope = slope_of(&rise), .basis = CAUSAL_EVENTS };
	e->fit.cost = known(e->fit.slope.value * period, e->fit.slope.se * period);
	e->level = xcalloc(n, sizeof *e->level);
	e->nlevels = n;
	for (size_t i = 0; i < n; i++)
		e->level[i] = (struct causal_level){ .s = r[i].s, .gain = known(r[i].gain, r[i].se) };
	set_knee(r, n, straightest(r, n), e);
	return true;
}
