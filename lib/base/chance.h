/*
 * chance: the chance error of a share of samples.
 *
 * A region's share in some samples is compared with its share in all samples.  A larger
 * difference than by chance means that they were taken in different phases of the program.
 */
#ifndef ANDWEORC_BASE_CHANCE_H
#define ANDWEORC_BASE_CHANCE_H

#include <math.h>

/*
 * Consecutive samples are correlated: the variance of a share is so many times that of
 * independent samples.
 */
#define CHANCE_ALIKE 4.0

/*
 * The variance of a share, 0 .. 1, of so many samples; 0 for no samples.  A share of which there was no sample, or
 * nothing else, is not known to be 0 or 1: half a sample more of either kind (Krichevsky and Trofimov 1981).
 */
static inline double chance_variance(double share, double samples)
{
	double likely = (share * samples + 0.5) / (samples + 1);

	return samples > 0 ? CHANCE_ALIKE * likely * fmax(0, 1 - likely) / samples : 0;
}

/* The part of the difference of a and b that is beyond chance, >= 0; `variance`: that of the difference. */
static inline double chance_excess(double a, double b, double variance)
{
	return sqrt(fmax(0, (a - b) * (a - b) - variance));
}

#endif
