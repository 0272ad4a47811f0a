/*
 * finding: what andweorc-analyze found, read back into memory.
 *
 * An analysis is the format andweorc(5) with `impact` and `curve` records.  Its
 * size is that of the report, not of the log: points times regions.  Records
 * may come in any order under their header, and several files may be read into
 * one analysis.  Order in memory is the order of first mention.
 *
 * Numbers that a record leaves out are NAN here, texts are NULL.
 */
#ifndef ANDWEORC_PROFILE_FINDING_H
#define ANDWEORC_PROFILE_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"

struct curve_point {
	double speedup_pct; /* virtual speedup of the region, above 0, to 100 */
	double program_pct; /* what the program gains */
	double lo, hi;      /* its 95 % interval */
};

struct finding {
	char *region; /* label, unique within the point */
	char *scope;  /* "line", "function" or "class" */
	char *module; /* path */
	char *function;
	char *symbol;
	char *file;
	double line, function_line;
	char *line_hash, *context_hash, *function_hash; /* of the source text */
	double share_pct; /* of the CPU samples */
	double blocked_pct; /* of the blocked samples */
	double slope, slope_lo, slope_hi;
	double max_useful_pct; /* no further gain beyond; NAN: none seen */
	double runs;
	char *basis;               /* "runs" or "within-run" */
	char *verdict;             /* NULL: there were curve records only */
	char *need;                /* what would be enough, with verdict "not-enough-data" */
	struct curve_point *curve; /* curve[0..n), by rising speedup_pct */
	size_t n;
	size_t cap;
};

struct found_point {
	char *name;
	struct map regions; /* label -> struct finding * */
};

struct findings {
	struct map points; /* name -> struct found_point * */
	char *command;     /* of the first run that says it, or NULL */
	char *tool;        /* who wrote the last header, or NULL */
	char *warning;     /* text of the first warning, or NULL */
};

void findings_init(struct findings *a);
void findings_release(struct findings *a);

/*
 * Reads `path` ("-": standard input) into `a`.  Bad records are reported, and
 * left out; false when the file could not be read.  A region or a place of a
 * curve that comes twice is bad: two analyses are compared, not mixed.
 */
bool findings_read(struct findings *a, const char *path);

/* NULL when there is none. */
const struct found_point *findings_point(const struct findings *a, const char *name);
const struct finding *found_point_region(const struct found_point *p, const char *region);

/* Was there enough data for the slope to mean something? */
bool finding_is_known(const struct finding *m);

#endif
