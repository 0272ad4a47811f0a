/*
 * compare: head against base, by runs.  Pure functions on arrays; COMPARISON.md has
 * the reasons.
 *
 * Each run has a new code placement, heap layout and moment, so intervals are over
 * runs.  They are never over windows: with many windows, even a drift of the machine
 * would look certain.
 */
#ifndef ANDWEORC_DIFF_COMPARE_H
#define ANDWEORC_DIFF_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "estimate/stats.h"
#include "estimate/unit.h"

/* The quantities that are compared. */
enum quantity {
	QUANTITY_PERIOD, /* natural logarithm of the time per visit in baselines */
	QUANTITY_SLOPE,
	QUANTITY_COST,   /* ns per visit */
	QUANTITIES
};

/* The result of one run: all fields for a region; for a point, only the baselines' sums and the period. */
struct replicate {
	const char *block;       /* runs of both sides with one block and one host were recorded side by side; NULL: none */
	const char *host;        /* NULL: not known */
	double order;            /* in time */
	struct causal_unit sum;  /* sums, which can be added over runs */
	double se[QUANTITIES];   /* standard error within the run; NAN or infinite: not known */
	double df;
};

/* A side, of one point or one region. */
struct replicates {
	struct replicate *at; /* at[0..n), owned */
	size_t n, cap;
	bool whole;           /* each element is a set of whole runs, and its se is over these */
	double mean[QUANTITIES], mean_se[QUANTITIES]; /* the estimate over runs, if single runs are unknown; NAN: unknown */
	double mean_runs;
};

enum design {
	DESIGN_NONE,   /* a side has no data */
	DESIGN_WITHIN, /* too few runs: only the noise of windows, which tells nothing about other runs */
	DESIGN_MEANS,  /* two means over runs (Welch) */
	DESIGN_WELCH,  /* run against run, independent */
	DESIGN_PAIRED, /* block by block */
};

const char *design_name(enum design d); /* "paired", ...; static storage */
bool design_named(const char *name, enum design *out);

/* Fewest runs, or blocks with both sides, for an interval over them. */
enum { COMPARE_MIN_RUNS = 3 };

struct comparison {
	enum design design;
	bool over_runs;              /* the interval is valid for other runs, too */
	size_t base_runs, head_runs; /* runs that took part; for DESIGN_PAIRED, units are blocks */
	size_t units;                /* blocks; else runs of the smaller side, or its machines, if none recorded both sides */
	struct estimate base, head;  /* with an infinite interval where the error is unknown */
	struct estimate difference;  /* head - base */
	double below, above;         /* the true difference may be so much less, or more, than its interval says; 0: no more */
	double mde;                  /* smallest change that would be found in 80 of 100 cases; NAN: unknown */
};

void compare(const struct replicates *base, const struct replicates *head, enum quantity what, struct comparison *out);

/* Sets `mde` anew after the error of the difference was changed. */
void compare_set_mde(struct comparison *c);

void replicates_release(struct replicates *r);

#endif
