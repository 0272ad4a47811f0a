/*
 * orphans: processes that remain when the command has ended.
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

/* State since the command has ended. */
struct orphans {
	int64_t began_ns;    /* about when it ended */
	uint64_t visits;     /* visits of all points, by all processes, at the last look */
	int64_t progress_ns; /* when the visits last grew; 0: never */
	int64_t cpu_at_ns, cpu_ns; /* when processor time was last measured, and its value */
	bool working;        /* the same, at the measurement before */
	struct children others; /* children that are not of this run */
};

/*
 * Begins a run.  Our present children are not of this run: earlier runs have left them,
 * or the program that exec'd this one.
 */
void orphans_begin(struct orphans *l);
void orphans_release(struct orphans *l);

/*
 * Does the recording go on with the remaining processes?  It does if one makes
 * progress, as a daemon does: one has visited a point, or, if none has, one uses the
 * processor.  Idle helpers are not waited for.  `visits`: of all points, by all
 * processes.
 */
bool orphans_goes_on(struct orphans *l, struct processes *p, uint64_t visits, int64_t now_ns);

/*
 * Ends and reaps the remaining processes: SIGTERM once to each, and SIGKILL to those
 * that still live after patience_ns.  These are all our children that belong to the
 * run.  A process becomes our child when its parent ends, because the recorder is the
 * subreaper.
 */
void orphans_end(struct orphans *l, struct processes *p, int64_t patience_ns);

#endif
