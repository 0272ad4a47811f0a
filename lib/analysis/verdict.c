/* verdict: the verdict on an impact, from its numbers. */
#include "analysis/impact.h"

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

void impact_judge(struct impact *im, const struct profile *p, bool whole)
{
	im->verdict = verdict_of(im);
	if (im->verdict == VERDICT_NOT_ENOUGH_DATA)
		im->need = impact_need(im, p, whole);
}

const char *impact_measure_name(unsigned measures)
{
	return measures == MEASURE_SPANS ? "measured" : measures == MEASURE_IN_FLIGHT ? "in-flight" : measures == MEASURE_ENDS ? "ends" : NULL;
}
