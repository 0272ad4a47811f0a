/*
 * adapt: which windows a recording needs most, by what it has found so far.
 *
 * A block of the fixed design (schedule.h) has each region at each level once,
 * also those that are long known to do nothing.  Here each block goes to the
 * regions in question:
 *
 *   leader  may be the region that matters most: its interval reaches the highest
 *           lower end of all; so does that of one of which nothing is known yet
 *   useful  matters, but less than another one
 *   idle    matters less than USEFUL, for all that is known
 *
 * Leaders whose interval is wider than is wanted have the attention of a block; if
 * there are none, useful regions that are wide; if there are none, all but the
 * idle.  The rest is looked at now and then, by chance, so that nothing starves,
 * and a region that matters in a later phase of the program is found out.
 *
 * A region has windows in pairs: one at the level that tells most about its slope
 * (the highest one that is not beyond its knee), and one at each of the others in
 * turn, by which the knee is seen.
 *
 * Decisions are made between blocks, from what windows before have said; within a
 * block the order is random, with baselines spread over it.  So each block is a
 * fair comparison whatever came before it.  METHOD.md has what that does to
 * intervals.
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
	bool known;            /* slope is something */
	bool ripe;             /* and of so much that a recording may end by it */
	bool narrow;           /* and its interval is as narrow as is wanted */
	struct estimate slope; /* up to the knee */
	double knee;           /* NAN: none */
	double rise;           /* speedups up to here are surely below its knee */
	size_t treated;        /* windows that this rests on, without baselines */
	size_t given;          /* windows that the last block has for it */
	size_t turn;           /* which of the other levels is next */
};

struct adapt {
	/* what is wanted; set before the first call */
	const unsigned *levels; /* percent, ascending, without 0; borrowed */
	size_t nlevels;
	size_t baselines;       /* so many times those that trials deserve; 0 is 1 */
	double width;           /* half width of an interval that is narrow; of the slope, 1 = one for one */
	bool over_runs;         /* an interval is narrow only if it is over runs */

	struct evidence evidence;
	struct adapt_region *region; /* by id; owned */
	size_t nregions;
	size_t judged;          /* windows that the last judgement knew */
	bool enough;            /* all leaders are narrow; or all regions idle, and ripe */
};

void adapt_release(struct adapt *a);

/*
 * How regions (by id) stand by now.  Takes time that grows with the windows so
 * far, but is done again only when they have grown by a part, so that it stays
 * the same for each window.
 */
void adapt_judge(struct adapt *a, const unsigned *region, size_t n);

/* The next block; trials count in region[0..n).  The caller frees *out.  Returns how many trials. */
size_t adapt_block(struct adapt *a, struct schedule *s, const unsigned *region, size_t n, struct trial **out);

/* "leader", "useful", "idle" */
const char *adapt_role_name(enum adapt_role role);

#endif
