/*
 * curves: curves as small bars, base's and head's on one scale.
 */
#ifndef ANDWEORC_PUBLISH_CURVES_H
#define ANDWEORC_PUBLISH_CURVES_H

#include <stdbool.h>

#include "base/buf.h"

/*
 * Appends the bars of `curve`, "SPEEDUP:GAIN SPEEDUP:GAIN ..." in per cent, on the
 * scale that it shares with `other` (NULL: none).  The first bar is the baseline.
 * False, with nothing appended, when there is no curve in the text.
 */
bool spark_add(struct buf *b, const char *curve, const char *other);

#endif
