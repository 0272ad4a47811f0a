/*
 * chance: how far a share of samples is off by chance.
 *
 * A region's share in some of the samples is compared with its share in all of them, to see
 * whether those samples saw the program as it mostly is, or one of its phases.
 */
#ifndef ANDWEORC_BASE_CHANCE_H
#define ANDWEORC_BASE_CHANCE_H

#include <math.h>

/*
 * Samples that follow each other are alike: the variance of a share is so many times that of
 * independent samples.
 */
#define CHANCE_ALIKE 4.0

/* The variance of a share, 0 .. 1, of so many samples; 0 for no samples. */
static inline double chance_variance(double share, double samples)
{
	return samples > 0 ? CHANCE_ALIKE * share * fmax(0, 1 - share) / samples : 0;
}

/* By how much a and b differ beyond chance, >= 0, the variance of their difference being `variance`. */
static inline double chance_excess(double a, double b, double variance)
{
	return sqrt(fmax(0, (a - b) * (a - b) - variance));
}

#endif
