/* From numbers to words: what an impact means, and what is missing where it means nothing yet. */
#include "profile/impact.h"

#include <math.h>

#include "base/alloc.h"

/* Beyond this many times the data, the honest advice is to ask another question. */
static const double MOST_TIMES = 50;

const char *verdict_name(enum verdict v)
{
	static const char *const name[] = {
		[VERDICT_HIGH] = "high",
		[VERDICT_MODERATE] = "moderate",
		[VERDICT_LOW] = "low",
		[VERDICT_HARMFUL] = "harmful",
		[VERDICT_NOT_ENOUGH_DATA] = "not-enough-data",
		[VERDICT_NONE] = "none",
	};

	return name[v];
}

size_t impact_note_names(unsigned notes, const char *names[CAUSAL_NOTES])
{
	static const struct {
		unsigned note;
		const char *name;
	} all[] = {
		{ CAUSAL_NONLINEAR, "nonlinear" },       { CAUSAL_AUTOCORRELATED, "autocorrelated" },
		{ CAUSAL_OUT_OF_RANGE, "out-of-range" }, { CAUSAL_FEW_VISITS, "few-visits" },
		{ CAUSAL_ONE_LEVEL, "one-level" },       { CAUSAL_CONTENTION, "contention" },
		{ CAUSAL_PHASES, "phases" },             { CAUSAL_LOW_KNEE, "low-knee" },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (notes & all[i].note)
			names[n++] = all[i].name;
	return n;
}

static enum verdict verdict_of(const struct impact *im)
{
	const struct estimate *slope = &im->effect.fit.slope;

	if (!im->estimated || !im->bounded)
		return VERDICT_NOT_ENOUGH_DATA;
	if (im->q <= VERDICT_Q && slope->value > 0)
		return slope->value > VERDICT_HIGH_SLOPE       ? VERDICT_HIGH
		       : slope->value >= VERDICT_MODERATE_SLOPE ? VERDICT_MODERATE
								: VERDICT_LOW;
	if (im->q <= VERDICT_Q && slope->value <= -VERDICT_MODERATE_SLOPE)
		return VERDICT_HARMFUL;
	return slope->hi < VERDICT_MODERATE_SLOPE ? VERDICT_NONE : VERDICT_NOT_ENOUGH_DATA;
}

/* Seconds with two digits, rounded up: advice, not arithmetic. */
static double round_up(double x)
{
	double unit = x > 10 ? pow(10, floor(log10(x)) - 1) : 1;

	return ceil(x / unit) * unit;
}

/*
 * The interval shrinks with the root of the data.  It is narrow enough when it
 * leaves out either 0 or the slope from which an effect is worth an effort,
 * whichever is further away.
 */
static double times_needed(const struct estimate *slope)
{
	double half = (slope->hi - slope->lo) / 2;
	double target = fmax(fabs(slope->value), VERDICT_MODERATE_SLOPE - slope->value);

	/* q asks for more than p: a quarter of the way extra */
	return fmax(2, ceil(1.25 * pow(half / target, 2)));
}

/* Of more runs of the program, each of which is a window. */
static char *need_of_runs(const struct impact *im, const struct profile *p)
{
	const struct causal_effect *e = &im->effect;
	double runs;

	if (!e->treated)
		return xasprintf("runs with this region sped up (a longer -d, or a greater -n)");
	if (e->treated == e->n)
		return xasprintf("baseline runs (a longer -d, or a greater -n)");
	if (!im->bounded)
		return xasprintf("8 runs or more of this region and of baselines, at two speedups or more (there are %zu)", e->n);
	if (times_needed(&e->fit.slope) > MOST_TIMES)
		return xasprintf("more than %.0f times as many runs; better a region that is larger", MOST_TIMES);
	/* regions share what is added */
	runs = ceil((double)p->nruns * times_needed(&e->fit.slope));
	return xasprintf("about %.0f runs (-n %.0f)", runs, runs);
}

static char *need_of(const struct impact *im, const struct profile *p)
{
	const struct causal_effect *e = &im->effect;
	double times, seconds = 0;

	for (size_t r = 0; r < p->nruns; r++)
		seconds += (double)p->run[r].windows_ns / 1e9;
	if (!e->treated)
		return xasprintf("windows with this region sped up that hold visits (a longer -d)");
	if (e->treated == e->n)
		return xasprintf("baseline windows (a longer -d)");
	if (!im->bounded)
		return xasprintf("8 windows or more, at two speedups or more (there are %zu)", e->n);
	times = times_needed(&e->fit.slope);
	if (times > MOST_TIMES)
		return xasprintf("more than %.0f times as many windows; better a region that is larger", MOST_TIMES);
	if (e->fit.basis == CAUSAL_RUNS)
		return xasprintf("about %.0f runs (-n %.0f)", ceil((double)e->fit.runs * times), ceil((double)e->fit.runs * times));
	if (seconds > 0)
		return xasprintf("about %.0f times as many windows (record with -d %.0f)", times, round_up(times * seconds));
	return xasprintf("about %.0f times as many windows (a longer -d)", times);
}

void impact_judge(struct impact *im, const struct profile *p, bool whole)
{
	im->verdict = verdict_of(im);
	if (im->verdict == VERDICT_NOT_ENOUGH_DATA)
		im->need = whole ? need_of_runs(im, p) : need_of(im, p);
}
