/* What was looked at, of all that takes time. */
#include "profile/impact.h"

#include <math.h>
#include <string.h>

/* Less than this is not worth an experiment. */
static const double LEAST_PCT = 1;

struct impact_coverage impact_coverage(const struct profile *p)
{
	struct impact_coverage c = { .pct = NAN };
	double lines = 0, most = 0, total = 0;

	for (size_t i = 0; i < p->nruns; i++)
		total += (double)p->run[i].share_total;
	if (!(total > 0))
		return c;
	for (size_t i = 0; i < p->nregions; i++) {
		const struct profile_region *r = &p->region[i];

		if (!r->tried || !r->scope)
			continue;
		/* a sample is charged to one line, but to all functions that are on the stack */
		if (!strcmp(r->scope, "line"))
			lines += (double)r->samples;
		else if ((double)r->samples > most)
			most = (double)r->samples;
	}
	c.pct = fmin(100, 100 * fmax(fmax(lines, most), most > 0 ? (double)p->inside : 0) / total);
	c.at_least = most > 0 && c.pct < 100;
	c.nuntried = untried_most(&p->untried, c.untried, sizeof c.untried / sizeof c.untried[0]);
	for (size_t i = 0; i < c.nuntried; i++)
		c.untried_pct[i] = 100 * (double)c.untried[i].samples / total;
	while (c.nuntried && c.untried_pct[c.nuntried - 1] < LEAST_PCT)
		c.nuntried--;
	return c;
}
