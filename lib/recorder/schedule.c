#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "recorder/schedule.h"

/* splitmix64 (Steele, Lea, Flood 2014): any seed is valid, even 0. */
uint64_t schedule_random(struct schedule *s)
{
	uint64_t z = s->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void schedule_init(struct schedule *s, uint64_t seed)
{
	s->state = seed;
}

static void shuffle(struct schedule *s, struct trial *t, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = schedule_random(s) % i;
		struct trial swap = t[i - 1];

		t[i - 1] = t[k];
		t[k] = swap;
	}
}

/* Each baseline gets a random place in its own section of the block. */
size_t schedule_spread(struct schedule *s, struct trial *treated, size_t n, size_t nbase, struct trial **out)
{
	struct trial *all = xcalloc(n + nbase, sizeof(*all));
	size_t used = 0;

	shuffle(s, treated, n);
	for (size_t b = 0, from = 0; b < nbase; b++) {
		size_t to = n * (b + 1) / nbase;
		size_t at = from + schedule_random(s) % (to - from + 1);

		for (size_t i = from; i <= to; i++) {
			if (i == at)
				all[used++] = (struct trial){ (size_t)TRIAL_BASELINE, 0 };
			if (i < to)
				all[used++] = treated[i];
		}
		from = to;
	}
	*out = all;
	return used;
}

/*
 * All effects are measured against the same baselines, so these need more windows than
 * one level.  When k levels are compared to one control, the variance of the
 * differences is least with sqrt(k) controls for each treated window of one level
 * (Dunnett 1955).
 */
size_t schedule_baselines(size_t treated)
{
	return treated ? (size_t)ceil(sqrt((double)treated)) : 1;
}

size_t schedule_block(struct schedule *s, size_t nregions, const unsigned *levels, size_t nlevels, size_t baselines,
		      struct trial **out)
{
	size_t n = nregions * nlevels, k = 0;
	struct trial *treated = xcalloc(n + 1, sizeof(*treated));

	for (size_t r = 0; r < nregions; r++)
		for (size_t l = 0; l < nlevels; l++)
			treated[k++] = (struct trial){ r, levels[l] };
	k = schedule_spread(s, treated, n, baselines * schedule_baselines(n), out);
	free(treated);
	return k;
}
