/*
 * finding: what andweorc-analyze found, read back into memory.
 *
 * An analysis is the format andweorc(5) with `impact` and `curve` records.  Its
 * size is that of the report, not of the log: points times regions.  Records
 * may come in any order under their header, and several files may be read into
 * one analysis.  Order in memory is the order of first mention.
 *
 * Runs are known by the id of their record and the header that it stands under.
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
	double windows, disturbed; /* experiments; of these, set aside; 0: not said */
};

/* What one run says of a point, and of a region: andweorc(5), baseline and replicate. */
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
	double program_pct; /* what the program gains */
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
	char *line_hash, *context_hash, *function_hash; /* of the source text */
	double share_pct; /* of the CPU samples */
	double blocked_pct; /* of the blocked samples */
	double slope, slope_lo, slope_hi;
	double slope_se, cost_se; /* as windows or runs spread */
	double cost_more_ns;      /* that it may cost beyond that; 0 usually */
	double cost_ns, cost_lo, cost_hi;
	double q;
	double max_useful_pct; /* no further gain beyond; NAN: none seen */
	double runs;
	char *basis;               /* "runs" or "within-run" */
	char *verdict;             /* NULL: there were curve records only */
	char *need;                /* what would be enough, with verdict "not-enough-data" */
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
	char *kind;         /* NULL: not said, or no point record */
	double period_ns, period_lo, period_hi;
	bool described;     /* there was a point record */
	struct found_baseline *baseline; /* in the order of the input */
	size_t nbaselines, cap_baselines;
};

struct findings {
	struct map points; /* name -> struct found_point * */
	char *command;     /* of the first run that says it, or NULL */
	char *tool;        /* who wrote the last header, or NULL */
	char *warning;     /* text of the first warning, or NULL */
	double untried_pct; /* of the CPU samples: the greatest code that no experiment was made with */
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

#endif
