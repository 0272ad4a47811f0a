#include "publish/curves.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "text/spark.h"

/* More would be no small picture. */
enum { MOST_BARS = 24 };

/* The gain of the next place; false at the end, and at invalid text. */
static bool next_gain(const char **text, double *gain)
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

static void widen_scale(struct spark *s, const char *curve)
{
	double gain;

	while (curve && next_gain(&curve, &gain))
		spark_widen(s, gain);
}

bool spark_add(struct buf *b, const char *curve, const char *other)
{
	struct spark s = SPARK_INIT;
	const char *at = curve;
	double gain;

	if (!curve || !next_gain(&at, &gain))
		return false;
	widen_scale(&s, curve);
	widen_scale(&s, other);
	buf_adds(b, spark_bar(&s, 0, true));
	for (int i = 1; i < MOST_BARS && next_gain(&curve, &gain); i++)
		buf_adds(b, spark_bar(&s, gain, true));
	return true;
}
