#include "replay/threshold.h"

#include <gsl/gsl_sort_int.h>

struct threshold threshold_find(int32_t *did, size_t ndid, int32_t *not, size_t nnot)
{
	struct threshold best = { .at = did[0] };
	size_t lower = 0, wrong = SIZE_MAX; /* lower: of `not`, those below did[i] */

	gsl_sort_int(did, 1, ndid);
	gsl_sort_int(not, 1, nnot);
	for (size_t i = 0; i < ndid; i++) {
		if (i && did[i] == did[i - 1])
			continue;
		while (lower < nnot && not[lower] < did[i])
			lower++;
		if (i + (nnot - lower) > wrong)
			continue;
		wrong = i + (nnot - lower);
		best = (struct threshold){ .at = did[i], .below = i, .above = nnot - lower };
	}
	return best;
}
