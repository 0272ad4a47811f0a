#include "profile/phase.h"

#include <math.h>

/* Consecutive samples are correlated: the variance of a share is so many times that of independent samples. */
static const double ALIKE = 4;

double phase_error(double gain, double burst_share, size_t samples, double run_share)
{
	double away = run_share - burst_share, chance = ALIKE * burst_share * (1 - burst_share) / (double)samples;

	return fabs(gain) / burst_share * sqrt(fmax(0, away * away - chance));
}
