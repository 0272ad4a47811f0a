/*
 * markup: text in XML and HTML.  Both functions append to b.
 */
#ifndef ANDWEORC_TEXT_MARKUP_H
#define ANDWEORC_TEXT_MARKUP_H

#include "base/buf.h"

/*
 * Escapes the special characters of XML and HTML, for elements and for attributes in "".
 * The caller ensures that the text has only valid characters.
 */
void markup_add(struct buf *b, const char *text);

/* The same for text of any bytes: masks characters that must not be shown (prose_clean). */
void markup_add_clean(struct buf *b, const char *text);

#endif
