#include "recorder/adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A region whose interval lies below this is idle: making it 10 % faster makes the program less than 0.5 % faster. */
static const double USEFUL = 0.05;

enum {
	LEAST_TREATED = 4,   /* a region with fewer windows is in question, whatever its interval */
	LEAST_RIPE = 12,     /* the recording does not end before a region has so many windows */
	LEAST_RUNS = 5,      /* or so many runs, if intervals are over runs: three may agree by chance */
	MOST_PAIRS = 3,      /* pairs of windows of one region in a block */
	USEFUL_ODDS = 2,     /* a region that is not in question gets a pair of windows in one of so many blocks */
	IDLE_ODDS = 3,       /* an idle region gets one in one of so many */
	AGAIN = 50,          /* regions are judged again when the number of windows has grown by one in so many */
};

void adapt_release(struct adapt *a)
{
	evidence_release(&a->evidence);
	free(a->region);
	a->region = NULL;
	a->nregions = 0;
}

const char *adapt_role_name(enum adapt_role role)
{
	static const char *const name[] = { "leader", "useful", "idle" };

	return name[role];
}

static struct adapt_region *region_at(struct adapt *a, unsigned id)
{
	if (id >= a->nregions) {
		size_t n = 2 * (size_t)id + 1;

		a->region = xrealloc(a->region, n, sizeof(*a->region));
		memset(a->region + a->nregions, 0, (n - a->nregions) * sizeof(*a->region));
		a->nregions = n;
	}
	return &a->region[id];
}

/* ---- roles of regions --------------------------------------------------------------- */

/* Are there enough windows of the region for the recording to end? */
static bool is_ripe(const struct adapt *a, const struct adapt_region *r, const struct causal_slope *fit)
{
	if (fit->basis == CAUSAL_RUNS ? fit->runs < LEAST_RUNS : a->over_runs)
		return false;
	return r->known && r->treated >= LEAST_RIPE;
}

static void measure_region(struct adapt *a, unsigned id, struct causal_obs *scratch)
{
	struct adapt_region *r = region_at(a, id);
	struct causal_effect e;

	r->known = causal_effect(scratch, evidence_of(&a->evidence, id, scratch), &e) && isfinite(e.fit.slope.se);
	r->slope = e.fit.slope;
	r->knee = e.knee;
	r->rise = e.rise;
	r->treated = e.treated;
	r->ripe = is_ripe(a, r, &e.fit);
	r->narrow = r->ripe && (r->slope.hi - r->slope.lo) / 2 <= a->width;
	causal_effect_release(&e);
}

static bool is_known(const struct adapt_region *r)
{
	return r->known && r->treated >= LEAST_TREATED;
}

static void set_roles(struct adapt *a, const unsigned *region, size_t n)
{
	double best = -INFINITY;

	for (size_t i = 0; i < n; i++)
		if (is_known(&a->region[region[i]]))
			best = fmax(best, a->region[region[i]].slope.lo);
	for (size_t i = 0; i < n; i++) {
		struct adapt_region *r = &a->region[region[i]];

		r->role = !is_known(r) ? ADAPT_LEADER : r->slope.hi < USEFUL ? ADAPT_IDLE : r->slope.hi < best ? ADAPT_USEFUL : ADAPT_LEADER;
	}
}

/* Have all regions been judged, with few new windows since? */
static bool is_fresh(const struct adapt *a, const unsigned *region, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (region[i] >= a->nregions || a->region[region[i]].treated == 0)
			return false;
	return a->evidence.n - a->judged <= a->judged / AGAIN;
}

/* Has the region this role or a better one, and, if only wide ones are wanted, a wide interval? */
static bool is_wanted(const struct adapt_region *r, enum adapt_role role, bool wide)
{
	return r->role <= role && !(wide && r->narrow);
}

static size_t count_role(const struct adapt *a, const unsigned *region, size_t n, enum adapt_role role, bool wide)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += is_wanted(&a->region[region[i]], role, wide);
	return sum;
}

/* Are the intervals of all leaders narrow?  Without leaders, all regions must be surely idle. */
static bool is_enough(const struct adapt *a, const unsigned *region, size_t n)
{
	bool led = count_role(a, region, n, ADAPT_LEADER, false) > 0;

	for (size_t i = 0; i < n; i++) {
		const struct adapt_region *r = &a->region[region[i]];

		if (r->role == ADAPT_LEADER ? !r->narrow : !led && !r->ripe)
			return false;
	}
	return n > 0;
}

void adapt_judge(struct adapt *a, const unsigned *region, size_t n)
{
	struct causal_obs *scratch;

	if (is_fresh(a, region, n))
		return;
	scratch = xcalloc(a->evidence.n + 1, sizeof(*scratch));
	for (size_t i = 0; i < n; i++)
		measure_region(a, region[i], scratch);
	free(scratch);
	set_roles(a, region, n);
	a->judged = a->evidence.n;
	a->enough = is_enough(a, region, n);
}

/* ---- windows for regions ------------------------------------------------------------------- */

/* The highest level that is surely below the knee. */
static size_t aim_of(const struct adapt *a, const struct adapt_region *r)
{
	size_t aim = a->nlevels - 1;

	while (r->known && aim > 0 && a->levels[aim] / 100.0 > r->rise)
		aim--;
	return aim;
}

/*
 * Adds pairs of windows for a region.  If it gets no pair, and is `lucky`, adds one window
 * at the level that tells most.
 */
static size_t add_windows(struct adapt *a, struct adapt_region *r, size_t index, size_t pairs, bool lucky, struct trial *out)
{
	size_t aim = aim_of(a, r), n = 0;

	if (lucky && pairs == 0)
		out[n++] = (struct trial){ index, a->levels[aim] };
	for (size_t i = 0; i < pairs; i++) {
		size_t other = a->nlevels > 1 ? r->turn++ % (a->nlevels - 1) : aim;

		other += a->nlevels > 1 && other >= aim;
		out[n++] = (struct trial){ index, a->levels[aim] };
		out[n++] = (struct trial){ index, a->levels[other] };
	}
	r->given = n;
	return n;
}

size_t adapt_block(struct adapt *a, struct schedule *s, const unsigned *region, size_t n, struct trial **out)
{
	static const struct {
		enum adapt_role role;
		bool wide;
	} order[] = { { ADAPT_LEADER, true }, { ADAPT_USEFUL, true }, { ADAPT_USEFUL, false }, { ADAPT_IDLE, false } };
	struct trial *treated = xcalloc(2 * MOST_PAIRS * n + 1, sizeof(*treated));
	size_t used = 0, wanted = 0, at = 0, pairs;

	if (a->nlevels == 0)
		n = 0;
	for (size_t i = 0; i < n; i++)
		region_at(a, region[i]);
	while (n && (wanted = count_role(a, region, n, order[at].role, order[at].wide)) == 0)
		at++;
	pairs = wanted && wanted < MOST_PAIRS ? MOST_PAIRS + 1 - wanted : 1;
	for (size_t i = 0; i < n; i++) {
		struct adapt_region *r = &a->region[region[i]];
		bool idle = r->role == ADAPT_IDLE, lucky = schedule_random(s) % (idle ? IDLE_ODDS : USEFUL_ODDS) == 0;

		if (r->treated == 0)
			r->turn = schedule_random(s) % 256; /* the other level that comes first */
		if (is_wanted(r, order[at].role, order[at].wide))
			used += add_windows(a, r, i, pairs, false, treated + used);
		else
			used += add_windows(a, r, i, lucky && !idle, lucky, treated + used);
	}
	n = schedule_spread(s, treated, used, (a->baselines ? a->baselines : 1) * schedule_baselines(used), out);
	free(treated);
	return n;
}
