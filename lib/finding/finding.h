/*
 * finding: the output of andweorc-analyze, read back into memory.
 *
 * An analysis is the format andweorc(5) with `impact` and `curve` records.  Its
 * size is that of the report, not of the log: points times regions.  Records
 * may come in any order under their header, and several files may be read into
 * one analysis.  Order in memory is the order of first mention.
 *
 * Runs are identified by the id of their record and by its header.
 *
 * Numbers that a record leaves out are NAN here, texts are NULL.
 */
#ifndef ANDWEORC_FINDING_FINDING_H
#define ANDWEORC_FINDING_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"

struct found_run {
	size_t context;  /* headers before it */
	double id;
	char *command, *commit, *host, *kernel, *cpu_model, *sampler, *mode, *scope;
	char *block;
	double cpus, period_ns, started_ns;
	double windows, disturbed; /* experiments, and those set aside; 0: not stated */
};

/* The results of one run for a point, and for a region: andweorc(5), baseline and replicate. */
struct found_baseline {
	size_t context;
	double run;
	double period_ns, period_se, df, visits;
};

struct found_replicate {
	size_t context;
	double run;
	double slope, slope_se, cost_ns, cost_se, df;
	double rise_slope, rise_slope_se, rise_cost_ns, rise_cost_se;
	double info, windows, baselines;
};

struct curve_point {
	double speedup_pct; /* virtual speedup of the region, above 0, to 100 */
	double program_pct; /* gain of the program */
	double lo, hi;      /* its 95 % interval */
};

struct finding {
	char *region; /* label, unique within the point */
	char *scope;  /* "line", "function" or "class" */
	char *function, *symbol;
	char *module; /* path */
	char *file;
	double line;
	double function_line; /* where the function begins */
	char *line_hash, *context_hash, *function_hash; /* hashes of the source text */
	double share_pct; /* share of the CPU samples */
	double blocked_pct; /* share of the blocked samples */
	double slope, slope_lo, slope_hi;
	double slope_se, cost_se; /* with an interval from the spread of windows or runs only */
	double cost_more_ns;      /* possible cost beyond that interval; 0 usually */
	double cost_ns, cost_lo, cost_hi;
	double q;
	double max_useful_pct; /* no further gain beyond; NAN: none seen */
	double runs;
	char *basis;               /* "runs" or "within-run" */
	char *verdict;             /* NULL: there were curve records only */
	char *need;                /* advice, with verdict "not-enough-data" */
	char *doubt;               /* words, separated by commas */
	struct curve_point *curve; /* curve[0..n), by rising speedup_pct */
	size_t n;
	size_t cap;
	struct found_replicate *replicate; /* in the order of the input */
	size_t nreplicates, cap_replicates;
};

struct found_point {
	char *name;
	struct map regions; /* label -> struct finding * */
	char *kind;         /* NULL: not stated, or no point record */
	double period_ns, period_lo, period_hi;
	bool described;     /* there was a point record */
	struct found_baseline *baseline; /* in the order of the input */
	size_t nbaselines, cap_baselines;
};

struct findings {
	struct map points; /* name -> struct found_point * */
	char *command;     /* from the first run that states it, or NULL */
	char *tool;        /* the program that wrote the last header, or NULL */
	char *warning;     /* text of the first warning, or NULL */
	double untried_pct; /* the greatest code without an experiment, with its share of the CPU samples */
	struct found_run *run; /* in the order of the input */
	size_t nruns, cap_runs;
	size_t ncontexts;
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

/* NULL when no run record says so. */
const struct found_run *findings_run(const struct findings *a, size_t context, double id);

/* Was there enough data for the slope to mean something? */
bool finding_is_known(const struct finding *m);

/* Is there no verdict, but an interval that lies below the region's share of the CPU samples? */
bool finding_is_below_share(const struct finding *m);

#endif
