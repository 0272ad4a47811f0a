/*
 * trial: runs the matcher on both sides of a step, and counts right and wrong pairs.
 */
#ifndef ANDWEORC_BENCH_HISTORY_TRIAL_H
#define ANDWEORC_BENCH_HISTORY_TRIAL_H

#include "source/linemap.h"
#include "tree.h"

enum mode { MAP_AND_HASHES, MAP_ALONE, HASHES, POSITIONS, MODES };
enum sampling { DENSE, SPARSE, SAMPLINGS };
enum function_mode { NAMES, NAMES_AND_HASHES, NAMES_AND_MAP, NAMELESS, FUNCTION_MODES };
enum { BINS = 20 };

extern const char *const trial_mode[MODES];
extern const char *const trial_sampling[SAMPLINGS];
extern const char *const trial_function_mode[FUNCTION_MODES];

struct tally {
	size_t known, right, wrong, missed, wrong_sure, right_sure;
};

struct bin {
	size_t n, right;
	double sum; /* of confidences */
};

struct trials {
	bool verbose; /* prints wrong pairs with a high confidence */
	struct tally lines[MODES][SAMPLINGS][2]; /* in functions that are the same; in changed ones */
	struct bin calibration[MODES][MATCH_KINDS][BINS + 1];
	struct tally functions[FUNCTION_MODES];
};

/* Adds to all tallies.  The truth of base is known; `map` is the patch. */
void trial_of_lines(struct trials *all, const char *step, const struct tree *base, const struct tree *head, const struct linemap *map);
void trial_of_functions(struct trials *all, const struct tree *base, const struct tree *head, const struct linemap *map);

#endif
