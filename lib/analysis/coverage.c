/* coverage: the shares of samples in each region, in all tried regions, and by kind of time. */
#include "analysis/impact.h"

#include <math.h>
#include <string.h>

#include "analysis/combine.h"
#include "estimate/systematic.h"

/* Code with a smaller share is not worth an experiment. */
static const double LEAST_PCT = 1;

double impact_share(const struct profile *p, const struct profile_region *r)
{
	uint64_t total = 0;

	for (size_t i = 0; i < p->nruns; i++)
		total += p->run[i].share_total;
	if (total)
		return 100 * (double)r->samples / (double)total;
	return r->window_total ? 100 * (double)r->window_samples / (double)r->window_total : NAN;
}

double impact_blocked_share(const struct profile *p, const struct profile_region *r)
{
	uint64_t total = 0;

	for (size_t i = 0; i < p->nruns; i++)
		total += p->run[i].share_blocked_total;
	return total ? 100 * (double)r->blocked / (double)total : NAN;
}

struct profile_spent impact_spent(const struct profile_run *r)
{
	struct profile_spent s = r->spent;

	s.cpu *= r->period_ns;
	s.blocked *= r->period_ns;
	s.lock *= r->period_ns;
	s.io *= r->period_ns;
	s.sleep *= r->period_ns;
	s.runqueue *= r->period_ns;
	return s;
}

struct profile_spent impact_spent_in_all(const struct profile *p)
{
	struct profile_spent all = { 0 };

	for (size_t i = 0; i < p->nruns; i++) {
		struct profile_spent s = impact_spent(&p->run[i]);

		all.cpu += s.cpu;
		all.blocked += s.blocked;
		all.lock += s.lock;
		all.io += s.io;
		all.sleep += s.sleep;
		all.runqueue += s.runqueue;
	}
	return all;
}

double impact_systematic(const struct profile *p)
{
	struct profile_spent all = impact_spent_in_all(p);

	return systematic_relative(all.lock ? (double)all.lock / (double)(all.lock + all.cpu) : 0, combine_spins(p));
}

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
		/* a sample is charged to one line, but to all functions on the stack */
		if (!strcmp(r->scope, "line"))
			lines += (double)r->samples;
		else if ((double)r->samples > most)
			most = (double)r->samples;
	}
	c.pct = fmin(100, 100 * fmax(fmax(lines, most), most > 0 ? (double)p->inside : 0) / total);
	c.at_least = most > 0 && c.pct < 100;
	c.nuntried = untried_most(&p->untried.sum, c.untried, sizeof c.untried / sizeof c.untried[0]);
	for (size_t i = 0; i < c.nuntried; i++)
		c.untried_pct[i] = 100 * (double)c.untried[i].samples / total;
	while (c.nuntried && c.untried_pct[c.nuntried - 1] < LEAST_PCT)
		c.nuntried--;
	return c;
}
