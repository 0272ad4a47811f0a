/*
 * robust_code: do slow windows run the same code as others?  By their samples: how busy the
 * processor was, and in which regions.
 */
#include "profile/robust_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Limits for slow windows: they must keep the processor as busy as others do, and run the same code. */
static const double LEAST_BUSY = 0.7, SAME_CODE = 0.2, SAME_CODE_SIGMA = 3;

/* A region with this much variation of its samples comes and goes; and the number of windows needed to tell. */
static const double PHASES = 6;
enum { LEAST_FREEDOM = 7 };

/* Samples of regions in slow windows that are needed to tell. */
static const double LEAST_HITS = 20;

/* Is the processor as busy in slow windows as in others?  If not, the program waits, which is no disturbance. */
static bool keeps_busy(const struct robust *a)
{
	double samples[2] = { 0 }, wall[2] = { 0 };

	for (size_t i = 0; i < a->n; i++) {
		samples[robust_is_suspect(&a->item[i])] += a->item[i].w->samples;
		wall[robust_is_suspect(&a->item[i])] += a->item[i].w->wall_ns;
	}
	return wall[0] > 0 && wall[1] > 0 && samples[0] > 0 && samples[1] / wall[1] >= LEAST_BUSY * samples[0] / wall[0];
}

/* Samples of a group, in its region and in all, for suspects and for the other windows. */
struct mix {
	double hits[2], samples[2];
	size_t region;
};

/*
 * By region: the variance of hits between windows, relative to that of independent samples;
 * 1 if there is too little data.
 */
static double overdispersion(const struct robust *a, const struct mix *mix, size_t region)
{
	double sum = 0, freedom = -1;

	for (size_t i = 0; i < a->n; i++) {
		const struct robust_item *it = &a->item[i];
		const struct mix *m = &mix[it->group];
		double share = m->hits[0] / m->samples[0], off = it->w->region_samples - share * it->w->samples;

		if (m->region != region || robust_is_suspect(it) || !(share > 0 && share < 1) || !it->w->samples)
			continue;
		sum += off * off / (share * (1 - share) * it->w->samples);
		freedom++;
	}
	return freedom >= LEAST_FREEDOM ? fmax(1, sum / freedom) : 1;
}

static struct mix *mix_of(const struct robust *a)
{
	struct mix *mix = xcalloc(a->ngroups + 1, sizeof *mix);

	for (size_t i = 0; i < a->n; i++) {
		const struct robust_item *it = &a->item[i];
		bool suspect = robust_is_suspect(it);

		mix[it->group].region = it->w->s > 0 ? it->w->region : PROFILE_NONE;
		mix[it->group].hits[suspect] += it->w->region_samples;
		mix[it->group].samples[suspect] += it->w->samples;
	}
	return mix;
}

/* For the groups mix[0..n) of one region: adds the hits that are expected in its suspects. */
static bool is_same_in_region(const struct mix *mix, size_t n, double dispersion, double *expected)
{
	double excess = 0, part = 0, variance = 0;

	for (size_t g = 0; g < n; g++) {
		const struct mix *m = &mix[g];
		double share = m->hits[0] / m->samples[0];

		if (!(m->samples[0] > 0))
			continue;
		excess += m->hits[1] - share * m->samples[1];
		part += share * m->samples[1];
		variance += fmax(share * (1 - share), 1 / m->samples[0]) * m->samples[1] * (1 + m->samples[1] / m->samples[0]);
	}
	*expected += part;
	return dispersion < PHASES && (fabs(excess) <= SAME_CODE_SIGMA * sqrt(dispersion * variance) || fabs(excess) <= SAME_CODE * part);
}

/*
 * Do slow windows run the same code?  Then they can safely count less, even if they are
 * a phase, because the effect of the region is the same there.  If regions come and go
 * between windows, there are phases.
 */
static bool is_same_code(const struct robust *a)
{
	struct mix *mix = mix_of(a);
	double expected = 0;
	bool same = true;

	/* groups of one region stand side by side */
	for (size_t g = 0, end; same && g < a->ngroups && mix[g].region != PROFILE_NONE; g = end) {
		for (end = g; end < a->ngroups && mix[end].region == mix[g].region; end++)
			;
		same = is_same_in_region(mix + g, end - g, overdispersion(a, mix, mix[g].region), &expected);
	}
	free(mix);
	return same && expected >= LEAST_HITS;
}

bool robust_is_same(const struct robust *a)
{
	return keeps_busy(a) && is_same_code(a);
}
