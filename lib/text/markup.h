/*
 * markup: text in XML and HTML.  Both functions append to b.
 */
#ifndef ANDWEORC_TEXT_MARKUP_H
#define ANDWEORC_TEXT_MARKUP_H

#include "base/buf.h"

/* Escapes all that XML and HTML know, for elements and for attributes in "".  Which characters may be in the text, the caller sees to. */
void markup_add(struct buf *b, const char *text);

/* The same for text of any bytes: what must not be shown as it is, is masked (prose_clean). */
void markup_add_clean(struct buf *b, const char *text);

#endif
