/*
 * shortname: names of functions, cut so that what tells them apart is left.
 *
 * Names of C++ and Rust hold their parameters, and the arguments of their templates.
 * In the middle of such a name stands what a reader looks for, and
 * an ellipsis there would take just that.
 */
#ifndef ANDWEORC_TEXT_SHORTNAME_H
#define ANDWEORC_TEXT_SHORTNAME_H

#include "base/buf.h"
#include "text/letters.h"

/*
 * Appends the name, cleaned (caption.h), at most `room` wide.  First the
 * parameters go, then the scopes of what is between < and >, then all that is between them, then
 * the middle.
 */
void shortname_add(struct buf *b, const char *function, const struct letters *l, double room);

#endif
