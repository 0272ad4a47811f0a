/*
 * stats: textbook statistics for the estimator (distributions from GSL).  Pure
 * functions; no state, no output.
 *
 * Which interval is used when.  All but the last two are value +- stats_t95(df) se, as
 * stats_estimate_finish makes them; they differ in where se and df come from:
 *
 *   slope, cost, gain at a speedup:
 *     three runs or more, each strong   the spread of their slopes, n - 1         causal_runs.c
 *     else; and of whole runs           strata left out in turn (jackknife), df     causal.c
 *                                       of Satterthwaite
 *       of fewer than eight strata      squares of residuals (HC2), df of Bell      causal_few.c
 *                                       and McCaffrey
 *   and then, one after the other:
 *     systematic errors widen them                                         systematic.c
 *     a knee below all speedups opens them upwards                         analysis/impact.c
 *     replay, where there is any, narrows or widens them                   analysis/combine.c
 *     physical limits cut them                                             analysis/limit.c
 *   period of baselines                 spread of blocks, or of runs       analysis/period.c
 *   percentiles of spans                runs, or parts of few runs, left   analysis/percentile.c
 *                                       out in turn; then replay            analysis/combine.c
 *   head against base                   pairs of blocks, else Welch's,     diff/compare.c
 *                                       else what is inside the runs;
 *                                       then errors borrow from each other diff/shrinkage.c
 *   place of the knee                   places that fit nearly as well     shape.c
 *   answer to --what-if                 value +- STATS_NORMAL_95 se        profile/whatif.c
 */
#ifndef ANDWEORC_ESTIMATE_STATS_H
#define ANDWEORC_ESTIMATE_STATS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* An estimate with its 95 % interval and the two-sided p of "the truth is 0". */
struct estimate {
	double value;
	double lo, hi;
	double se; /* standard error of value */
	double df; /* degrees of freedom of se; fractions are normal */
	double p;
};

/* An estimate of which nothing is known. */
#define STATS_UNKNOWN ((struct estimate){ .value = NAN, .lo = -INFINITY, .hi = INFINITY, .se = INFINITY, .df = 1, .p = 1 })

/* Half width of a 95 % interval, in units of a known standard error: normal distribution. */
#define STATS_NORMAL_95 1.96

/* The same for an estimated standard error with df > 0 degrees of freedom. */
double stats_t95(double df);

/* Two-sided p of Student's t. 0 for an infinite t; 1 for NaN (0/0: no evidence at all). */
double stats_t_p(double t, double df);

/* Upper tail of F. */
double stats_f_p(double f, double df1, double df2);

/* Fills lo, hi and p from value, se and df. */
void stats_estimate_finish(struct estimate *e);

/* The mean of n independent values, with Student's interval at n-1 degrees of freedom.  False when n < 2. */
bool stats_mean(const double *x, size_t n, struct estimate *out);

/* Benjamini-Hochberg: q[i] = smallest false discovery rate at which test i is a discovery.  p and q may be one array. */
void stats_bh(const double *p, size_t n, double *q);

#endif
