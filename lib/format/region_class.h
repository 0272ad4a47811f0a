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

/* A description of the class, in fixed words; NULL for an unknown class. */
const char *region_class_words(const char *symbol);

#endif
