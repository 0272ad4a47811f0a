/*
 * orphans: what the command has left behind when it ends.
 */
#ifndef ANDWEORC_RECORDER_ORPHANS_H
#define ANDWEORC_RECORDER_ORPHANS_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/processes.h"

struct children {
	pid_t *v; /* owned; v[0..n) */
	size_t n, cap;
};

/* Since the command has ended. */
struct orphans {
	int64_t began_ns;    /* when that was, about */
	uint64_t visits;     /* of all points, by all, as last seen */
	int64_t progress_ns; /* when they last grew; 0: never */
	int64_t cpu_at_ns, cpu_ns; /* when processor time was last looked at, and what it was */
	bool working;        /* before that */
	struct children others; /* that are not of this run */
};

/*
 * A run begins: what children there are by now are not of it, whether earlier runs
 * have left them or whoever became us.
 */
void orphans_begin(struct orphans *l);
void orphans_release(struct orphans *l);

/*
 * Does the recording go on with it?  It does if some process makes progress, as a
 * daemon does: has visited a point, or, where nobody has, uses the processor.
 * Helpers that sit there waiting are not waited for.  `visits`: of all points, by
 * all.
 */
bool orphans_goes_on(struct orphans *l, struct processes *p, uint64_t visits, int64_t now_ns);

/*
 * Ends it: SIGTERM once to each, SIGKILL to those that live on after patience_ns.
 * That is, all our children that the run has made: when its parent ends, a process
 * becomes our child, for we are the reaper of the subtree.  Reaps them.
 */
void orphans_end(struct orphans *l, struct processes *p, int64_t patience_ns);

#endif
