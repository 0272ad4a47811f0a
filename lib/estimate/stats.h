/*
 * stats: the textbook statistics that the estimator stands on (distributions
 * from GSL).  Pure functions; no state, no output.
 */
#ifndef ANDWEORC_ESTIMATE_STATS_H
#define ANDWEORC_ESTIMATE_STATS_H

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

/* Half width of a 95 % interval in standard errors that are known: of the normal distribution. */
#define STATS_NORMAL_95 1.96

/* The same of standard errors that are estimated, at df > 0 degrees of freedom. */
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
