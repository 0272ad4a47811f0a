#include "text/spark.h"

#include <math.h>
#include <stddef.h>

/* Gains down to this are noise about a flat start, in per cent. */
static const double FLAT = -2;

void spark_widen(struct spark *s, double gain_pct)
{
	s->least = fmin(s->least, gain_pct);
	s->most = fmax(s->most, gain_pct);
}

const char *spark_bar(const struct spark *s, double gain_pct, bool utf8)
{
	static const char *const block[2][8] = {
		{ "_", ".", ":", "-", "=", "+", "*", "#" },
		{ "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" },
	};
	double least = s->least > FLAT ? 0 : s->least;
	double height = round(7 * (gain_pct - least) / (s->most - least));

	return block[utf8][height >= 0 && height <= 7 ? (size_t)height : 0];
}
