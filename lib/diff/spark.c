#include "diff/spark.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* More would be no small picture. */
enum { MOST_BARS = 24 };

/* Gains that are noise about a flat start, in per cent, and the least height of the scale. */
static const double FLAT = 2, LEAST_SCALE = 8;

struct scale {
	double least, most;
};

/* The gain of the next place; false at the end, and at what is none. */
static bool next(const char **text, double *gain)
{
	char *end;

	strtod(*text, &end);
	if (end == *text || *end != ':')
		return false;
	*text = end + 1;
	*gain = strtod(*text, &end);
	if (end == *text || !isfinite(*gain))
		return false;
	*text = end + (*end == ' ');
	return true;
}

static void widen(struct scale *s, const char *curve)
{
	double gain;

	while (curve && next(&curve, &gain)) {
		s->least = fmin(s->least, gain);
		s->most = fmax(s->most, gain);
	}
}

static const char *bar(const struct scale *s, double gain)
{
	static const char *const block[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	double height = round(7 * (gain - s->least) / (s->most - s->least));

	return block[height >= 0 && height <= 7 ? (size_t)height : 0];
}

bool spark_add(struct buf *b, const char *curve, const char *other)
{
	struct scale s = { .least = 0, .most = LEAST_SCALE };
	const char *at = curve;
	double gain;

	if (!curve || !next(&at, &gain))
		return false;
	widen(&s, curve);
	widen(&s, other);
	if (s.least > -FLAT)
		s.least = 0;
	buf_adds(b, bar(&s, 0));
	for (int i = 1; i < MOST_BARS && next(&curve, &gain); i++)
		buf_adds(b, bar(&s, gain));
	return true;
}
