/*
 * compare: head against base, by runs.  Pure functions on arrays; METHOD.md has
 * the reasons.
 *
 * A run draws its code placement, heap layout and moment anew, so it is what
 * intervals are over: never windows, of which any number would make a drift of
 * the machine look certain.
 */
#ifndef ANDWEORC_DIFF_COMPARE_H
#define ANDWEORC_DIFF_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "estimate/stats.h"
#include "estimate/unit.h"

/* What is compared. */
enum quantity {
	QUANTITY_PERIOD, /* natural logarithm of the time per visit in baselines */
	QUANTITY_SLOPE,
	QUANTITY_COST,   /* ns per visit */
	QUANTITIES
};

/* What one run says: of a region all of it, of a point the baselines' sums and the period alone. */
struct replicate {
	const char *block;       /* runs of both sides with one block were recorded side by side; NULL: none */
	double order;            /* in time */
	struct causal_unit sum;  /* sums of several runs are those of one long run */
	double se[QUANTITIES];   /* within the run; NAN or infinite: not known */
	double df;
};

/* A side, of one point or one region. */
struct replicates {
	struct replicate *at; /* at[0..n), owned */
	size_t n, cap;
	bool whole;           /* each stands for many whole runs, and its se is over them */
	double mean[QUANTITIES], mean_se[QUANTITIES]; /* over runs, where single ones are not known; NAN: not known either */
	double mean_runs;
};

enum design {
	DESIGN_NONE,   /* a side says nothing */
	DESIGN_WITHIN, /* too few runs: noise of windows alone.  It says nothing about other runs */
	DESIGN_MEANS,  /* two means over runs (Welch) */
	DESIGN_WELCH,  /* run against run, independent */
	DESIGN_PAIRED, /* block by block */
};

const char *design_name(enum design d); /* "paired", ...; static storage */
bool design_named(const char *name, enum design *out);

/* Runs, or blocks with both sides, from which on an interval is over them. */
enum { COMPARE_MIN_RUNS = 3 };

struct comparison {
	enum design design;
	bool over_runs;              /* the interval speaks of other runs, too */
	size_t base_runs, head_runs; /* that took part; of DESIGN_PAIRED, units are blocks */
	size_t units;                /* of the smaller side */
	struct estimate base, head;  /* infinite interval where nothing is known */
	struct estimate difference;  /* head - base */
	double mde;                  /* what would have been seen in 80 of 100 cases; NAN: unknown */
};

void compare(const struct replicates *base, const struct replicates *head, enum quantity what, struct comparison *out);

/* After the difference was changed. */
void compare_set_mde(struct comparison *c);

void replicates_release(struct replicates *r);

#endif
