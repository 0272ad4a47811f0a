/*
 * shortname: names of functions, cut so that they stay distinguishable.
 *
 * Names of C++ and Rust contain parameters and template arguments.  The part that a
 * reader looks for is in the middle of such a name, where an ellipsis would remove it.
 */
#ifndef ANDWEORC_TEXT_SHORTNAME_H
#define ANDWEORC_TEXT_SHORTNAME_H

#include "base/buf.h"
#include "text/letters.h"

/*
 * The name, shortened until it is `room` wide, or cannot be shortened any more without losing the name
 * itself.  First the parameters are removed, then the type of the result, then scopes between < and >, then
 * everything between them, then the function's own scopes.  The caller frees it.
 */
char *shortname_of(const char *function, const struct letters *l, double room);

/* Appends the name, cleaned (caption.h), at most `room` wide.  What is still too long loses its middle. */
void shortname_add(struct buf *b, const char *function, const struct letters *l, double room);

#endif
