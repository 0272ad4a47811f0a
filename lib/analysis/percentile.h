/*
 * percentile: how percentiles of the length of spans change under virtual speedup.
 * The mathematics are in share/doc/METHOD.md, "Latency".
 */
#ifndef ANDWEORC_ANALYSIS_PERCENTILE_H
#define ANDWEORC_ANALYSIS_PERCENTILE_H

#include "estimate/causal.h"
#include "profile/lengths.h"

enum { PERCENTILES = 3 };

extern const int percentile_pct[PERCENTILES]; /* 50, 95, 99 */

/* A speedup, and the relative reduction of each percentile. */
struct percentile_level {
	double s;
	struct estimate gain[PERCENTILES]; /* NAN: too few spans; infinite interval: too few blocks or runs */
};

struct percentile_effect {
	double base_ns[PERCENTILES];        /* percentiles of the baselines; NAN: too few spans */
	struct estimate slope[PERCENTILES]; /* slopes, per unit of speedup; as above */
	struct percentile_level *level;     /* ascending; owned */
	size_t nlevels;
	size_t units;                       /* number of runs, or parts of runs, that the intervals are over */
};

/* All is unknown, and nothing owned. */
struct percentile_effect percentile_unknown(void);

/*
 * False, with all unknown and nothing to release, when there are no spans of baselines.  The slope
 * is of speedups up to `rise`, as in the effect on the mean.
 */
bool percentile_effect(const struct lengths_table *t, size_t point, size_t region, double rise, struct percentile_effect *out);
void percentile_effect_release(struct percentile_effect *e);

/* Percentiles of the point's baselines, for all regions; NAN as above. */
void percentile_base(const struct lengths_table *t, size_t point, double base_ns[PERCENTILES]);

#endif
