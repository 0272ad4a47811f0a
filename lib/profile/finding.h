/*
 * analysis: what andweorc-analyze found, read back into memory.
 *
 * An analysis is the format andweorc(5) with `impact` and `curve` records.  Its
 * size is that of the report, not of the log: points times regions.  Records
 * may come in any order under their header, and several files may be read into
 * one analysis.  Order in memory is the order of first mention.
 *
 * Numbers that a record leaves out are NAN here, texts are NULL.
 */
#ifndef ANDWEORC_PROFILE_ANALYSIS_H
#define ANDWEORC_PROFILE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"

struct curve_point {
	double speedup_pct; /* virtual speedup of the region, 0..100 */
	double program_pct; /* what the program gains */
	double lo, hi;      /* its 95 % interval */
};

struct impact {
	char *region;   /* label, unique within the point */
	char *function;
	char *file;
	double line;
	double share_pct; /* of the CPU samples */
	double slope, slope_lo, slope_hi;
	double max_useful_pct; /* no further gain beyond; NAN: none seen */
	double runs;
	char *basis;   /* "runs" or "within-run" */
	char *verdict; /* NULL: there were curve records only */
	char *need;    /* what would be enough, with verdict "not-enough-data" */
	struct curve_point *curve; /* curve[0..n), by rising speedup_pct */
	size_t n;
	size_t cap;
};

struct point {
	char *name;
	struct map impacts; /* region label -> struct impact * */
};

struct analysis {
	struct map points; /* name -> struct point * */
	char *command;     /* of the first run that says it, or NULL */
	char *tool;        /* who wrote the last header, or NULL */
};

void analysis_init(struct analysis *a);
void analysis_release(struct analysis *a);

/*
 * Reads `path` ("-": standard input) into `a`.  Bad records are reported, and
 * left out; false when the file could not be read.  A region or a place of a
 * curve that comes twice is bad: two analyses are compared, not mixed.
 */
bool analysis_read(struct analysis *a, const char *path);

/* NULL when there is none. */
const struct point *analysis_point(const struct analysis *a, const char *name);
const struct impact *point_impact(const struct point *p, const char *region);

#endif
