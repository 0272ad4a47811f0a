/*
 * caption: text from outside (symbols, paths, commands) made fit for a chart.
 *
 * The result is valid UTF-8 on one line: control characters, direction marks and
 * characters that XML forbids are removed, invalid bytes become U+FFFD. The writer of
 * each output quotes it for its language.
 */
#ifndef ANDWEORC_TEXT_CAPTION_H
#define ANDWEORC_TEXT_CAPTION_H

#include <stddef.h>

#include "base/buf.h"
#include "text/letters.h"

/*
 * Appends `text`, cleaned.  Wider than `columns` (0: no limit), its middle
 * becomes an ellipsis: the head of a name and its tail tell most.  Answers the
 * columns used; a wide character (CJK, emoji) takes two.
 */
size_t caption_add(struct buf *out, const char *text, size_t columns);

/* The same in the letters of a picture, `room` pixels wide (0: no limit); answers the pixels used. */
double caption_fit(struct buf *out, const char *text, const struct letters *l, double room);

/* The same; where it is cut, the last `end` pixels or columns stay, if there is room for them. */
double caption_fit_end(struct buf *out, const char *text, double end, const struct letters *l, double room);

/* The room for the first of two texts: a text that needs less than half leaves the rest to the other. */
double caption_share(double room, double first, double second);

/* The width of the cleaned text. */
double caption_width(const char *text, const struct letters *l);

#endif
