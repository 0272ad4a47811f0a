/*
 * spark: a curve as small bars, one for each speedup.
 *
 *     struct spark s = SPARK_INIT;
 *     spark_widen(&s, gain);                      for each gain of all curves that share the scale
 *     buf_adds(b, spark_bar(&s, gain, utf8));     for each gain of one of them
 */
#ifndef ANDWEORC_TEXT_SPARK_H
#define ANDWEORC_TEXT_SPARK_H

#include <stdbool.h>

/* The gains, in per cent, of the lowest bar and of the highest one.  A scale is never smaller than 8 %. */
struct spark {
	double least, most;
};

#define SPARK_INIT { 0, 8 }

/* Makes room for a gain. */
void spark_widen(struct spark *s, double gain_pct);

/* The bar of a gain: one character, of UTF-8 or of ASCII. For NAN, the lowest bar. */
const char *spark_bar(const struct spark *s, double gain_pct, bool utf8);

#endif
