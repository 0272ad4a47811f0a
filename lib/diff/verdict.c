#include "diff/verdict.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

/* More than this, and the advice is another question. */
static const double MOST_RUNS = 200;

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

enum change change_judge(const struct comparison *c, double q, const struct change_rule *rule)
{
	const struct estimate *d = &c->difference;
	double m = rule->margin;

	if (c->design == DESIGN_NONE || !isfinite(d->se) || (!c->over_runs && !rule->within_run))
		return CHANGE_INSUFFICIENT;
	if (q <= CHANGE_Q)
		return fabs(d->value) < m ? CHANGE_MINOR : d->lo > m || d->hi < -m ? CHANGE_CHANGED : CHANGE_LIKELY;
	if (fabs(d->value) + half90(d) < m)
		return CHANGE_UNCHANGED;
	return CHANGE_INCONCLUSIVE;
}

/* An interval shrinks with the root of the runs: until it leaves out the margin, or 0, whichever is further away. */
size_t change_needs(const struct comparison *c, double q, const struct change_rule *rule)
{
	const struct estimate *d = &c->difference;
	double n = (double)c->units, m = rule->margin, times;

	switch (change_judge(c, q, rule)) {
	case CHANGE_INSUFFICIENT:
		return COMPARE_MIN_RUNS;
	case CHANGE_INCONCLUSIVE:
		break;
	default:
		return 0;
	}
	if (fabs(d->value) < m)
		times = half90(d) / (m - fabs(d->value));
	else
		times = (d->hi - d->value) / fabs(d->value);
	n = ceil(n * fmax(1, times * times));
	n = n > (double)c->units ? n : (double)c->units + 1;
	return n <= MOST_RUNS ? (size_t)n : 0;
}
