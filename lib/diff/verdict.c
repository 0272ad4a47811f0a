#include "diff/verdict.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

/* Most runs that are advised. */
enum { MOST_RUNS = 200 };

/* The advice leads to an answer in so many of 100 cases. */
static const double POWER = 0.9;

static const char *const names[] = {
	[CHANGE_CHANGED] = "changed",           [CHANGE_LIKELY] = "likely",
	[CHANGE_MINOR] = "minor",               [CHANGE_UNCHANGED] = "unchanged",
	[CHANGE_INCONCLUSIVE] = "inconclusive", [CHANGE_INSUFFICIENT] = "insufficient",
	[CHANGE_NEW] = "new",                   [CHANGE_VANISHED] = "vanished",
	[CHANGE_UNMATCHED] = "unmatched",
};

const char *change_name(enum change c)
{
	return names[c];
}

bool change_named(const char *name, enum change *out)
{
	for (enum change c = CHANGE_CHANGED; c < CHANGES; c++)
		if (!strcmp(name, names[c])) {
			*out = c;
			return true;
		}
	return false;
}

static double half90(const struct estimate *d)
{
	return gsl_cdf_tdist_Pinv(0.95, d->df) * d->se;
}

static bool says_nothing(const struct comparison *c, const struct change_rule *rule)
{
	return c->design == DESIGN_NONE || !isfinite(c->difference.se) || (!c->over_runs && !rule->within_run);
}

bool change_is_below(const struct comparison *c, const struct change_rule *rule)
{
	return !says_nothing(c, rule) && c->difference.value + half90(&c->difference) + c->above < rule->margin;
}

bool change_is_within(const struct comparison *c, const struct change_rule *rule)
{
	return change_is_below(c, rule) && c->difference.value - half90(&c->difference) - c->below > -rule->margin;
}

enum change change_judge(const struct comparison *c, double q, const struct change_rule *rule)
{
	const struct estimate *d = &c->difference;
	double m = rule->margin;

	if (says_nothing(c, rule))
		return CHANGE_INSUFFICIENT;
	if (q <= CHANGE_Q)
		return fabs(d->value) < m ? CHANGE_MINOR : d->lo > m || d->hi < -m ? CHANGE_CHANGED : CHANGE_LIKELY;
	return change_is_within(c, rule) ? CHANGE_UNCHANGED : CHANGE_INCONCLUSIVE;
}

/* With `times` as many runs: would a difference of 0 mostly be found to be within the margin? */
static bool would_tell(const struct estimate *d, double margin, double times)
{
	double df = d->df * times, se = d->se / sqrt(times);

	return (gsl_cdf_tdist_Pinv(0.95, df) + gsl_cdf_tdist_Pinv((1 + POWER) / 2, df)) * se <= margin;
}

/*
 * The true difference is unknown, and a value that is far from 0 in so much noise will
 * mostly not stay there.  So this computes the runs that would settle a difference of
 * 0, which is the usual case.  A large difference is settled with fewer runs.
 */
size_t change_needs(const struct comparison *c, double q, const struct change_rule *rule)
{
	double units = (double)c->units;
	size_t least = c->units + 1, most = MOST_RUNS;

	switch (change_judge(c, q, rule)) {
	case CHANGE_INSUFFICIENT:
		return COMPARE_MIN_RUNS;
	case CHANGE_INCONCLUSIVE:
		break;
	default:
		return 0;
	}
	/* more runs do not find a knee below all speedups */
	if (c->below > 0 || c->above > 0)
		return 0;
	if (least > most || !would_tell(&c->difference, rule->margin, (double)most / units))
		return 0;
	while (least < most) {
		size_t half = (least + most) / 2;

		if (would_tell(&c->difference, rule->margin, (double)half / units))
			most = half;
		else
			least = half + 1;
	}
	return least;
}
