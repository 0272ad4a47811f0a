/*
 * region_class: regions that are a kind of time rather than code, such as
 * ":io": `region id=1 scope=class symbol=:io`.
 */
#ifndef ANDWEORC_FORMAT_REGION_CLASS_H
#define ANDWEORC_FORMAT_REGION_CLASS_H

#include <stdbool.h>

/* Is this the scope of a class?  NULL is none. */
bool region_is_class(const char *scope);

/* Is this the scope of a line?  NULL is none. */
bool region_is_line(const char *scope);

/* What the time is spent on, in words that do not change; NULL for a class that is not known here. */
const char *region_class_words(const char *symbol);

#endif
