/*
 * caption: text from outside (symbols, paths, commands) made fit for a chart.
 *
 * What comes out is valid UTF-8 on one line: control characters, direction
 * marks and what XML forbids are gone, bytes that are no UTF-8 are U+FFFD.
 * Quoting for the language that it goes into is left to the writer of that.
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

/* How much of the room the first of two texts gets: what one leaves of its half is the other's. */
double caption_share(double room, double first, double second);

/* How wide the cleaned text is. */
double caption_width(const char *text, const struct letters *l);

#endif
