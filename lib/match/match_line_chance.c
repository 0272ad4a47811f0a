#include "match/match_line_chance.h"

#include "match/match_anchor.h"

enum { NEIGHBOURS = 2 };

/* How two lines compare among lines of the same text. */
enum occurrence {
	OCCURRENCE_UNIQUE, /* no others in the function, on both sides */
	OCCURRENCE_SAME,   /* the same number on both sides, and the same position among them */
	OCCURRENCE_OTHER,
	OCCURRENCES
};

/* [occurrence][neighbours][1 + distances; 0: out of order] */
static const double EQUAL[OCCURRENCES][NEIGHBOURS + 1][1 + MATCH_DISTANCES + 1] = {
	{ { 0.93, 0.94, 0.95, 0.98 }, { 0.98, 0.99, 0.985, 0.99 }, { 0.99, 0.995, 0.995, 0.995 } },
	{ { 0.12, 0.15, 0.70, 0.95 }, { 0.60, 0.94, 0.96, 0.985 }, { 0.80, 0.98, 0.99, 0.995 } },
	{ { 0, 0.18, 0.50, 0.60 }, { 0.02, 0.43, 0.60, 0.93 }, { 0.10, 0.60, 0.70, 0.97 } },
};

/* [neighbours][distances] */
static const double OTHER[NEIGHBOURS + 1][MATCH_DISTANCES + 1] = { { 0, 0, 0.20 }, { 0.10, 0.40, 0.70 }, { 0.60, 0.82, 0.96 } };

/* [distances] */
static const double UNKNOWN[MATCH_DISTANCES + 1] = { 0, 0.60, 0.80 };

/* [occurrence][neighbours] */
static const double KEPT[OCCURRENCES][NEIGHBOURS + 1] = { { 0.97, 0.995, 0.995 }, { 0.90, 0.99, 0.995 }, { 0.50, 0.70, 0.99 } };
static const double KEPT_WITHOUT_TEXTS = 0.99, KEPT_ACROSS = 0.7;

/*
 * [lines around that are alike].  A profile has few lines, so of two copies of some
 * code it may have one on one side and the other on the other side; unless, by the map,
 * both changed.
 */
static const double ELSEWHERE[AROUND + 1] = { 0, 0, 0.25, 0.40, 0.55, 0.65, 0.70 };
static const double ELSEWHERE_BY_MAP[AROUND + 1] = { 0, 0.20, 0.50, 0.80, 0.90, 0.92, 0.94 };

static enum occurrence occurrence(const struct match_side *b, const struct match_side *h)
{
	if (b->n == 1 && h->n == 1)
		return OCCURRENCE_UNIQUE;
	return b->n == h->n && b->k == h->k ? OCCURRENCE_SAME : OCCURRENCE_OTHER;
}

int match_neighbours(const struct match_side *b, const struct match_side *h)
{
	int n = 0;

	for (size_t i = AROUND / 2 - 1; i <= AROUND / 2; i++)
		n += b->around[i] == h->around[i];
	return n;
}

/* The share of known surrounding lines that are alike. */
static int around(const struct match_side *b, const struct match_side *h)
{
	int n = 0;

	for (size_t i = 0; i < AROUND; i++)
		n += b->around[i] == h->around[i] && b->around[i];
	return n;
}

double match_chance_equal(const struct match_side *b, const struct match_side *h, int distances)
{
	return EQUAL[occurrence(b, h)][match_neighbours(b, h)][1 + distances];
}

double match_chance_other(const struct match_side *b, const struct match_side *h, int distances)
{
	return OTHER[match_neighbours(b, h)][distances];
}

double match_chance_unknown(int distances)
{
	return UNKNOWN[distances];
}

/* A similarity of 1 means that only blanks changed. */
double match_chance_edited(double similarity, bool renamed)
{
	return similarity >= 1 ? 0.99 : (renamed ? 0.5 : 1) * (0.55 + 0.4 * similarity);
}

double match_chance_kept(const struct match_side *b, const struct match_side *h, bool across)
{
	if (across)
		return KEPT_ACROSS;
	return b->has_text && h->has_text ? KEPT[occurrence(b, h)][match_neighbours(b, h)] : KEPT_WITHOUT_TEXTS;
}

double match_chance_elsewhere(const struct match_side *b, const struct match_side *h, bool by_map)
{
	return (by_map ? ELSEWHERE_BY_MAP : ELSEWHERE)[around(b, h)];
}
