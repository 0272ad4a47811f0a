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

/* The variance of a share, 0 .. 1, of so many samples; 0 for no samples. */
static inline double chance_variance(double share, double samples)
{
	return samples > 0 ? CHANCE_ALIKE * share * fmax(0, 1 - share) / samples : 0;
}

/* The part of the difference of a and b that is beyond chance, >= 0; `variance`: that of the difference. */
static inline double chance_excess(double a, double b, double variance)
{
	return sqrt(fmax(0, (a - b) * (a - b) - variance));
}

#endif
