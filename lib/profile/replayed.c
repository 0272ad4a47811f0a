/* replayed: what replay of several runs says together; see replayed.h. */
#include "profile/replayed.h"

#include <math.h>

void replayed_add(struct replayed_sum *sum, const struct profile_replayed *one)
{
	double chance = one->chance > 0 ? one->chance : one->se, weight = one->length_ns;

	if (one->whole && !sum->whole)
		*sum = (struct replayed_sum){ .whole = true };
	if (one->whole != sum->whole)
		return;
	sum->n++;
	sum->weight += weight;
	sum->gain += weight * one->gain;
	sum->square += weight * one->gain * one->gain;
	sum->measured += weight * one->measured_ns;
	sum->chance += weight * chance * chance;
	sum->chance2 += weight * weight * chance * chance;
	/* The error by the choice of the model is common to all runs. */
	sum->common += fmax(0, one->se * one->se - chance * chance);
}

double replayed_gain(const struct replayed_sum *sum)
{
	return sum->gain / sum->weight;
}

double replayed_measured_ns(const struct replayed_sum *sum)
{
	return sum->measured / sum->weight;
}

/*
 * If runs differ by more than chance, each has seen other phases of the program: the
 * variance of their mean is larger by that factor (Birge 1932).
 */
static double variance_of_mean(const struct replayed_sum *sum)
{
	double mean = replayed_gain(sum), differ = sum->square - sum->weight * mean * mean;
	double by_chance = sum->chance - sum->chance2 / sum->weight;

	return (sum->n > 1 && differ > by_chance ? differ / by_chance : 1) * sum->chance2 / (sum->weight * sum->weight);
}

double replayed_se(const struct replayed_sum *sum)
{
	return sqrt(variance_of_mean(sum) + sum->common / (double)sum->n);
}
