/*
 * adapt: plans the windows that a recording needs most, by its results so far.
 *
 * A block of the fixed design (schedule.h) has each region at each level once, even
 * regions that are known to have no effect.  Here each block goes to the regions in
 * question:
 *
 *   leader  may be the most important region: its interval reaches the highest
 *           lower end of all intervals.  A region without windows is one, too
 *   useful  has an effect, but less than another region
 *   idle    its effect is surely less than USEFUL
 *
 * A block goes to leaders whose interval is too wide; if there are none, to useful
 * regions whose interval is too wide; if there are none of these, to all regions that
 * are not idle.  Other regions get windows at random now and then, so that a region
 * that becomes important in a later phase of the program is found.
 *
 * A region has windows in pairs: one at the level that tells most about its slope (the
 * highest one below its knee), and one at each of the other levels in turn, to find the
 * knee.
 *
 * Decisions are made between blocks, from the results of earlier windows.  Within a
 * block the order is random, with baselines spread over it.  So each block is a fair
 * comparison, whatever came before it.  METHOD.md tells how this affects intervals.
 */
#ifndef ANDWEORC_RECORDER_ADAPT_H
#define ANDWEORC_RECORDER_ADAPT_H

#include <stdbool.h>
#include <stddef.h>

#include "estimate/causal.h"
#include "recorder/evidence.h"
#include "recorder/schedule.h"

enum adapt_role { ADAPT_LEADER, ADAPT_USEFUL, ADAPT_IDLE };

struct adapt_region {
	enum adapt_role role;
	bool known;            /* the slope is known */
	bool ripe;             /* from enough windows for the recording to end */
	bool narrow;           /* and its interval is narrow enough */
	struct estimate slope; /* slope up to the knee */
	double knee;           /* NAN: none */
	double rise;           /* speedups up to here are surely below its knee */
	size_t treated;        /* number of windows that this is from, without baselines */
	size_t given;          /* windows that the last block has for it */
	size_t turn;           /* the one of the other levels that is next */
};

struct adapt {
	/* the settings; set before the first call */
	const unsigned *levels; /* percent, ascending, without 0; borrowed */
	size_t nlevels;
	size_t baselines;       /* factor for the number of baselines; 0 means 1 */
	double width;           /* half width of a narrow interval of the slope (1: one for one) */
	bool over_runs;         /* an interval is narrow only if it is over runs */

	struct evidence evidence;
	struct adapt_region *region; /* by id; owned */
	size_t nregions;
	size_t judged;          /* number of windows at the last judgement */
	bool enough;            /* all leaders have narrow intervals; or all regions are idle, from enough windows */
};

void adapt_release(struct adapt *a);

/*
 * The present state of regions, by id.  The time for this grows with the number of
 * windows.  It is computed again only when that number has grown by a constant factor,
 * so the mean time for each window stays constant.
 */
void adapt_judge(struct adapt *a, const unsigned *region, size_t n);

/*
 * Plans the next block.  Trials refer to regions by index into region[0..n).  The caller
 * frees *out.  Returns the number of trials.
 */
size_t adapt_block(struct adapt *a, struct schedule *s, const unsigned *region, size_t n, struct trial **out);

/* "leader", "useful", "idle" */
const char *adapt_role_name(enum adapt_role role);

#endif
